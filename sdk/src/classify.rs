//! What a response means.

pub use crate::bindings::classify::exports::weir::policy::classify::{Classification, Response};
