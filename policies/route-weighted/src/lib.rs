//! Candidates by network latency, cost and load, within hard limits.
//!
//! The load score of a candidate is `base_weight × (1 + queued × 0.35 + latency_s × 0.02 + error_rate × 5)`;
//! lower is better. It chooses the set: a candidate whose load score is above `spread` times the least is
//! outside of it, and so is one that misses a hard limit on network latency, share of its limit in flight, or
//! success.
//!
//! Within the set the path score orders: network latency (0.4), cost per thousand tokens (0.3) and load score
//! (0.5), each scaled from 0 (least of the set) to 1 (most), summed by weight and divided by the sum of the
//! weights; plus twice the share of recent attempts that were retries. Network latency is connect and round
//! trip and never generation, so that a slow model is not taken for a slow road.
//!
//! While one of the set fits now, the others are left out. When none does, they follow, the least loaded
//! first. Equals are ordered by the call's random number, so that they share.

use weir_sdk::route::{Candidate, Choice, Request, Route};
use weir_sdk::{About, Draw, Micros, Policy};

mod score;
#[cfg(test)]
mod tests;

pub use score::{Load, Verdict};

weir_sdk::settings! {
    /// What can be set.
    pub struct Settings {
        /// Load: what each waiting request adds.
        queue_factor: f64 = 0.35, in 0.0..=1_000.0;
        /// Load: what each second of mean latency adds.
        latency_factor: f64 = 0.02, in 0.0..=1_000.0;
        /// Load: what a share of 1 in errors adds.
        error_factor: f64 = 5.0, in 0.0..=1_000.0;
        /// A load score above so many times the least is outside the set.
        spread: f64 = 3.0, in 1.0..=1_000_000.0;
        /// Path: weight of network latency.
        network_weight: f64 = 0.4, in 0.0..=1_000.0;
        /// Path: weight of cost per thousand tokens.
        cost_weight: f64 = 0.3, in 0.0..=1_000.0;
        /// Path: weight of the load score.
        load_weight: f64 = 0.5, in 0.0..=1_000.0;
        /// Path: what a share of 1 in retries adds.
        retry_penalty: f64 = 2.0, in 0.0..=1_000.0;
        /// Hard limit: milliseconds of network latency.
        network_ms: u64 = 800, in 1..=3_600_000;
        /// Hard limit: share of its limit that is in flight.
        utilisation: f64 = 0.85, in 0.0..=1.0;
        /// Hard limit: least share of recent attempts that succeeded.
        success: f64 = 0.95, in 0.0..=1.0;
        /// Milliseconds that the host waits for a candidate before it tries the next.
        patience_ms: u64 = 0, in 0..=3_600_000;
    }
}

/// The policy.
pub struct Weighted(Settings);

impl Policy for Weighted {
    const ABOUT: About = weir_sdk::about!();
    type Settings = Settings;

    fn start(settings: Settings, _now: Micros) -> Result<Self, String> {
        if settings.network_weight + settings.cost_weight + settings.load_weight <= 0.0 {
            return Err("settings `network_weight`, `cost_weight` and `load_weight` are all 0; \
                        one must count"
                .to_owned());
        }
        Ok(Self(settings))
    }
}

impl Route for Weighted {
    fn order(
        &mut self,
        _now: Micros,
        _request: &Request,
        candidates: &[Candidate],
        draw: Draw,
    ) -> Vec<Choice> {
        let mut loads = self.0.loads(candidates);
        let first = draw.below(loads.len() as u64) as usize;
        loads.rotate_left(first);
        // Stable: equals stay in the order of the draw. Those in the set come first.
        loads.sort_by(|one, other| {
            other.passes().cmp(&one.passes()).then(one.score.total_cmp(&other.score))
        });
        let fits = loads.iter().any(|load| load.passes() && load.candidate.fits);
        let wanted = loads.iter().filter(|load| !fits || load.passes());
        wanted.map(|load| self.0.choice(load)).collect()
    }

    fn explain(&self, reason: u16) -> String {
        Verdict::words(reason).to_owned()
    }
}

weir_sdk::export!(Weighted: route);
