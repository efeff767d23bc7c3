//! Which candidate serves a request.

pub use crate::bindings::route::exports::weir::policy::route::{
    Candidate, Choice, Outcome, Request,
};
