//! A modelled provider: a hidden concurrency, latencies from a seed, refusals.

use std::collections::BTreeSet;

use weir_core::ids::AttemptId;
use weir_core::units::Micros;
use weir_core::{End, Outcome, Transport};

use crate::run::{response, success};

/// A response with this body.
pub(crate) fn told(mut end: End, body: &str) -> End {
    if let Outcome::Response(response) = &mut end.outcome {
        body.clone_into(&mut response.body);
    }
    end
}

pub(crate) struct Provider {
    /// More at once are refused.
    pub(crate) hidden: usize,
    /// Shortest and longest service.
    pub(crate) service: (Micros, Micros),
    /// Of a thousand attempts so many fail with 500, so many break off.
    pub(crate) faults: (u64, u64),
    /// The `retry-after` of a refusal, in seconds.
    pub(crate) hint: Option<&'static str>,
    /// The body of a refusal.
    pub(crate) words: &'static str,
    pub(crate) refused: usize,
    pub(crate) peak: usize,
    inside: BTreeSet<AttemptId>,
    seed: u64,
}

/// What comes of an attempt, and when.
pub(crate) struct Reply {
    pub(crate) accepted: Option<Micros>,
    pub(crate) ended: Micros,
    pub(crate) end: End,
}

impl Provider {
    pub(crate) fn new(hidden: usize, seed: u64) -> Self {
        Self {
            hidden,
            service: (Micros::from_millis(500), Micros::from_millis(3_500)),
            faults: (0, 0),
            hint: None,
            words: "",
            refused: 0,
            peak: 0,
            inside: BTreeSet::new(),
            seed,
        }
    }

    /// The next number of a small generator (Steele and others' `SplitMix64`).
    pub(crate) fn draw(&mut self) -> u64 {
        self.seed = self.seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.seed ^ (self.seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn take(&mut self, _now: Micros, attempt: AttemptId) -> Reply {
        let fate = self.draw() % 1_000;
        if self.inside.len() >= self.hidden {
            self.refused += 1;
            let hint = self.hint.map(|value| ("retry-after", value));
            let end = told(response(429, hint.as_slice()), self.words);
            return Reply { accepted: None, ended: Micros::from_millis(50), end };
        }
        self.inside.insert(attempt);
        self.peak = self.peak.max(self.inside.len());
        let (low, high) = self.service;
        let ended = low.plus(Micros(self.draw() % high.minus(low).0.max(1)));
        let accepted = Some(Micros(ended.0 / 10));
        if fate < self.faults.0 {
            return Reply { accepted: None, ended, end: response(500, &[]) };
        }
        if fate < self.faults.0 + self.faults.1 {
            let end = End { outcome: Outcome::Transport(Transport::Reset), ..response(0, &[]) };
            return Reply { accepted: None, ended, end };
        }
        let end = success(20 + self.draw() % 60);
        Reply { accepted, ended, end }
    }

    pub(crate) fn leave(&mut self, attempt: AttemptId) {
        self.inside.remove(&attempt);
    }
}
