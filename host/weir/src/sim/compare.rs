//! `weir sim FILE --compare SLOT=A,B`: which policy does better?

use std::fmt::Write;
use std::process::ExitCode;

use serde::Serialize;
use serde_json::json;
use weir_sim::measure::Summary;
use weir_sim::{Plan, Scenario};

use super::choice::Compare;
use super::outcome::{percent, seconds};
use super::page::Page;
use super::world::Runner;
use super::{SimArgs, world};
use crate::output::Output;

/// A figure that policies are compared by.
struct Figure {
    name: &'static str,
    of: fn(&Summary) -> Option<f64>,
    /// The greater the better.
    more: bool,
    show: fn(Option<f64>) -> String,
}

impl Figure {
    fn width(&self) -> usize {
        self.name.len().max(9) + 1
    }
}

/// What is compared: of the upstream and of the demand that come first in the file.
const FIGURES: [Figure; 6] = [
    Figure { name: "ANSWERED", of: |it| Some(it.done as f64), more: true, show: count },
    Figure {
        name: "IN USE",
        of: |it| it.upstreams.first()?.in_flight_share,
        more: true,
        show: percent,
    },
    Figure {
        name: "THROTTLED",
        of: |it| it.upstreams.first()?.throttled_share,
        more: false,
        show: percent,
    },
    Figure { name: "WAIT P50", of: |it| it.demands.first()?.wait_p50, more: false, show: seconds },
    Figure { name: "WAIT P99", of: |it| it.demands.first()?.wait_p99, more: false, show: seconds },
    Figure {
        name: "COMPLETION P99",
        of: |it| it.demands.first()?.completion_p99,
        more: false,
        show: seconds,
    },
];

/// What the policies came to in one case: means over the seeds, in the order of [`FIGURES`].
#[derive(Debug, Serialize)]
struct Comparison {
    case: String,
    rows: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct Row {
    policy: String,
    figures: Vec<Option<f64>>,
    /// No other policy has a better figure.
    best: Vec<bool>,
}

/// Runs every case with each policy and each seed.
pub(super) fn run(
    scenario: &Scenario,
    compare: &Compare,
    args: &SimArgs,
    output: Output,
) -> anyhow::Result<ExitCode> {
    let mut page = Page::new(args, scenario)?;
    let runner = Runner::new()?;
    let mut jobs = Vec::new();
    for plan in world::cases(scenario, args) {
        let plans = compare.plans(plan);
        let seeds = args.seeds(plan.seed);
        for plan in &plans {
            seeds.iter().try_for_each(|_| runner.expect(plan))?;
        }
        jobs.push((plans, seeds));
    }
    let comparisons: Vec<Comparison> = jobs
        .iter()
        .map(|(plans, seeds)| Comparison::of(compare, plans, seeds, &runner, &mut page))
        .collect::<anyhow::Result<_>>()?;
    drop(runner);
    page.write()?;
    let human: Vec<String> =
        comparisons.iter().map(|comparison| comparison.text(&scenario.name)).collect();
    let all = json!({
        "scenario": scenario.name,
        "slot": compare.slot,
        "figures": FIGURES.map(|figure| figure.name.to_lowercase().replace(' ', "_")),
        "cases": comparisons,
    });
    output.print(human.join("\n\n").trim_end(), &all)?;
    Ok(ExitCode::SUCCESS)
}

impl Comparison {
    fn of(
        compare: &Compare,
        plans: &[Plan],
        seeds: &[u64],
        runner: &Runner,
        page: &mut Page,
    ) -> anyhow::Result<Self> {
        let mut rows = Vec::with_capacity(plans.len());
        for (plan, policy) in plans.iter().zip(compare.names()) {
            let mut summary = |seed: &u64| {
                let record = runner.run(plan, *seed)?;
                page.run(policy, plan, &record)?;
                Ok(Summary::new(&record))
            };
            let summaries: Vec<Summary> =
                seeds.iter().map(&mut summary).collect::<anyhow::Result<_>>()?;
            let figures: Vec<Option<f64>> =
                FIGURES.iter().map(|figure| mean(&summaries, figure.of)).collect();
            rows.push(Row { policy: policy.to_owned(), figures, best: Vec::new() });
        }
        mark(&mut rows);
        let case = plans.first().map(|plan| plan.case.clone());
        Ok(Self { case: case.unwrap_or_default(), rows })
    }

    fn text(&self, scenario: &str) -> String {
        let case = if self.case.is_empty() { String::new() } else { format!(", {}", self.case) };
        let width = self.rows.iter().map(|row| row.policy.len()).max().unwrap_or(0).max(16);
        let mut text = format!("{scenario}{case}\n{:<width$}", "POLICY");
        for figure in &FIGURES {
            let _ = write!(text, "{:>width$} ", figure.name, width = figure.width());
        }
        for row in &self.rows {
            let _ = write!(text, "\n{:<width$}", row.policy);
            for ((figure, value), best) in FIGURES.iter().zip(&row.figures).zip(&row.best) {
                let mark = if *best { "*" } else { " " };
                let _ =
                    write!(text, "{:>width$}{mark}", (figure.show)(*value), width = figure.width());
            }
        }
        text.push_str(
            "\n* best; IN USE: of what the first upstream takes at once, the share in flight",
        );
        text
    }
}

/// Marks the best of each figure; all that are equally good.
fn mark(rows: &mut [Row]) {
    for (place, figure) in FIGURES.iter().enumerate() {
        let values = rows.iter().filter_map(|row| row.figures[place]);
        let best = values.reduce(if figure.more { f64::max } else { f64::min });
        for row in rows.iter_mut() {
            let is_best = best.is_some() && row.figures[place] == best;
            row.best.push(is_best);
        }
    }
}

/// `None` when a run has no such figure.
fn mean(summaries: &[Summary], of: fn(&Summary) -> Option<f64>) -> Option<f64> {
    let values: Vec<f64> = summaries.iter().map(of).collect::<Option<_>>()?;
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

fn count(number: Option<f64>) -> String {
    number.map_or_else(|| "-".to_owned(), |number| format!("{number:.0}"))
}
