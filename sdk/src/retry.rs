//! Whether a failed attempt is made again.

pub use crate::bindings::retry::exports::weir::policy::retry::{Decision, Failure, Untried};
