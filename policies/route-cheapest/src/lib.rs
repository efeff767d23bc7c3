//! The cheapest candidate that is expected to meet the deadline; the fastest when none is.
//!
//! A candidate is expected to have answered after `wait + latency + caution × (peak − latency)`: its wait
//! until it can take the request, its mean latency, and a share of what its recent peak is above that. It
//! meets the deadline when that, plus `slack_ms`, is no later than the deadline. Those that meet it are
//! ordered by what the request costs there, divided by the share of recent attempts that succeeded, since a
//! failed attempt is made again; equals by the time of their answer. Those that do not meet it follow, the
//! fastest first, and so does one whose success is below `success`. The rule is that of cost-aware model
//! routing with a latency objective: least cost subject to a constraint, and least violation when the
//! constraint cannot be met.
//!
//! A cheap candidate that is full is worth a wait of at most `patience_ms`, when it is expected to have
//! room by then: patience that would be spent in vain is not given. Without measurements a candidate is
//! taken to need `unknown_ms`.

use weir_sdk::route::{Candidate, Choice, Request, Route};
use weir_sdk::{About, Draw, Micros, Policy};

#[cfg(test)]
mod tests;

weir_sdk::settings! {
    /// What can be set.
    pub struct Settings {
        /// The share of the way from mean to peak latency that is counted upon.
        caution: f64 = 0.5, in 0.0..=1.0;
        /// Milliseconds by which an answer is to come before the deadline.
        slack_ms: u64 = 0, in 0..=3_600_000;
        /// Milliseconds of latency that a candidate is taken to have before its first answer.
        unknown_ms: u64 = 1_000, in 1..=3_600_000;
        /// Least share of recent attempts that succeeded.
        success: f64 = 0.5, in 0.0..=1.0;
        /// Milliseconds that a full, cheaper candidate is waited for at most.
        patience_ms: u64 = 2_000, in 0..=3_600_000;
    }
}

/// Expected to meet the deadline; by cost.
pub const MEETS: u16 = 1;
/// Expected to miss the deadline; by speed.
pub const LATE: u16 = 2;
/// Too few of its recent attempts succeeded; by speed.
pub const FAILING: u16 = 3;

/// The policy. All that it knows of candidates comes with the question.
pub struct Cheapest(Settings);

impl Policy for Cheapest {
    const ABOUT: About = weir_sdk::about!();
    type Settings = Settings;

    fn start(settings: Settings, _now: Micros) -> Result<Self, String> {
        Ok(Self(settings))
    }
}

/// A candidate, judged.
struct Offer<'a> {
    candidate: &'a Candidate,
    reason: u16,
    /// Expected time to its answer.
    answer: Micros,
    /// Expected cost in billionths of a dollar.
    cost: f64,
}

impl Offer<'_> {
    /// What it is ordered by, within its kind.
    fn score(&self) -> f64 {
        if self.reason == MEETS { self.cost } else { self.answer.0 as f64 }
    }
}

impl Cheapest {
    /// How long until a candidate is expected to have answered.
    fn answer(&self, candidate: &Candidate) -> Micros {
        let (mean, peak) = (Micros(candidate.latency), Micros(candidate.peak_latency));
        let latency = match mean {
            Micros::ZERO => Micros::from_millis(self.0.unknown_ms),
            mean => mean + (peak - mean).scale(self.0.caution),
        };
        Micros(candidate.wait) + latency
    }

    fn offer<'a>(&self, candidate: &'a Candidate, left: Micros) -> Offer<'a> {
        let answer = self.answer(candidate);
        let reason = if candidate.success < self.0.success {
            FAILING
        } else if answer + Micros::from_millis(self.0.slack_ms) <= left {
            MEETS
        } else {
            LATE
        };
        let cost = candidate.cost as f64 / candidate.success.max(0.01);
        Offer { candidate, reason, answer, cost }
    }

    fn choice(&self, offer: &Offer) -> Choice {
        let most = Micros::from_millis(self.0.patience_ms);
        let worth = offer.reason == MEETS && Micros(offer.candidate.wait) <= most;
        Choice {
            candidate: offer.candidate.id,
            score: offer.score(),
            reason: offer.reason,
            patience: if worth { most.0 } else { 0 },
        }
    }
}

impl Route for Cheapest {
    fn order(
        &mut self,
        now: Micros,
        request: &Request,
        candidates: &[Candidate],
        _draw: Draw,
    ) -> Vec<Choice> {
        let left = request.deadline.map_or(Micros::MAX, |deadline| Micros(deadline) - now);
        let mut offers: Vec<Offer> =
            candidates.iter().map(|candidate| self.offer(candidate, left)).collect();
        offers.sort_by(|one, other| {
            let by_score = || one.score().total_cmp(&other.score());
            let by_speed = || one.answer.cmp(&other.answer);
            one.reason.cmp(&other.reason).then_with(by_score).then_with(by_speed)
        });
        offers.iter().map(|offer| self.choice(offer)).collect()
    }

    fn explain(&self, reason: u16) -> String {
        let words = match reason {
            MEETS => "expected to meet the deadline; by cost",
            LATE => "expected to miss the deadline; by speed",
            FAILING => "too few recent successes; by speed",
            _ => "unknown",
        };
        words.to_owned()
    }
}

weir_sdk::export!(Cheapest: route);
