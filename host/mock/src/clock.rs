//! The one place of this crate that reads a clock.
//!
//! Everything else takes microseconds since the start as an argument. The reading goes through
//! tokio's clock, so that a test which pauses time moves latencies, windows and hints together.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::time::Instant;

/// Microseconds since the server started.
pub(crate) type Micros = u64;

/// One second, one minute in [`Micros`].
pub(crate) const SECOND: Micros = 1_000_000;
/// The span of every rate limit.
pub(crate) const MINUTE: Micros = 60 * SECOND;

/// A monotonic clock with the wall time at which it started.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock {
    start: Instant,
    wall_start: SystemTime,
}

impl Clock {
    #[expect(clippy::disallowed_methods, reason = "the start of the server's own clock")]
    pub(crate) fn start() -> Self {
        Self { start: Instant::now(), wall_start: SystemTime::now() }
    }

    pub(crate) fn now(&self) -> Micros {
        u64::try_from(self.start.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    /// The instant `at` microseconds after the start, for timers.
    pub(crate) fn instant(&self, at: Micros) -> Instant {
        self.start + Duration::from_micros(at)
    }

    /// Waits until a time; one that has passed costs nothing. Timers round up to a millisecond.
    pub(crate) async fn until(&self, at: Micros) {
        if at > self.now() {
            tokio::time::sleep_until(self.instant(at)).await;
        }
    }

    /// Wall time `at` microseconds after the start.
    pub(crate) fn wall(&self, at: Micros) -> SystemTime {
        self.wall_start + Duration::from_micros(at)
    }

    /// Wall time in whole seconds since the epoch.
    pub(crate) fn epoch_seconds(&self, at: Micros) -> u64 {
        self.wall(at).duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
    }
}

/// Milliseconds of a script as [`Micros`].
pub(crate) const fn millis(ms: u64) -> Micros {
    ms.saturating_mul(1000)
}
