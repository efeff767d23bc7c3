//! The core in virtual time, against modelled providers.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

mod budgets;
mod chaos;
mod configure;
mod feeding;
mod holding;
mod learning;
mod policies;
mod provider;
mod run;
mod shipped;
mod step;
mod turns;
