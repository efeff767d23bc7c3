//! The core in virtual time, against modelled providers.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

mod chaos;
mod holding;
mod learning;
mod policies;
mod provider;
mod run;
mod step;
