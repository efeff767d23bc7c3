//! Which candidate serves a request.

pub use crate::bindings::route::exports::weir::policy::route::{
    Candidate, Choice, Outcome, Request,
};
use crate::draw::Draw;
use crate::policy::Policy;
use crate::units::Micros;

/// Answers `route`.
pub trait Route: Policy {
    /// The candidates in order of preference; one that is left out is not used.
    fn order(
        &mut self,
        now: Micros,
        request: &Request,
        candidates: &[Candidate],
        draw: Draw,
    ) -> Vec<Choice>;

    /// An attempt ended.
    fn ended(&mut self, _now: Micros, _outcome: &Outcome) {}

    /// Words for a reason code of a [`Choice`].
    fn explain(&self, reason: u16) -> String;
}
