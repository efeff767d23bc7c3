//! How many at once.
//!
//! ```
//! use weir_sdk::limit::{Answer, Cell, Ending, Attempt, Limit, Opening};
//! use weir_sdk::{About, Micros, Policy, codes::kind, native};
//!
//! /// Halves at each refusal and never climbs again.
//! struct Halving;
//!
//! impl Policy for Halving {
//!     const ABOUT: About = weir_sdk::about!();
//!     type Settings = ();
//!
//!     fn start(_: (), _: Micros) -> Result<Self, String> {
//!         Ok(Self)
//!     }
//! }
//!
//! impl Limit for Halving {
//!     type State = u32;
//!
//!     fn open(&mut self, _: Micros, _: &Cell, opening: &Opening) -> u32 {
//!         opening.start
//!     }
//!
//!     fn answer(&self, limit: &u32) -> Answer {
//!         Answer { limit: *limit, ..Answer::default() }
//!     }
//!
//!     fn ended(&mut self, limit: &mut u32, _: Micros, _: &Cell, _: &Attempt, end: &Ending) -> Answer {
//!         if kind::teaches_slots(end.verdict.kind) {
//!             *limit = (*limit / 2).max(1);
//!         }
//!         self.answer(limit)
//!     }
//! }
//!
//! let mut bench = weir_sdk::testing::LimitBench::open::<Halving>("", 8, 0);
//! assert_eq!(bench.throttle(kind::CONCURRENCY).limit, 4);
//! ```

use serde::Serialize;
use serde::de::DeserializeOwned;

pub use crate::bindings::limit::exports::weir::policy::limit::{
    Answer, Attempt, Cell, Ending, Opening,
};
use crate::policy::Policy;
use crate::units::Micros;

mod cells;

pub use cells::Cells;

/// Answers `limit`, with a state for each cell.
pub trait Limit: Policy {
    /// What is kept for one cell. It is saved and restored without asking.
    type State: Serialize + DeserializeOwned + Send + 'static;

    /// The state of a cell that is new to this policy.
    fn open(&mut self, now: Micros, cell: &Cell, opening: &Opening) -> Self::State;

    /// The answer as the state stands.
    fn answer(&self, state: &Self::State) -> Answer;

    /// An attempt ended.
    fn ended(
        &mut self,
        state: &mut Self::State,
        now: Micros,
        cell: &Cell,
        attempt: &Attempt,
        ending: &Ending,
    ) -> Answer;

    /// The provider took an attempt up: the slot was granted.
    fn accepted(
        &mut self,
        state: &mut Self::State,
        _now: Micros,
        _cell: &Cell,
        _attempt: &Attempt,
    ) -> Answer {
        self.answer(state)
    }

    /// The time came that an answer had asked for.
    fn wake(&mut self, state: &mut Self::State, _now: Micros, _cell: &Cell) -> Answer {
        self.answer(state)
    }

    /// Fits a saved state to today's settings and opening, of which `fresh` is what [`open`](Limit::open)
    /// made.
    fn adopt(&mut self, saved: Self::State, _fresh: Self::State) -> Self::State {
        saved
    }
}

impl Default for Answer {
    /// A limit of 1 and nothing else said.
    fn default() -> Self {
        Self {
            limit: 1,
            caps: (0, 0, 0, 0),
            request_rate: None,
            token_rate: None,
            closed_until: 0,
            reopen_with: 0,
            wake: 0,
            reason: crate::codes::reason::NONE,
            mark: 0,
        }
    }
}
