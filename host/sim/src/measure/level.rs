//! Levels: a figure, where it is taken, and its bound.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Deserializer};
use weir_core::units::Micros;

use super::Measure;
use super::window::Window;
use crate::record::Record;
use crate::scenario::{Plan, nearest, reword};

/// A level that a run must meet.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    /// What is measured.
    pub measure: Measure,
    /// Its name as the file says it.
    pub name: String,
    /// The start of the window; absent: the end of the warm-up.
    pub from: Option<Micros>,
    /// The end of the window; absent: the end of the duration.
    pub until: Option<Micros>,
    /// The case that it is compared with: the value is then the ratio to that case's.
    pub baseline: Option<String>,
    /// What is demanded.
    pub bound: Bound,
}

/// What is demanded of a figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// So much or more.
    AtLeast(f64),
    /// So much or less.
    AtMost(f64),
}

/// Why a `[[pass]]` table is no level.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("pass[{place}]: {problem}")]
pub struct LevelError {
    /// Its place among the levels of the case, from 0: the file's own come first.
    pub place: usize,
    /// What is wrong and how to mend it.
    pub problem: String,
}

/// The keys of every level.
#[derive(Debug, Deserialize)]
struct Frame {
    #[serde(default, deserialize_with = "time")]
    from: Option<Micros>,
    #[serde(default, deserialize_with = "time")]
    until: Option<Micros>,
    baseline: Option<String>,
    at_least: Option<f64>,
    at_most: Option<f64>,
}

const FRAME: [&str; 5] = ["from", "until", "baseline", "at_least", "at_most"];

impl Level {
    /// The levels of a case.
    ///
    /// # Errors
    ///
    /// The first table that names no figure, no bound, or something that the case has not. `cases` are the
    /// names that a baseline may have.
    pub fn all(plan: &Plan, cases: &[&str]) -> Result<Vec<Self>, LevelError> {
        let level = |(place, table)| {
            Self::parse(table, plan, cases).map_err(|problem| LevelError { place, problem })
        };
        plan.pass.iter().enumerate().map(level).collect()
    }

    fn parse(table: &toml::Table, plan: &Plan, cases: &[&str]) -> Result<Self, String> {
        let own = |key: &str| !FRAME.contains(&key);
        let (own, frame): (toml::Table, toml::Table) =
            table.clone().into_iter().partition(|(key, _)| own(key));
        let name = own.get("measure").and_then(toml::Value::as_str).unwrap_or_default().to_owned();
        let words = |error: toml::de::Error| reword(error.message().trim());
        let measure: Measure = own.try_into().map_err(words)?;
        let frame: Frame = frame.try_into().map_err(words)?;
        let bound = match (frame.at_least, frame.at_most) {
            (Some(least), None) => Bound::AtLeast(least),
            (None, Some(most)) => Bound::AtMost(most),
            _ => return Err(format!("`{name}` needs one of `at_least` and `at_most`")),
        };
        if let Some(wrong) = frame.at_least.or(frame.at_most).filter(|level| !level.is_finite()) {
            return Err(format!("{wrong} is no level; write a finite number"));
        }
        let Frame { from, until, baseline, .. } = frame;
        let level = Self { measure, name, from, until, baseline, bound };
        level.check(plan, cases)?;
        Ok(level)
    }

    /// Names must be the plan's, and the window must hold something.
    fn check(&self, plan: &Plan, cases: &[&str]) -> Result<(), String> {
        let core = &plan.core;
        if let Some(name) = self.measure.upstream() {
            known("upstream", name, core.upstreams.iter().map(|it| it.name.as_str()))?;
        }
        if let Some(name) = self.measure.tenant() {
            known("tenant", name, core.tenants.iter().map(|it| it.name.as_str()))?;
        }
        if let Some(name) = self.measure.demand() {
            known("demand", name, plan.demands.iter().map(|it| it.name.as_str()))?;
        }
        if let Some(wrong) = self.measure.percentile().filter(|it| !(0.0..=100.0).contains(it)) {
            return Err(format!("{wrong} is not a percentile; write a number from 0 to 100"));
        }
        if self.baseline.as_ref() == Some(&plan.case) {
            return Err("a case cannot be its own `baseline`; name another case".to_owned());
        }
        if let Some(name) = &self.baseline {
            known("case", name, cases.iter().copied())?;
        }
        let from = self.from.unwrap_or(plan.warm_up);
        let until = self.until.unwrap_or(plan.duration);
        if from >= until {
            return Err(format!(
                "`{}` has no time to be taken from: it begins at {from} and ends at {until}",
                self.name
            ));
        }
        Ok(())
    }

    /// The figure, or its ratio to the baseline's. `None` when there is nothing to take it from.
    #[must_use]
    pub fn value(&self, record: &Record, baseline: Option<&Record>) -> Option<f64> {
        let own = self.of(record)?;
        let Some(baseline) = baseline else { return Some(own) };
        let base = self.of(baseline)?;
        let ratio = own / base;
        ratio.is_finite().then_some(ratio)
    }

    fn of(&self, record: &Record) -> Option<f64> {
        self.measure.value(record, self.window(record))
    }

    /// The record does not hold all that the figure is taken from, so it has no value.
    #[must_use]
    pub fn is_cut(&self, record: &Record) -> bool {
        self.measure.is_cut(record, self.window(record))
    }

    fn window(&self, record: &Record) -> Window {
        let from = self.from.unwrap_or(record.warm_up);
        Window { from, until: self.until.unwrap_or(record.duration) }
    }

    /// Whether a value is enough.
    #[must_use]
    pub fn is_met(&self, value: Option<f64>) -> bool {
        value.is_some_and(|value| match self.bound {
            Bound::AtLeast(least) => value >= least,
            Bound::AtMost(most) => value <= most,
        })
    }
}

impl fmt::Display for Level {
    /// The figure with what narrows it, without its bound.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        for name in [self.measure.upstream(), self.measure.tenant(), self.measure.demand()] {
            name.map_or(Ok(()), |name| write!(f, " {name}"))?;
        }
        if let Some(percentile) = self.measure.percentile() {
            write!(f, " p{percentile}")?;
        }
        let span = |at: Micros| humantime::format_duration(Duration::from_micros(at.0));
        self.from.map_or(Ok(()), |from| write!(f, " from {}", span(from)))?;
        self.until.map_or(Ok(()), |until| write!(f, " until {}", span(until)))?;
        self.baseline.as_ref().map_or(Ok(()), |case| write!(f, " / {case}"))
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtLeast(least) => write!(f, ">= {least}"),
            Self::AtMost(most) => write!(f, "<= {most}"),
        }
    }
}

/// A name must be one of those.
fn known<'a>(
    what: &str,
    name: &str,
    names: impl Iterator<Item = &'a str> + Clone,
) -> Result<(), String> {
    if names.clone().any(|known| known == name) {
        return Ok(());
    }
    let hint = nearest(name, names).map(|near| format!("; did you mean `{near}`?"));
    Err(format!("no {what} is named `{name}`{}", hint.unwrap_or_default()))
}

/// A time such as `90s` or `5m 30s`.
fn time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Micros>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let span = humantime::parse_duration(&text).map_err(|_| {
        serde::de::Error::custom(format!("{text:?} is not a time such as \"90s\" or \"10m\""))
    })?;
    Ok(Some(Micros(u64::try_from(span.as_micros()).unwrap_or(u64::MAX))))
}

#[cfg(test)]
mod tests;
