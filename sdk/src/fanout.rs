//! How many children a task may start.

pub use crate::bindings::fanout::exports::weir::policy::fanout::{Child, Plan, Tree};
use crate::policy::Policy;
use crate::units::Micros;

/// Answers `fanout`.
pub trait Fanout: Policy {
    /// How many of the wanted children to start now, and which to cancel.
    fn decide(&mut self, now: Micros, tree: &Tree, wanted: u32, children: &[Child]) -> Plan;
}

impl Plan {
    /// Starts nothing, for a `refusal` code.
    #[must_use]
    pub const fn refuse(refusal: u16) -> Self {
        Self { start: 0, budget_each: 0, cancel: Vec::new(), ask_again: 0, refusal }
    }
}
