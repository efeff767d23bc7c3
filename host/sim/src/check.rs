//! Scenarios against their levels.
//!
//! Every case that has levels is run once for each seed, beside the cases that its levels compare it with, under the
//! same seed. Runs are dealt to threads; what comes out does not depend on which thread ran what.

mod table;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde::{Serialize, Serializer};

pub use self::table::Table;
pub(crate) use self::table::value;
use crate::measure::{Bound, Level, LevelError};
use crate::record::Record;
use crate::scenario::{Plan, Scenario};

/// A level with the values that were found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The scenario's name.
    pub scenario: String,
    /// The case's name; empty when the scenario has none.
    pub case: String,
    /// The figure and what narrows it.
    pub level: String,
    /// What is demanded.
    #[serde(serialize_with = "as_text")]
    pub bound: Bound,
    /// By seed, in the order of the seeds.
    pub found: Vec<Found>,
}

/// What one run came to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Found {
    /// The seed.
    pub seed: u64,
    /// The figure; absent when there was nothing to take it from, or it was never reached.
    #[serde(serialize_with = "if_finite")]
    pub value: Option<f64>,
    /// It is enough.
    pub met: bool,
    /// There is no figure because the record does not hold all that it is taken from.
    pub cut: bool,
}

/// Scenarios with their levels, checked.
#[derive(Debug)]
pub struct Check<'a> {
    cases: Vec<Case<'a>>,
}

/// A case that has levels.
#[derive(Debug)]
struct Case<'a> {
    scenario: &'a Scenario,
    plan: &'a Plan,
    levels: Vec<Level>,
}

/// A `[[pass]]` table is no level.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("scenario `{scenario}`, case `{case}`: {error}")]
pub struct CheckError {
    /// The scenario's name.
    pub scenario: String,
    /// The case's name.
    pub case: String,
    /// What is wrong.
    pub error: LevelError,
}

impl<'a> Check<'a> {
    /// Reads the levels of scenarios.
    ///
    /// # Errors
    ///
    /// The first table that is no level.
    pub fn new(scenarios: &'a [Scenario]) -> Result<Self, CheckError> {
        let mut cases = Vec::new();
        for scenario in scenarios {
            let names: Vec<&str> = scenario.cases.iter().map(|plan| plan.case.as_str()).collect();
            for plan in &scenario.cases {
                let levels = Level::all(plan, &names).map_err(|error| CheckError {
                    scenario: scenario.name.clone(),
                    case: plan.case.clone(),
                    error,
                })?;
                cases.push(Case { scenario, plan, levels });
            }
        }
        cases.retain(|case| !case.levels.is_empty());
        Ok(Self { cases })
    }

    /// What is run for each seed, baselines included.
    pub fn plans(&self) -> impl Iterator<Item = &'a Plan> + '_ {
        self.cases.iter().flat_map(|case| std::iter::once(case.plan).chain(case.baselines()))
    }

    /// Runs everything on so many threads.
    ///
    /// # Errors
    ///
    /// What `run` answered, of the first case that failed.
    pub fn run<E: Send>(
        &self,
        seeds: &[u64],
        threads: usize,
        run: &(impl Fn(&Plan, u64) -> Result<Record, E> + Sync),
    ) -> Result<Vec<Row>, E> {
        let jobs: Vec<(&Case<'_>, u64)> = self
            .cases
            .iter()
            .flat_map(|case| seeds.iter().map(move |seed| (case, *seed)))
            .collect();
        let found = in_parallel(&jobs, threads, |(case, seed)| {
            run(case.plan, *seed).and_then(|record| case.found(&record, run))
        });
        let found: Vec<Vec<Found>> = found.into_iter().collect::<Result<_, E>>()?;
        let mut of_case = found.chunks(seeds.len().max(1));
        let rows = self.cases.iter().flat_map(|case| case.rows(of_case.next().unwrap_or_default()));
        Ok(rows.collect())
    }

    /// What the levels of a plan come to in a run of it; its baselines are run here. Nothing for a plan that has no
    /// levels.
    ///
    /// # Errors
    ///
    /// What `run` answered.
    pub fn rows<E>(
        &self,
        plan: &Plan,
        record: &Record,
        run: impl Fn(&Plan, u64) -> Result<Record, E>,
    ) -> Result<Vec<Row>, E> {
        match self.cases.iter().find(|case| case.plan.case == plan.case) {
            Some(case) => Ok(case.rows(&[case.found(record, run)?])),
            None => Ok(Vec::new()),
        }
    }
}

impl<'a> Case<'a> {
    /// The cases that its levels compare it with.
    fn baselines(&self) -> impl Iterator<Item = &'a Plan> + '_ {
        let named = |plan: &&Plan| {
            self.levels.iter().any(|level| level.baseline.as_deref() == Some(&plan.case))
        };
        self.scenario.cases.iter().filter(named)
    }

    /// What each level comes to.
    fn found<E>(
        &self,
        record: &Record,
        run: impl Fn(&Plan, u64) -> Result<Record, E>,
    ) -> Result<Vec<Found>, E> {
        let seed = record.seed;
        let mut baselines: BTreeMap<&str, Record> = BTreeMap::new();
        for plan in self.baselines() {
            baselines.insert(&plan.case, run(plan, seed)?);
        }
        let find = |level: &Level| {
            let baseline = level.baseline.as_deref().and_then(|name| baselines.get(name));
            let value = level.value(record, baseline);
            let cut = level.is_cut(record) || baseline.is_some_and(|it| level.is_cut(it));
            Found { seed, value, met: level.is_met(value), cut }
        };
        Ok(self.levels.iter().map(find).collect())
    }

    /// A row for each level; `found` has what its runs came to, by seed.
    fn rows(&self, found: &[Vec<Found>]) -> Vec<Row> {
        let row = |(place, level): (usize, &Level)| Row {
            scenario: self.scenario.name.clone(),
            case: self.plan.case.clone(),
            level: level.to_string(),
            bound: level.bound,
            found: found.iter().filter_map(|levels| levels.get(place).copied()).collect(),
        };
        self.levels.iter().enumerate().map(row).collect()
    }
}

impl Row {
    /// Every seed met it.
    #[must_use]
    pub fn is_met(&self) -> bool {
        self.found.iter().all(|found| found.met)
    }

    /// The value that is furthest on the wrong side; no value is further than any.
    #[must_use]
    pub fn worst(&self) -> Option<f64> {
        let values: Option<Vec<f64>> = self.found.iter().map(|found| found.value).collect();
        values?.into_iter().reduce(match self.bound {
            Bound::AtLeast(_) => f64::min,
            Bound::AtMost(_) => f64::max,
        })
    }
}

/// Answers in the order of the jobs.
fn in_parallel<J: Sync, T: Send>(
    jobs: &[J],
    threads: usize,
    work: impl Fn(&J) -> T + Sync,
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(jobs.len()));
    let worker = || {
        while let Some((place, job)) = take(jobs, &next) {
            let answer = work(job);
            let mut done = done.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            done.push((place, answer));
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads.clamp(1, jobs.len().max(1)) {
            scope.spawn(worker);
        }
        worker();
    });
    let mut done = done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    done.sort_unstable_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, answer)| answer).collect()
}

fn take<'j, J>(jobs: &'j [J], next: &AtomicUsize) -> Option<(usize, &'j J)> {
    let place = next.fetch_add(1, Ordering::Relaxed);
    jobs.get(place).map(|job| (place, job))
}

fn as_text<S: Serializer>(bound: &Bound, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(bound)
}

fn if_finite<S: Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    value.filter(|value| value.is_finite()).serialize(serializer)
}

#[cfg(test)]
mod tests;
