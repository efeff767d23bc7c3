//! How long calls take: the only place of this crate that reads a clock.

use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use weir_core::units::Micros;

use crate::engine::FUEL_PER_MILLI;

/// Of so many calls of a live host one is timed, and stands for the others: reading the clock twice takes a
/// quarter of what a short call does.
pub(crate) const EACH: u32 = 8;

/// Draws the calls that are timed, the first among them. By lot, since what is asked comes in patterns. The
/// generator is Knuth's for MMIX.
#[derive(Default)]
pub(crate) struct Lot(u64);

impl Lot {
    pub(crate) fn draw(&mut self) -> bool {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = self.0.wrapping_add(1_442_695_040_888_963_407);
        self.0 < u64::MAX / u64::from(EACH)
    }
}

/// A running measurement.
pub(crate) struct Watch(Instant);

impl Watch {
    #[expect(
        clippy::disallowed_methods,
        reason = "what a call costs is measured here and nowhere else"
    )]
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    pub(crate) fn read(&self) -> Duration {
        self.0.elapsed()
    }
}

/// What a call cost.
#[derive(Clone, Copy)]
pub(crate) struct Cost {
    /// From its start to its end, when that was timed.
    pub(crate) took: Option<Duration>,
    /// What the policy ran in it, and in the calls for which it stands.
    pub(crate) used: Duration,
}

impl Cost {
    /// Of burnt fuel.
    pub(crate) const fn fuel(burnt: u64) -> Self {
        let used = Duration::from_nanos(burnt.saturating_mul(1_000_000) / FUEL_PER_MILLI);
        Self { took: Some(used), used }
    }
}

/// Counts of one slot since the host started.
pub struct Meter {
    /// Calls made, failed ones included.
    pub calls: u64,
    /// Faults of all kinds.
    pub faults: u64,
    /// Nanoseconds of calls, in a live host of one in eight, to two digits; more than a tenth of a second counts
    /// as that. Absent only if it could not be made.
    pub nanos: Option<Histogram<u64>>,
    second: u64,
    used: Duration,
}

/// The longest call told apart.
const LONGEST: u64 = 100_000_000;

impl Default for Meter {
    fn default() -> Self {
        let nanos = Histogram::new_with_bounds(1, LONGEST, 2).ok();
        Self { calls: 0, faults: 0, nanos, second: 0, used: Duration::ZERO }
    }
}

impl Meter {
    /// A call of the slot's interface was made.
    pub(crate) fn record(&mut self, took: Option<Duration>) {
        self.calls += 1;
        if let (Some(nanos), Some(took)) = (&mut self.nanos, took) {
            nanos.saturating_record(u64::try_from(took.as_nanos()).unwrap_or(LONGEST));
        }
    }

    /// Calls of any kind have used so much; answers what all of this second have.
    pub(crate) fn spend(&mut self, now: Micros, used: Duration) -> Duration {
        let second = now.0 / Micros::SECOND.0;
        if second != self.second {
            (self.second, self.used) = (second, Duration::ZERO);
        }
        self.used += used;
        self.used
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_call_in_eight_is_timed_whatever_the_pattern() {
        let mut lot = Lot::default();
        assert!(lot.draw(), "the first is");
        for pattern in 2..=9 {
            let drawn: Vec<bool> = (0..80_000 * pattern).map(|_| lot.draw()).collect();
            let timed = drawn.iter().step_by(pattern).filter(|timed| **timed).count();
            assert!((9_000..=11_000).contains(&timed), "{timed} of 80000, each {pattern}th call");
        }
    }
}
