//! How much a request matters.

pub use crate::bindings::priority::exports::weir::policy::priority::{Arrival, Placement};
use crate::policy::Policy;
use crate::units::Micros;

/// Answers `priority`.
pub trait Priority: Policy {
    /// Where a request goes in the line.
    fn place(&mut self, now: Micros, arrival: &Arrival) -> Placement;
}

impl Default for Placement {
    /// Class 1, an equal share, no aging, and not to be shed.
    fn default() -> Self {
        Self { class: 1, rank: 0, weight: 1, aging_step: 0, longest_wait: 0, may_shed: false }
    }
}
