//! Chance from a seed, the same on every machine.
//!
//! The generator is PCG (O'Neill 2014, XSL RR 128/64). Logarithms, roots and sines come from `libm`, because those
//! of the platform differ in their last digit from one to the other.

use rand_pcg::Pcg64;
use rand_pcg::rand_core::RngCore;
use weir_core::units::Micros;

use crate::scenario::Dist;

/// No length, cost or span in whole units is greater, so that sums of many stay sound.
const MOST: f64 = 1e12;

/// A stream of chance.
#[derive(Clone, Debug)]
pub(crate) struct Chance(Pcg64);

/// Whose stream it is. Each thing has one of its own, so that a change of one leaves the others alone.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stream {
    /// When a demand's requests come.
    Arrivals(usize),
    /// What they are like.
    Bodies(usize),
    /// What an upstream's faults strike.
    Faults(usize),
}

impl Chance {
    pub(crate) fn new(seed: u64, stream: Stream) -> Self {
        let (kind, place) = match stream {
            Stream::Arrivals(place) => (1, place),
            Stream::Bodies(place) => (2, place),
            Stream::Faults(place) => (3, place),
        };
        let number = (place as u128) * 4 + kind;
        let mut chance = Self(Pcg64::new(u128::from(seed), number));
        // The first outputs of neighbouring seeds are alike.
        for _ in 0..4 {
            chance.0.next_u64();
        }
        chance
    }

    /// Even in [0, 1), with 53 bits.
    pub(crate) fn even(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Normal with mean 0 and deviation 1 (Box and Muller 1958).
    pub(crate) fn normal(&mut self) -> f64 {
        let (radius, angle) = (1.0 - self.even(), self.even());
        libm::sqrt(-2.0 * libm::log(radius)) * libm::cos(2.0 * std::f64::consts::PI * angle)
    }

    /// Exponential with mean 1.
    pub(crate) fn wait(&mut self) -> f64 {
        -libm::log(1.0 - self.even())
    }

    /// Between two numbers, both included.
    pub(crate) fn between(&mut self, least: u32, most: u32) -> u32 {
        let span = u64::from(most.saturating_sub(least)) + 1;
        least.saturating_add((self.even() * span as f64) as u32)
    }

    /// Draws one.
    pub(crate) fn draw(&mut self, dist: Dist) -> f64 {
        let normal = self.normal();
        dist.at(normal).min(MOST)
    }
}

impl Dist {
    /// The value that lies so many deviations from the middle.
    pub(crate) fn at(self, normal: f64) -> f64 {
        if self.sigma == 0.0 {
            return self.mean;
        }
        self.mean * libm::exp(self.sigma * normal - self.sigma * self.sigma / 2.0)
    }

    /// As a span of time: a microsecond at least.
    pub(crate) fn span(self, normal: f64) -> Micros {
        Micros(self.at(normal) as u64).max(Micros(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lognormal_has_its_mean_and_spread() {
        let mut chance = Chance::new(7, Stream::Bodies(0));
        let dist = Dist { mean: 2.0, sigma: 0.8 };
        let draws: Vec<f64> = (0..200_000).map(|_| chance.draw(dist)).collect();
        let mean = draws.iter().sum::<f64>() / draws.len() as f64;
        assert!((mean - 2.0).abs() < 0.02, "{mean}");
        let below = draws.iter().filter(|draw| **draw < 2.0 * libm::exp(-0.32)).count();
        assert!(
            (below as f64 / draws.len() as f64 - 0.5).abs() < 0.01,
            "the median is e^(-sigma^2/2)"
        );
    }

    #[test]
    fn streams_and_seeds_differ() {
        let first = |seed, stream| Chance::new(seed, stream).even().to_bits();
        let base = first(1, Stream::Arrivals(0));
        assert_eq!(base, first(1, Stream::Arrivals(0)));
        assert_ne!(base, first(2, Stream::Arrivals(0)));
        assert_ne!(base, first(1, Stream::Bodies(0)));
        assert_ne!(base, first(1, Stream::Arrivals(1)));
    }

    #[test]
    fn numbers_between_two_are_even() {
        let mut chance = Chance::new(3, Stream::Bodies(1));
        let mut seen = [0_u32; 3];
        for _ in 0..30_000 {
            seen[chance.between(2, 4) as usize - 2] += 1;
        }
        assert!(seen.iter().all(|count| (9_500..10_500).contains(count)), "{seen:?}");
    }
}
