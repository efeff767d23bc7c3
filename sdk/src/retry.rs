//! Whether a failed attempt is made again.
//!
//! ```
//! use weir_sdk::codes::{kind, reason, retry};
//! use weir_sdk::retry::{Decision, Failure, Retry, Untried};
//! use weir_sdk::{About, Draw, Micros, Policy, native, testing};
//!
//! /// Once more, somewhere within the next second.
//! struct Once;
//!
//! impl Policy for Once {
//!     const ABOUT: About = weir_sdk::about!();
//!     type Settings = ();
//!
//!     fn start(_: (), _: Micros) -> Result<Self, String> {
//!         Ok(Self)
//!     }
//! }
//!
//! impl Retry for Once {
//!     fn decide(&mut self, _: Micros, failure: &Failure, _: &[Untried], draw: Draw) -> Decision {
//!         if failure.attempts > 1 {
//!             return Decision::give_up(reason::ATTEMPTS_SPENT);
//!         }
//!         Decision::again(Micros(draw.below(1_000_000)), reason::BACKOFF)
//!     }
//! }
//!
//! weir_sdk::export!(Once: retry);
//!
//! let mut policy = native::retry::<Once>("", 0).unwrap();
//! let mut action = |attempts| policy.decide(0, &testing::failure(kind::TIMEOUT, attempts), &[], 7).action;
//! assert_eq!([action(1), action(2)], [retry::AGAIN, retry::GIVE_UP]);
//! ```

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
