//! The one place that reads a clock.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use weir_core::units::Micros;

/// The host's time: microseconds since it started, and never backwards.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    origin: Instant,
}

impl Clock {
    /// A clock that starts at zero now.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is the clock that everybody else is given")]
    pub fn start() -> Self {
        Self { origin: Instant::now() }
    }

    /// Since the start.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is the clock that everybody else is given")]
    pub fn now(&self) -> Micros {
        let since = Instant::now().saturating_duration_since(self.origin);
        Micros(u64::try_from(since.as_micros()).unwrap_or(u64::MAX))
    }

    /// The runtime's name for a moment of this clock.
    #[must_use]
    pub(crate) fn moment(&self, at: Micros) -> tokio::time::Instant {
        (self.origin + Duration::from_micros(at.0.min(YEARS))).into()
    }

    /// The wall clock in milliseconds since 1970.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is the clock that everybody else is given")]
    pub fn wall_ms(&self) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }
}

/// Longer than any wait: a hundred years, which still fits every timer.
const YEARS: u64 = 100 * 365 * 24 * 3_600 * 1_000_000;

/// A span of the configuration in the core's unit.
pub(crate) fn micros(span: Duration) -> Micros {
    Micros(u64::try_from(span.as_micros()).unwrap_or(u64::MAX))
}
