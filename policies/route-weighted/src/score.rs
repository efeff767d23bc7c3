//! The two scores, and what a candidate is worth by them.

use weir_sdk::Micros;
use weir_sdk::route::{Candidate, Choice};

use crate::Settings;

/// Whether a candidate belongs to the set. The numbers are the reason codes of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is in the set; the path score orders it.
    Passes = 1,
    /// Its network latency is above the limit.
    Slow = 2,
    /// Too much of its limit is in flight.
    Full = 3,
    /// Too few of its recent attempts succeeded.
    Failing = 4,
    /// Its load score is too far above the least.
    Loaded = 5,
}

impl Verdict {
    /// Words for a reason code.
    #[must_use]
    pub fn words(reason: u16) -> &'static str {
        match reason {
            1 => "by network latency, cost and load",
            2 => "network latency above its limit; by load alone",
            3 => "too much of its limit in flight; by load alone",
            4 => "too few recent successes; by load alone",
            5 => "far more loaded than the best; by load alone",
            _ => "unknown",
        }
    }
}

/// A candidate with its load score.
#[derive(Clone, Copy, Debug)]
pub struct Load<'a> {
    /// The candidate.
    pub candidate: &'a Candidate,
    /// Its load score; lower is better.
    pub score: f64,
    /// Whether it is in the set.
    pub verdict: Verdict,
}

impl Settings {
    /// The load score of a candidate.
    #[must_use]
    pub fn load(&self, candidate: &Candidate) -> f64 {
        let queue = f64::from(candidate.queued) * self.queue_factor;
        let latency = Micros(candidate.latency).as_secs_f64() * self.latency_factor;
        let errors = (1.0 - candidate.success) * self.error_factor;
        candidate.base_weight * (1.0 + queue + latency + errors)
    }

    pub(crate) fn loads<'a>(&self, candidates: &'a [Candidate]) -> Vec<Load<'a>> {
        let scores: Vec<f64> = candidates.iter().map(|candidate| self.load(candidate)).collect();
        let least = scores.iter().copied().fold(f64::INFINITY, f64::min);
        let load = |(candidate, score)| {
            let verdict = self.judge(candidate, score, least);
            Load { candidate, score, verdict }
        };
        candidates.iter().zip(scores).map(load).collect()
    }

    fn judge(&self, candidate: &Candidate, score: f64, least: f64) -> Verdict {
        let used = f64::from(candidate.in_flight) / f64::from(candidate.limit.max(1));
        if Micros(candidate.network_latency) > Micros::from_millis(self.network_ms) {
            Verdict::Slow
        } else if used > self.utilisation {
            Verdict::Full
        } else if candidate.success < self.success {
            Verdict::Failing
        } else if score > least * self.spread {
            Verdict::Loaded
        } else {
            Verdict::Passes
        }
    }

    /// The set in the order of its path scores.
    pub(crate) fn paths(&self, set: &[Load]) -> Vec<Choice> {
        let network = scaled(set, |load| load.candidate.network_latency as f64);
        let cost = scaled(set, |load| load.candidate.cost_per_1k as f64);
        let load = scaled(set, |load| load.score);
        let weights = self.network_weight + self.cost_weight + self.load_weight;
        let path = |at: usize, of: &Load| {
            let sum = self.network_weight * network[at]
                + self.cost_weight * cost[at]
                + self.load_weight * load[at];
            sum / weights + self.retry_penalty * of.candidate.retries
        };
        let scored = set.iter().enumerate().map(|(at, load)| (*load, path(at, load)));
        self.sorted(scored.collect())
    }

    /// Those outside the set, the least loaded first.
    pub(crate) fn least_loaded(&self, rest: Vec<Load>) -> Vec<Choice> {
        self.sorted(rest.into_iter().map(|load| (load, load.score)).collect())
    }

    fn sorted(&self, mut scored: Vec<(Load, f64)>) -> Vec<Choice> {
        scored.sort_by(|(_, one), (_, other)| one.total_cmp(other));
        let choice = |(load, score): (Load, f64)| Choice {
            candidate: load.candidate.id,
            score,
            reason: load.verdict as u16,
            patience: Micros::from_millis(self.patience_ms).0,
        };
        scored.into_iter().map(choice).collect()
    }
}

/// A quantity of each, scaled from 0 for the least to 1 for the most; all 0 when they are equal.
fn scaled(set: &[Load], quantity: impl Fn(&Load) -> f64) -> Vec<f64> {
    let values: Vec<f64> = set.iter().map(quantity).collect();
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let span = most - least;
    values.into_iter().map(|value| if span > 0.0 { (value - least) / span } else { 0.0 }).collect()
}
