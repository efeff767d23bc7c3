//! Whether a failed attempt is made again.

pub use crate::bindings::retry::exports::weir::policy::retry::{Decision, Failure, Untried};
use crate::codes::retry;
use crate::draw::Draw;
use crate::policy::Policy;
use crate::units::Micros;

/// Answers `retry`.
pub trait Retry: Policy {
    /// What to do after a failed attempt.
    fn decide(
        &mut self,
        now: Micros,
        failure: &Failure,
        untried: &[Untried],
        draw: Draw,
    ) -> Decision;
}

impl Decision {
    /// Tell the client that it failed, for a `reason` code.
    #[must_use]
    pub const fn give_up(reason: u16) -> Self {
        Self { action: retry::GIVE_UP, after: 0, reason }
    }

    /// Try the same candidates again, after a wait.
    #[must_use]
    pub const fn again(after: Micros, reason: u16) -> Self {
        Self { action: retry::AGAIN, after: after.0, reason }
    }

    /// Try an untried candidate, after a wait.
    #[must_use]
    pub const fn elsewhere(after: Micros, reason: u16) -> Self {
        Self { action: retry::ELSEWHERE, after: after.0, reason }
    }
}
