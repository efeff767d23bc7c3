//! `weir sim`: a scenario in virtual time, with the policies that a host would load.
//!
//! One command, three questions: what happens (`weir sim FILE`), which policy does better (`--compare`), and are the
//! levels met that the files demand (`--check`).

mod check;
mod choice;
mod compare;
mod outcome;
mod page;
mod world;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;

use self::choice::{Compare, Override};
use crate::output::Output;

/// What `weir sim` is told.
#[derive(Debug, clap::Args)]
#[command(next_line_help = true)]
pub(crate) struct SimArgs {
    /// The scenario; `examples/scenarios` has some
    #[arg(required_unless_present_any = ["check", "replay"], conflicts_with = "check")]
    file: Option<PathBuf>,
    /// Send what a live host met, from a journal of `weir serve --journal`
    ///
    /// Without a scenario: to the host's own providers, as configured and as slow as they were.
    #[arg(long, value_name = "JOURNAL", conflicts_with = "check")]
    replay: Option<PathBuf>,
    /// The seed of all chance; by default the file's, and 1 with --check
    #[arg(long, conflicts_with = "seeds")]
    seed: Option<u64>,
    /// Run with the seeds from 1 to this
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000))]
    seeds: Option<u64>,
    /// Run this case alone
    #[arg(long, value_name = "NAME", conflicts_with = "check")]
    case: Option<String>,
    /// Another policy in a slot: a shipped one or a .wasm file, with settings as JSON
    #[arg(long = "policy", value_name = "SLOT=NAME[:JSON]", value_parser = choice::one)]
    policies: Vec<Override>,
    /// Run once with each of these policies in a slot and print them side by side
    #[arg(long, value_name = "SLOT=A,B", value_parser = choice::several, conflicts_with = "check")]
    compare: Option<Compare>,
    /// Run a scenario, or each one of a folder, and say which of its levels are met
    #[arg(long, value_name = "PATH")]
    check: Option<PathBuf>,
    /// Write a page with plots of the runs: limits, waits, refusals, shares
    #[arg(long, value_name = "FILE", conflicts_with = "check")]
    report: Option<PathBuf>,
}

impl SimArgs {
    /// The seeds that were asked for; `unsaid` when none was.
    fn seeds(&self, unsaid: u64) -> Vec<u64> {
        match (self.seed, self.seeds) {
            (Some(seed), _) => vec![seed],
            (None, Some(last)) => (1..=last).collect(),
            (None, None) => vec![unsaid],
        }
    }

    fn one_policy_a_slot(&self) -> anyhow::Result<()> {
        let compared = self.compare.iter().map(|compare| compare.slot);
        let mut seen = BTreeSet::new();
        for slot in compared.chain(self.policies.iter().map(|policy| policy.slot)) {
            anyhow::ensure!(
                seen.insert(slot),
                "the slot `{slot}` is given more than one policy; keep one `--policy {slot}=...`, or compare them \
                 with --compare"
            );
        }
        Ok(())
    }
}

/// Runs `weir sim`.
///
/// # Errors
///
/// A scenario is not good, a policy cannot be loaded, or standard output cannot be written to.
pub(crate) fn run(args: &SimArgs, output: Output) -> anyhow::Result<ExitCode> {
    args.one_policy_a_slot()?;
    if let Some(path) = &args.check {
        return check::run(path, args, output);
    }
    let scenario = world::one(args)?;
    match &args.compare {
        Some(compare) => compare::run(&scenario, compare, args, output),
        None => outcome::run(&scenario, args, output),
    }
}
