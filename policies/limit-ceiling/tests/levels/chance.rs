//! Seeded chance.

use weir_sdk::{Draw, Micros};

/// SplitMix64 (Steele, Lea and Flood, 2014).
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// Evenly spread over 0 to 1.
    pub(crate) fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let a = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let b = (a ^ (a >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Draw(b ^ (b >> 31)).unit()
    }

    /// Lognormal with a mean, in seconds, and the sigma of its logarithm.
    pub(crate) fn lognormal(&mut self, mean: f64, sigma: f64) -> Micros {
        // Box and Muller, 1958.
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        let normal = radius * (std::f64::consts::TAU * self.unit()).cos();
        seconds((mean.ln() - sigma * sigma / 2.0 + sigma * normal).exp())
    }

    /// Exponential with a mean in seconds.
    pub(crate) fn exponential(&mut self, mean: f64) -> Micros {
        seconds(-mean * (1.0 - self.unit()).ln())
    }
}

fn seconds(span: f64) -> Micros {
    Micros((span * 1e6) as u64)
}
