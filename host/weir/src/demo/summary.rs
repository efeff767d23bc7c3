//! The closing words: both runs side by side, what changed under way, and what to do next.

use std::fmt::{self, Write};

use super::cast::{START_LIMIT, UPSTREAMS};
use super::report::{Evidence, LimitChange, Run};

/// Limits of one upstream that fit on a line of a terminal.
const LIMITS: usize = 11;

const NEXT: &str = "\
Serve your own:
  write an [[upstream]] with its kind, models and key_env into weir.toml
  weir config check weir.toml
  weir serve --config weir.toml        listens on 127.0.0.1:18790
  export OPENAI_BASE_URL=http://127.0.0.1:18790/v1
  export ANTHROPIC_BASE_URL=http://127.0.0.1:18790
";

/// What is printed at the end.
pub(super) struct Summary<'a>(pub(super) &'a Evidence);

impl fmt::Display for Summary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f)?;
        self.comparison(f)?;
        self.limits(f)?;
        self.policies(f)?;
        write!(f, "\n{NEXT}")
    }
}

impl Summary<'_> {
    fn comparison(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Evidence { ungoverned, governed, .. } = self.0;
        let mut row = |name: &str, of: &dyn Fn(&Run) -> String| {
            writeln!(f, "{name:<32}{:>16}{:>16}", of(ungoverned), of(governed))
        };
        let is_governed = |run: &Run| std::ptr::eq(run, governed);
        row("", &|run| if is_governed(run) { "governed" } else { "ungoverned" }.to_owned())?;
        row("reviews finished", &|run| format!("{} of {}", run.finished(), run.endings.len()))?;
        row("429s sent by the providers", &|run| run.upstream_429().to_string())?;
        row("429s seen by agents", &|run| run.sum(|ending| ending.counts.refused).to_string())?;
        row("requests wasted", &|run| run.wasted().to_string())?;
        row("latency of a turn, p50", &|run| seconds_of(run.latency().p50))?;
        row("                   p90", &|run| seconds_of(run.latency().p90))?;
        row("                   p99", &|run| seconds_of(run.latency().p99))?;
        row("tokens in", &|run| run.sum(|ending| ending.counts.input).to_string())?;
        row("tokens out", &|run| run.sum(|ending| ending.counts.output).to_string())?;
        row("time", &|run| format!("{:.1} s", run.took.as_secs_f64()))?;
        let lost = self.0.lost();
        writeln!(f, "{:<48}{lost:>16}", "requests lost")
    }

    fn limits(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "\nEffective limits, found by being refused and by trying again:")?;
        for upstream in &UPSTREAMS {
            let of_it = |change: &&LimitChange| change.upstream == upstream.name;
            let changes = self.0.limit_changes.iter().filter(of_it);
            let (name, hidden) = (upstream.name, upstream.hidden);
            let steps = steps(changes);
            writeln!(f, "  {name:<16}{START_LIMIT}{steps} (it serves {hidden})")?;
        }
        Ok(())
    }

    fn policies(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "\nPolicies, each a WebAssembly component:")?;
        for policy in &self.0.policies {
            writeln!(f, "  {:<16}{policy}", policy.slot)?;
        }
        for swap in &self.0.swaps {
            writeln!(
                f,
                "Replaced while agents worked, {}: the {} policy",
                swap.learned(),
                swap.to.slot
            )?;
            for (when, policy) in [("before", &swap.from), ("after", &swap.to)] {
                writeln!(f, "  {when:<7}{} {}", policy.name, policy.version)?;
                writeln!(f, "         {}", policy.digest)?;
            }
        }
        Ok(())
    }
}

fn steps<'a>(changes: impl Iterator<Item = &'a LimitChange>) -> String {
    let limits: Vec<u32> = changes.map(|change| change.effective).collect();
    let mut steps = String::new();
    for limit in limits.iter().take(LIMITS) {
        let _ = write!(steps, " {limit}");
    }
    if limits.len() > LIMITS {
        let _ = write!(steps, " and {} more", limits.len() - LIMITS);
    }
    steps
}

fn seconds_of(ms: u64) -> String {
    format!("{}.{:02} s", ms / 1000, ms % 1000 / 10)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::report::tests::evidence;

    #[test]
    fn it_reads_well() {
        insta::assert_snapshot!(Summary(&evidence()).to_string());
    }

    #[test]
    fn it_fits_on_a_terminal() {
        let mut evidence = evidence();
        let change = evidence.limit_changes[0].clone();
        evidence.limit_changes = vec![LimitChange { effective: 10, ..change }; 200];
        for line in Summary(&evidence).to_string().lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }
}
