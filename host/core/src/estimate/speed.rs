//! How fast a candidate answers.

use crate::units::{Micros, Tokens};

/// Before anything is known: half a second to the first token, then 50 tokens a second.
const FIRST: u64 = 500_000;
const PER_TOKEN: u64 = 20_000;

/// Decaying means in microseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Speed {
    first: u64,
    per_token: u64,
    /// The slowest of late: it falls toward the mean by a 32nd with each sample.
    peak: u64,
}

impl Default for Speed {
    fn default() -> Self {
        Self { first: FIRST, per_token: PER_TOKEN, peak: 2 * PER_TOKEN }
    }
}

impl Speed {
    /// How long so much output takes as a rule.
    pub(super) fn expected(&self, output: Tokens) -> Micros {
        Micros(self.first.saturating_add(self.per_token.saturating_mul(output.0)))
    }

    /// How long so much output takes at most, as far as is known.
    pub(super) fn bound(&self, output: Tokens) -> Micros {
        Micros((2 * self.first).saturating_add(self.peak.saturating_mul(output.0)))
    }

    /// An attempt took so long.
    pub(super) fn learn(&mut self, output: Tokens, first: Option<Micros>, latency: Micros) {
        let latency = latency.0.min(Micros::from_secs(86_400).0);
        if let Some(first) = first {
            self.first = toward(self.first, first.0.min(latency));
        }
        let writing = latency - first.map_or(self.first, |first| first.0).min(latency);
        let Some(per_token) = writing.checked_div(output.0) else { return };
        self.per_token = toward(self.per_token, per_token);
        let fallen = self.peak - self.peak.saturating_sub(self.per_token) / 32;
        self.peak = fallen.max(per_token).max(self.per_token);
    }
}

/// An eighth of the way.
fn toward(mean: u64, sample: u64) -> u64 {
    mean - mean / 8 + sample / 8
}
