//! The better of two candidates drawn at random.
//!
//! The load of a candidate is `peak × (in flight + 1) × base_weight × (1 + failure_factor × failures)`,
//! where `peak` is the decaying peak of its latency and `failures` the share of recent attempts that
//! failed; lower is better. Of the candidates that fit now, two are drawn, and the one with less load is
//! first. The choice of two keeps the load of all nearly even and, unlike the choice of the least, does not
//! send everybody at once to the one that looks best at the moment (Mitzenmacher, "The power of two choices
//! in randomized load balancing", 2001). A peak that jumps up at once and comes down slowly lets a
//! candidate that has become slow be left quickly (Finagle's `p2c` balancer with `PeakEwma`; tower's
//! `balance::p2c`). Failures count on top, because an upstream that fails fast looks quick.
//!
//! A candidate that has answered nothing yet is taken to need `unknown_ms`. Those that were not drawn
//! follow by load, and after them those that do not fit now, by the time at which each is expected to have
//! answered.

use weir_sdk::route::{Candidate, Choice, Request, Route};
use weir_sdk::{About, Draw, Micros, Policy};

#[cfg(test)]
mod tests;

weir_sdk::settings! {
    /// What can be set.
    pub struct Settings {
        /// Milliseconds of latency that a candidate is taken to have before its first answer.
        unknown_ms: u64 = 1_000, in 1..=3_600_000;
        /// What a share of 1 in failures adds to the load, as a multiple of it.
        failure_factor: f64 = 10.0, in 0.0..=1_000.0;
    }
}

/// Drawn, and the less loaded of the two.
pub const WON: u16 = 1;
/// Drawn, and the more loaded of the two.
pub const LOST: u16 = 2;
/// Not drawn; by load.
pub const NOT_DRAWN: u16 = 3;
/// Does not fit now; by the time of its answer.
pub const FULL: u16 = 4;

/// The policy. All that it knows of candidates comes with the question.
pub struct TwoChoices(Settings);

impl Policy for TwoChoices {
    const ABOUT: About = weir_sdk::about!();
    type Settings = Settings;

    fn start(settings: Settings, _now: Micros) -> Result<Self, String> {
        Ok(Self(settings))
    }
}

impl TwoChoices {
    /// Latency in microseconds, at its decaying peak.
    fn peak(&self, candidate: &Candidate) -> f64 {
        match candidate.peak_latency {
            0 => Micros::from_millis(self.0.unknown_ms).0 as f64,
            known => known as f64,
        }
    }

    /// The load of a candidate: what the next request there is expected to wait for, in weighted
    /// microseconds.
    #[must_use]
    pub fn load(&self, candidate: &Candidate) -> f64 {
        let failures = 1.0 + self.0.failure_factor * (1.0 - candidate.success);
        let queue = f64::from(candidate.in_flight) + 1.0;
        self.peak(candidate) * queue * candidate.base_weight * failures
    }

    /// Those that fit: the two that were drawn, then the others by load.
    fn open(&self, candidates: &[Candidate], draw: Draw) -> Vec<Choice> {
        let fits = candidates.iter().filter(|candidate| candidate.fits);
        let mut open: Vec<Choice> =
            fits.map(|candidate| choice(candidate, self.load(candidate), NOT_DRAWN)).collect();
        if open.len() < 2 {
            open.iter_mut().for_each(|only| only.reason = WON);
            return open;
        }
        let (first, second) = two(draw, open.len());
        open.swap(0, first);
        // What stood at the front has moved to where the first was.
        open.swap(1, if second == 0 { first } else { second });
        if open[1].score < open[0].score {
            open.swap(0, 1);
        }
        (open[0].reason, open[1].reason) = (WON, LOST);
        open[2..].sort_by(|one, other| one.score.total_cmp(&other.score));
        open
    }

    /// Those that do not fit: by wait and latency.
    fn full(&self, candidates: &[Candidate]) -> Vec<Choice> {
        let full = candidates.iter().filter(|candidate| !candidate.fits);
        let mut full: Vec<Choice> = full
            .map(|candidate| choice(candidate, candidate.wait as f64 + self.peak(candidate), FULL))
            .collect();
        full.sort_by(|one, other| one.score.total_cmp(&other.score));
        full
    }
}

/// Two different places below `count`, which is 2 at least: the high half of the draw gives one, the low
/// half the other.
fn two(draw: Draw, count: usize) -> (usize, usize) {
    let first = draw.below(count as u64) as usize;
    let other = Draw(draw.0.rotate_left(32)).below(count as u64 - 1) as usize;
    (first, if other < first { other } else { other + 1 })
}

fn choice(candidate: &Candidate, score: f64, reason: u16) -> Choice {
    Choice { candidate: candidate.id, score, reason, patience: 0 }
}

impl Route for TwoChoices {
    fn order(
        &mut self,
        _now: Micros,
        _request: &Request,
        candidates: &[Candidate],
        draw: Draw,
    ) -> Vec<Choice> {
        let mut order = self.open(candidates, draw);
        order.extend(self.full(candidates));
        order
    }

    fn explain(&self, reason: u16) -> String {
        let words = match reason {
            WON => "the less loaded of two drawn at random",
            LOST => "the more loaded of two drawn at random",
            NOT_DRAWN => "not drawn; by load",
            FULL => "does not fit now; by when it should have answered",
            _ => "unknown",
        };
        words.to_owned()
    }
}

weir_sdk::export!(TwoChoices: route);
