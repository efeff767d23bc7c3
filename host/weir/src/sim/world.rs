//! Scenarios from files, and runs of them.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use indicatif::{ProgressBar, ProgressStyle};
use weir_core::units::Micros;
use weir_sim::{Deciders, Journal, Plan, Progress, Record, Scenario, Workshop};

use super::SimArgs;

/// The scenario that was named, with the policies that were asked for.
///
/// # Errors
///
/// It is not good, or has no case of the name that was asked for.
pub(super) fn one(args: &SimArgs) -> anyhow::Result<Scenario> {
    let scenario = match &args.replay {
        Some(journal) => replayed(journal, args)?,
        None => read(args.file.as_deref().context("no scenario is named")?, args)?,
    };
    if let Some(name) = &args.case {
        let known: Vec<String> = scenario.cases.iter().map(|plan| plan.case.clone()).collect();
        if !known.contains(name) {
            if known.iter().all(String::is_empty) {
                bail!("{} has no cases; leave --case out", scenario.name);
            }
            bail!("{} has no case `{name}`; it has: {}", scenario.name, known.join(", "));
        }
    }
    Ok(scenario)
}

/// What a live host met, in the world of a scenario if one is named, and else in its own.
fn replayed(path: &Path, args: &SimArgs) -> anyhow::Result<Scenario> {
    let journal = Journal::load(path).with_context(|| path.display().to_string())?;
    let Journal { skipped, lost, stray, .. } = journal;
    if skipped > 0 || lost > 0 || stray > 0 {
        tracing::warn!(skipped, lost, stray, journal = %path.display(), "the journal is not whole");
    }
    let mut scenario = match &args.file {
        Some(file) => Scenario::load(file)?,
        None => Scenario { name: stem(path), about: String::new(), cases: vec![journal.plan()] },
    };
    if args.file.is_some() {
        for plan in &mut scenario.cases {
            *plan = journal.plan_in(plan)?;
        }
    }
    let requests = journal.requests.len();
    scenario.about = format!("{requests} requests of {}", path.display());
    if skipped > 0 {
        scenario.about += &format!("; lines that cannot be read: {skipped}");
    }
    if lost > 0 {
        scenario.about += &format!("; lines that were never written: {lost}");
    }
    if stray > 0 {
        scenario.about += &format!("; requests of no known tenant or lane: {stray}");
    }
    ruled(&mut scenario, args);
    Ok(scenario)
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// The policies that were asked for decide.
fn ruled(scenario: &mut Scenario, args: &SimArgs) {
    for plan in &mut scenario.cases {
        args.policies.iter().for_each(|policy| policy.apply(plan));
    }
}

/// The cases that are to be run.
pub(super) fn cases<'a>(scenario: &'a Scenario, args: &'a SimArgs) -> Vec<&'a Plan> {
    let asked = |plan: &&Plan| args.case.as_ref().is_none_or(|name| plan.case == *name);
    scenario.cases.iter().filter(asked).collect()
}

/// The scenario of a file, or all of a folder by name.
///
/// # Errors
///
/// A file is not good, or the folder has none.
pub(super) fn all(path: &Path, args: &SimArgs) -> anyhow::Result<Vec<Scenario>> {
    if !path.is_dir() {
        return Ok(vec![read(path, args)?]);
    }
    let shown = path.display();
    let entries = path.read_dir().with_context(|| format!("cannot read {shown}"))?;
    let mut files: Vec<PathBuf> =
        entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    if files.is_empty() {
        bail!("{shown} has no scenario: no file in it ends in .toml");
    }
    files.iter().map(|file| read(file, args)).collect()
}

fn read(path: &Path, args: &SimArgs) -> anyhow::Result<Scenario> {
    let mut scenario = Scenario::load(path)?;
    ruled(&mut scenario, args);
    Ok(scenario)
}

/// Runs plans, and shows on a terminal how far they are.
pub(super) struct Runner {
    workshop: Workshop,
    bar: ProgressBar,
}

impl Runner {
    /// Ready to run.
    ///
    /// # Errors
    ///
    /// The machine cannot run policies.
    pub(super) fn new() -> anyhow::Result<Self> {
        // Nothing is drawn where standard error is no terminal.
        let bar = ProgressBar::new(0);
        bar.set_style(ProgressStyle::with_template("{bar:40} {percent:>3} %, {eta} left")?);
        Ok(Self { workshop: Workshop::new()?, bar })
    }

    /// A plan is going to be run: its policies are tried, so that no run fails for them later.
    ///
    /// # Errors
    ///
    /// A policy that cannot be used.
    pub(super) fn expect(&self, plan: &Plan) -> anyhow::Result<()> {
        self.bar.inc_length(seconds(plan.duration));
        Ok(self.workshop.check(plan)?)
    }

    /// Runs one plan.
    ///
    /// # Errors
    ///
    /// A policy cannot be used, or the hosts' configuration contradicts itself.
    pub(super) fn run(&self, plan: &Plan, seed: u64) -> anyhow::Result<Record> {
        let mut told = 0;
        let mut progress = |progress: Progress| {
            let now = seconds(progress.now.min(plan.duration));
            self.bar.inc(now.saturating_sub(told));
            told = told.max(now);
        };
        Ok(weir_sim::run(plan, seed, Deciders::Wasm(&self.workshop), &mut progress)?)
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Virtual seconds, in which progress is told.
fn seconds(time: Micros) -> u64 {
    time.0 / Micros::SECOND.0
}
