//! What a policy may ask of its host: to say a line.

pub use crate::bindings::base::weir::policy::host::Level;
