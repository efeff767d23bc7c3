//! The long-term latency of one size class.

use serde::{Deserialize, Serialize};
use weir_sdk::Micros;

/// Samples of which the plain mean is taken before the exponential one begins.
const WARM_UP: u32 = 10;

/// What is left of a baseline that recent latency is far below.
const FADE: f64 = 0.95;

/// A mean, exponential once it is warm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Baseline {
    mean: f64,
    samples: u32,
}

impl Baseline {
    /// A sample by the mean before it; 1 for the first.
    pub(crate) fn ratio(&self, latency: Micros) -> f64 {
        if self.mean > 0.0 { latency.0 as f64 / self.mean } else { 1.0 }
    }

    /// Takes a sample in.
    pub(crate) fn add(&mut self, latency: Micros, memory: u32) {
        self.samples = self.samples.saturating_add(1);
        let weight = if self.samples <= WARM_UP {
            1.0 / f64::from(self.samples)
        } else {
            2.0 / (f64::from(memory) + 1.0)
        };
        self.mean += (latency.0 as f64 - self.mean) * weight;
    }

    /// Lets it down: recent latency is less than half of it.
    pub(crate) fn fade(&mut self) {
        self.mean *= FADE;
    }
}
