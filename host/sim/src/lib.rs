//! Virtual time and modelled providers around the real core and the real policies.
//!
//! A [`Scenario`] says who serves, who sends and what decides; a run of one of its [`Plan`]s leaves a [`Record`].
//! The core is the one that a gateway runs, the policies are the components that it loads, metered by fuel, and
//! chance comes from a seed: the same plan and seed give the same bytes on every machine.

pub mod check;
pub mod measure;
pub mod record;
pub mod scenario;

pub use record::Record;
pub use scenario::{Plan, Scenario, ScenarioError};
