//! `weir sim FILE`: what happens.

use std::fmt::Write;
use std::process::ExitCode;

use serde::Serialize;
use serde_json::json;
use weir_sim::check::{Check, Row, Table};
use weir_sim::measure::Summary;
use weir_sim::{Record, Scenario};

use super::page::Page;
use super::world::Runner;
use super::{SimArgs, world};
use crate::output::Output;

/// One run, in figures.
#[derive(Debug, Serialize)]
struct Outcome {
    case: String,
    seed: u64,
    /// Names the run: the same digest, the same bytes.
    digest: String,
    #[serde(flatten)]
    summary: Summary,
    levels: Vec<Row>,
}

/// What the columns mean.
const LEGEND: &str = "\
    IN USE: of what it takes at once, the share in flight; LIMIT: the policy's, on average\n\
    ANSWERED: of the requests that came; WAIT: until first sent; COMPLETION: until answered\n";

/// Runs each case with each seed and tells what came of it.
pub(super) fn run(scenario: &Scenario, args: &SimArgs, output: Output) -> anyhow::Result<ExitCode> {
    // Levels are read first, so that a bad one is not told after a long run.
    let check = Check::new(std::slice::from_ref(scenario))?;
    let cases = world::cases(scenario, args);
    let mut jobs = Vec::new();
    let mut page = Page::new(args, scenario)?;
    let runner = Runner::new()?;
    for plan in cases {
        for seed in args.seeds(plan.seed) {
            runner.expect(plan)?;
            jobs.push((plan, seed));
        }
    }
    let mut outcomes = Vec::with_capacity(jobs.len());
    for (plan, seed) in jobs {
        let record = runner.run(plan, seed)?;
        let levels = check.rows(plan, &record, |plan, seed| runner.run(plan, seed))?;
        page.run("", plan, &record)?;
        page.levels(&levels);
        outcomes.push(Outcome::new(&plan.case, seed, &record, levels));
    }
    drop(runner);
    page.write()?;
    let human: Vec<String> = outcomes.iter().map(|outcome| outcome.text(&scenario.name)).collect();
    let all = json!({ "scenario": scenario.name, "about": scenario.about, "runs": outcomes });
    output.print(human.join("\n\n").trim_end(), &all)?;
    Ok(ExitCode::SUCCESS)
}

impl Outcome {
    fn new(case: &str, seed: u64, record: &Record, levels: Vec<Row>) -> Self {
        let (case, digest) = (case.to_owned(), record.digest());
        Self { case, seed, digest, summary: Summary::new(record), levels }
    }

    fn text(&self, scenario: &str) -> String {
        let case = if self.case.is_empty() { String::new() } else { format!(", {}", self.case) };
        let mut text = format!("{scenario}{case}, seed {}\n", self.seed);
        let Summary { requests, done, left, attempts, throttled, failed, fallbacks, .. } =
            &self.summary;
        // Writing to a string cannot fail.
        let open = requests.saturating_sub(done + left);
        let _ = writeln!(
            text,
            "requests {requests}: {done} answered, {left} left otherwise, {open} unfinished"
        );
        let _ = writeln!(text, "attempts {attempts}: {throttled} throttled, {failed} failed");
        if *fallbacks > 0 {
            let _ = writeln!(text, "policies gave no answer {fallbacks} times: the fallback did");
        }
        if let Some(cut) = self.summary.cut {
            let _ =
                writeln!(text, "the record was full after {cut:.1} s: limits are told no further");
        }
        text.push_str(&self.upstreams());
        text.push_str(LEGEND);
        text.push_str(&self.demands());
        if !self.levels.is_empty() {
            let _ = writeln!(text, "{}", Table(&self.levels));
        }
        let _ = write!(text, "record {}", self.digest);
        text
    }

    fn upstreams(&self) -> String {
        let mut text =
            format!("{:<20}{:>10}{:>12}{:>10}\n", "UPSTREAM", "IN USE", "THROTTLED", "LIMIT");
        for it in &self.summary.upstreams {
            let (used, throttled) = (percent(it.in_flight_share), percent(it.throttled_share));
            let limit = it.mean_limit.map_or_else(dash, |limit| format!("{limit:.1}"));
            let _ = writeln!(text, "{:<20}{used:>10}{throttled:>12}{limit:>10}", it.name);
        }
        text
    }

    fn demands(&self) -> String {
        let mut text = format!(
            "{:<20}{:>10}{:>12}{:>10}{:>16}{:>10}\n",
            "DEMAND", "ANSWERED", "WAIT P50", "P99", "COMPLETION P50", "P99"
        );
        for it in &self.summary.demands {
            let done = percent(it.done_share);
            let [wait, late, took, long] =
                [it.wait_p50, it.wait_p99, it.completion_p50, it.completion_p99].map(seconds);
            let _ =
                writeln!(text, "{:<20}{done:>10}{wait:>12}{late:>10}{took:>16}{long:>10}", it.name);
        }
        text
    }
}

fn dash() -> String {
    "-".to_owned()
}

/// A share as hundredths; a dash for none.
pub(super) fn percent(share: Option<f64>) -> String {
    share.map_or_else(dash, |share| format!("{:.2} %", share * 100.0))
}

/// Seconds; a dash for none.
pub(super) fn seconds(span: Option<f64>) -> String {
    span.map_or_else(dash, |span| format!("{span:.2} s"))
}
