//! The core in virtual time, against modelled providers.

mod chaos;
mod learning;
mod policies;
mod provider;
mod run;
mod step;
