//! The demo's one clock.

use std::time::{Duration, Instant};

/// Time since the demo started; copies read the same clock.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock(Instant);

impl Clock {
    #[expect(clippy::disallowed_methods, reason = "the start of the demo's own clock")]
    pub(super) fn start() -> Self {
        Self(Instant::now())
    }

    /// How long it has run.
    pub(super) fn now(&self) -> Duration {
        self.0.elapsed()
    }
}
