//! What a policy author depends on.
#![allow(missing_docs, reason = "temporary while bindings settle")]
pub mod bindings;
