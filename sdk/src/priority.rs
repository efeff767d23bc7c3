//! How much a request matters.
//!
//! ```
//! use weir_sdk::priority::{Arrival, Placement, Priority};
//! use weir_sdk::{About, Micros, Policy, native, testing};
//!
//! /// Short requests before long ones.
//! struct Shortest;
//!
//! impl Policy for Shortest {
//!     const ABOUT: About = weir_sdk::about!();
//!     type Settings = ();
//!
//!     fn start(_: (), _: Micros) -> Result<Self, String> {
//!         Ok(Self)
//!     }
//! }
//!
//! impl Priority for Shortest {
//!     fn place(&mut self, _: Micros, arrival: &Arrival) -> Placement {
//!         let rank = i32::try_from(arrival.expected / 1_000).unwrap_or(i32::MAX);
//!         Placement { rank, ..Placement::default() }
//!     }
//! }
//!
//! weir_sdk::export!(Shortest: priority);
//!
//! let mut policy = native::priority::<Shortest>("", 0).unwrap();
//! let long = Arrival { expected: 90_000_000, ..testing::arrival(1) };
//! assert!(policy.place(0, &testing::arrival(2)).rank < policy.place(0, &long).rank);
//! ```

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
