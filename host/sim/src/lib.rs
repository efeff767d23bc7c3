//! Virtual time and modelled providers around the real core and the real policies.
//!
//! A [`Scenario`] says who serves, who sends and what decides; [`run`] of one of its [`Plan`]s leaves a [`Record`].
//! The core is the one that a gateway runs, the policies are the components that it loads, metered by fuel, and
//! chance comes from a seed: the same plan and seed give the same bytes on every machine.

mod chance;
pub mod check;
mod decide;
pub mod journal;
pub mod measure;
mod provider;
pub mod record;
pub mod report;
mod run;
pub mod scenario;
mod world;

pub use decide::{Deciders, PolicyError, Workshop, default_policy};
pub use journal::{Journal, JournalError};
pub use record::Record;
pub use run::{Progress, RunError, run};
pub use scenario::{Plan, Scenario, ScenarioError};
