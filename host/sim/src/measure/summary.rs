//! A run in a few figures.

use serde::Serialize;
use weir_core::units::Micros;

use super::run::Run;
use super::window::Window;
use super::{Measure, load, span};
use crate::record::{Fate, Outcome, Record};

/// What a person asks first. All but the counts is taken from the end of the warm-up to the end of the duration.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Requests that came.
    pub requests: u64,
    /// Requests that were answered.
    pub done: u64,
    /// Requests that left otherwise: refused, given up, cancelled, merged, lost.
    pub left: u64,
    /// Attempts sent.
    pub attempts: u64,
    /// Attempts refused for load.
    pub throttled: u64,
    /// Attempts that failed: errors, time-outs, broken connections.
    pub failed: u64,
    /// Answers that the fallback gave in a policy's stead.
    pub fallbacks: u64,
    /// Seconds from the start until the record was full: what happened later is not in it, and mean limits, which are
    /// taken from that, are absent. Absent: it holds all.
    pub cut: Option<f64>,
    /// By upstream.
    pub upstreams: Vec<Upstream>,
    /// By demand.
    pub demands: Vec<Demand>,
}

/// How an upstream was used.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Upstream {
    /// Which.
    pub name: String,
    /// Share of what it takes at once that was in use; absent when it takes any number.
    pub in_flight_share: Option<f64>,
    /// Of the attempts sent, the share that was refused for load.
    pub throttled_share: Option<f64>,
    /// Mean of the policy's limit.
    pub mean_limit: Option<f64>,
}

/// How requests of a demand fared, in seconds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Demand {
    /// Which.
    pub name: String,
    /// Of the requests that arrived, the share that was answered.
    pub done_share: Option<f64>,
    /// From arriving to being sent first: median.
    pub wait_p50: Option<f64>,
    /// The same, 99th percentile.
    pub wait_p99: Option<f64>,
    /// From arriving to being answered: median.
    pub completion_p50: Option<f64>,
    /// The same, 99th percentile.
    pub completion_p99: Option<f64>,
}

impl Summary {
    /// The figures of a run.
    #[must_use]
    pub fn new(record: &Record) -> Self {
        let until = record.duration.max(record.warm_up + Micros(1));
        let run = Run { record, window: Window { from: record.warm_up, until } };
        let fates = |of: fn(Fate) -> bool| {
            record.attempts.iter().filter(|attempt| of(attempt.fate)).count() as u64
        };
        let outcomes = |of: fn(Outcome) -> bool| {
            record.requests.iter().filter(|request| of(request.outcome)).count() as u64
        };
        let names = &record.names;
        let finite = |value: Option<f64>| value.filter(|value| value.is_finite());
        Self {
            requests: record.requests.len() as u64,
            done: outcomes(|outcome| outcome == Outcome::Done),
            left: outcomes(|outcome| !matches!(outcome, Outcome::Done | Outcome::Open)),
            attempts: record.attempts.len() as u64,
            throttled: fates(Fate::is_throttle),
            failed: fates(Fate::is_failure),
            fallbacks: record.sums.fallbacks.values().sum(),
            cut: record.cut.map(Micros::as_secs_f64),
            upstreams: (0..).zip(&names.upstreams).map(|at| upstream(run, at, finite)).collect(),
            demands: names.demands.iter().map(|name| demand(run, name)).collect(),
        }
    }
}

fn upstream(
    run: Run<'_>,
    (place, name): (u16, &String),
    finite: impl Fn(Option<f64>) -> Option<f64>,
) -> Upstream {
    let share = load::in_flight_share(run, place);
    Upstream {
        name: name.clone(),
        in_flight_share: finite(share).filter(|share| *share > 0.0),
        throttled_share: load::throttled_share(run, place),
        mean_limit: Measure::MeanLimit { upstream: Some(name.clone()) }
            .value(run.record, run.window),
    }
}

fn demand(run: Run<'_>, name: &str) -> Demand {
    let of = run.selected(&Some(name.to_owned()));
    Demand {
        name: name.to_owned(),
        done_share: span::done_share(run, of),
        wait_p50: span::wait(run, of, 50.0),
        wait_p99: span::wait(run, of, 99.0),
        completion_p50: span::completion(run, of, 50.0),
        completion_p99: span::completion(run, of, 99.0),
    }
}
