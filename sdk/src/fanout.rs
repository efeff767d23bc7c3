//! How many children a task may start.
//!
//! ```
//! use weir_sdk::codes::refusal;
//! use weir_sdk::fanout::{Child, Fanout, Plan, Tree};
//! use weir_sdk::{About, Micros, Policy, native, testing};
//!
//! /// One child at a time, with half of what is left.
//! struct Single;
//!
//! impl Policy for Single {
//!     const ABOUT: About = weir_sdk::about!();
//!     type Settings = ();
//!
//!     fn start(_: (), _: Micros) -> Result<Self, String> {
//!         Ok(Self)
//!     }
//! }
//!
//! impl Fanout for Single {
//!     fn decide(&mut self, _: Micros, tree: &Tree, wanted: u32, _: &[Child]) -> Plan {
//!         if tree.width > 0 || wanted == 0 {
//!             return Plan::refuse(refusal::WIDTH);
//!         }
//!         let code = if wanted > 1 { refusal::WIDTH } else { refusal::NONE };
//!         Plan { start: 1, budget_each: tree.budget_left / 2, ..Plan::refuse(code) }
//!     }
//! }
//!
//! weir_sdk::export!(Single: fanout);
//!
//! let mut policy = native::fanout::<Single>("", 0).unwrap();
//! let plan = policy.decide(0, &testing::tree(), 3, &[]);
//! assert_eq!((plan.start, plan.budget_each), (1, 50_000));
//! ```

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
