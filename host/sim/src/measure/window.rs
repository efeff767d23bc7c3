//! A part of a run.

use weir_core::units::Micros;

/// From a time on, up to another that no longer belongs to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Window {
    pub(super) from: Micros,
    pub(super) until: Micros,
}

impl Window {
    pub(super) fn contains(self, at: Micros) -> bool {
        (self.from..self.until).contains(&at)
    }

    pub(super) fn seconds(self) -> f64 {
        (self.until - self.from).as_secs_f64()
    }
}
