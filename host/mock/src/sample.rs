//! Chance, the same on every machine.
//!
//! Each request draws from its own generator, made of the provider's seed and the request's number, so
//! that what one request draws does not depend on how many draws another one took. Mathematics goes
//! through `libm`, whose results do not differ between machines.

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{RngCore, SeedableRng};

/// An odd constant that spreads consecutive numbers over the seed space (Weyl sequence).
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The random source of one request.
#[derive(Debug)]
pub(crate) struct Dice(Pcg64Mcg);

impl Dice {
    pub(crate) fn new(seed: u64, number: u64) -> Self {
        Self(Pcg64Mcg::seed_from_u64(seed.wrapping_add(number.wrapping_mul(GOLDEN))))
    }

    pub(crate) fn number(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform in [0, 1), 53 bits.
    #[expect(clippy::cast_precision_loss, reason = "53 bits are exact")]
    pub(crate) fn uniform(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Log-normal with the given arithmetic mean; sigma is that of the logarithm, and 0 is a constant.
    pub(crate) fn log_normal(&mut self, mean: f64, sigma: f64) -> f64 {
        let normal = self.normal();
        if sigma == 0.0 || mean <= 0.0 {
            return mean.max(0.0);
        }
        libm::exp(libm::log(mean) - sigma * sigma / 2.0 + sigma * normal)
    }

    /// Box and Muller's transform of two uniform draws.
    fn normal(&mut self) -> f64 {
        let radius = libm::sqrt(-2.0 * libm::log(1.0 - self.uniform()));
        radius * libm::cos(std::f64::consts::TAU * self.uniform())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draws(seed: u64, sigma: f64) -> Vec<f64> {
        (0..20_000).map(|number| Dice::new(seed, number).log_normal(400.0, sigma)).collect()
    }

    #[test]
    fn the_same_seed_and_number_draw_the_same() {
        assert_eq!(draws(7, 0.5), draws(7, 0.5));
        assert_ne!(draws(7, 0.5), draws(8, 0.5));
    }

    #[test]
    fn first_draws_of_consecutive_requests_have_the_mean_asked_for() {
        let draws = draws(1, 0.8);
        let mean = draws.iter().sum::<f64>() / 20_000.0;
        assert!((mean - 400.0).abs() < 12.0, "mean {mean}");
    }

    #[test]
    fn consecutive_requests_are_not_correlated() {
        let draws: Vec<f64> = (0..20_000).map(|number| Dice::new(3, number).uniform()).collect();
        let pairs = draws.windows(2).map(|pair| (pair[0] - 0.5) * (pair[1] - 0.5));
        let correlation = pairs.sum::<f64>() / 20_000.0 * 12.0;
        assert!(correlation.abs() < 0.03, "correlation {correlation}");
    }

    #[test]
    fn no_sigma_is_a_constant() {
        assert!(draws(1, 0.0).iter().all(|draw| *draw == 400.0));
    }
}
