//! Birth, memory and names.

pub use crate::bindings::base::exports::weir::policy::lifecycle::{Description, Named, Origin};
