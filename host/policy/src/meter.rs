//! How long calls take: the only place of this crate that reads a clock.

use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use weir_core::units::Micros;

use crate::engine::FUEL_PER_MILLI;

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
    /// From its start to its end.
    pub(crate) took: Duration,
    /// Of that, what the policy ran.
    pub(crate) used: Duration,
}

impl Cost {
    /// Of burnt fuel.
    pub(crate) const fn fuel(burnt: u64) -> Self {
        let took = Duration::from_nanos(burnt.saturating_mul(1_000_000) / FUEL_PER_MILLI);
        Self { took, used: took }
    }
}

/// Counts of one slot since the host started.
pub struct Meter {
    /// Calls made, failed ones included.
    pub calls: u64,
    /// Faults of all kinds.
    pub faults: u64,
    /// Nanoseconds of each call, to two digits; a call of more than a tenth of a second counts as that. Absent
    /// only if it could not be made.
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
    pub(crate) fn record(&mut self, took: Duration) {
        self.calls += 1;
        if let Some(nanos) = &mut self.nanos {
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
