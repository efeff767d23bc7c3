//! Which candidate serves a request.
//!
//! ```
//! use weir_sdk::route::{Candidate, Choice, Request, Route};
//! use weir_sdk::{About, Draw, Micros, Policy, native, testing};
//!
//! /// The cheapest first.
//! struct Cheapest;
//!
//! impl Policy for Cheapest {
//!     const ABOUT: About = weir_sdk::about!();
//!     type Settings = ();
//!
//!     fn start(_: (), _: Micros) -> Result<Self, String> {
//!         Ok(Self)
//!     }
//! }
//!
//! impl Route for Cheapest {
//!     fn order(&mut self, _: Micros, _: &Request, all: &[Candidate], _: Draw) -> Vec<Choice> {
//!         let mut all: Vec<_> = all.iter().map(|one| (one.cost, one.id)).collect();
//!         all.sort_unstable();
//!         let choice = |(cost, candidate)| Choice { candidate, score: cost as f64, reason: 1, patience: 0 };
//!         all.into_iter().map(choice).collect()
//!     }
//!
//!     fn explain(&self, _: u16) -> String {
//!         "by cost".to_owned()
//!     }
//! }
//!
//! weir_sdk::export!(Cheapest: route);
//!
//! let mut policy = native::route::<Cheapest>("", 0).unwrap();
//! let candidates = [Candidate { cost: 9, ..testing::candidate(1) }, testing::candidate(2)];
//! assert_eq!(policy.order(0, &testing::request(1), &candidates, 0)[0].candidate, 2);
//! ```

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
