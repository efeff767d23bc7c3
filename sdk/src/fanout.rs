//! How many children a task may start.

pub use crate::bindings::fanout::exports::weir::policy::fanout::{Child, Plan, Tree};
