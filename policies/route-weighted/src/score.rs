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
    pub load: f64,
    /// What it is ordered by: the path score in the set, the load score outside of it.
    pub score: f64,
    /// Whether it is in the set.
    pub verdict: Verdict,
}

impl Load<'_> {
    pub(crate) fn passes(&self) -> bool {
        self.verdict == Verdict::Passes
    }
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

    /// All candidates, each judged and scored.
    pub(crate) fn loads<'a>(&self, candidates: &'a [Candidate]) -> Vec<Load<'a>> {
        let load = |candidate| {
            let load = self.load(candidate);
            Load { candidate, load, score: load, verdict: Verdict::Passes }
        };
        let mut loads: Vec<Load> = candidates.iter().map(load).collect();
        let least = loads.iter().fold(f64::INFINITY, |least, load| least.min(load.load));
        for load in &mut loads {
            load.verdict = self.judge(load.candidate, load.load, least);
        }
        self.path(&mut loads);
        loads
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

    /// Gives those in the set their path scores.
    fn path(&self, loads: &mut [Load]) {
        let network = Span::of(loads, network);
        let cost = Span::of(loads, cost);
        let load = Span::of(loads, |of| of.load);
        let weights = self.network_weight + self.cost_weight + self.load_weight;
        for of in loads.iter_mut().filter(|of| of.passes()) {
            let sum = self.network_weight * network.scale(self::network(of))
                + self.cost_weight * cost.scale(self::cost(of))
                + self.load_weight * load.scale(of.load);
            of.score = sum / weights + self.retry_penalty * of.candidate.retries;
        }
    }

    /// The answer for a candidate.
    pub(crate) fn choice(&self, of: &Load) -> Choice {
        Choice {
            candidate: of.candidate.id,
            score: of.score,
            reason: of.verdict as u16,
            patience: Micros::from_millis(self.patience_ms).0,
        }
    }
}

fn network(of: &Load) -> f64 {
    of.candidate.network_latency as f64
}

fn cost(of: &Load) -> f64 {
    of.candidate.cost_per_1k as f64
}

/// The least and the most of a quantity in the set.
struct Span {
    least: f64,
    most: f64,
}

impl Span {
    fn of(loads: &[Load], quantity: impl Fn(&Load) -> f64) -> Self {
        let none = Self { least: f64::INFINITY, most: f64::NEG_INFINITY };
        loads.iter().filter(|of| of.passes()).map(quantity).fold(none, |span, value| Self {
            least: span.least.min(value),
            most: span.most.max(value),
        })
    }

    /// From 0 for the least to 1 for the most; 0 when they are equal.
    fn scale(&self, value: f64) -> f64 {
        let span = self.most - self.least;
        if span > 0.0 { (value - self.least) / span } else { 0.0 }
    }
}
