//! How much a request matters.

pub use crate::bindings::priority::exports::weir::policy::priority::{Arrival, Placement};
