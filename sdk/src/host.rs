//! What a policy may ask of its host: to say a line.
//!
//! In a component the line goes to the host. Natively it goes to a list of this thread, which
//! [`testing::said`](crate::testing::said) takes.
//!
//! ```
//! use weir_sdk::{host, testing};
//!
//! host::warn("the limit fell to its floor");
//! assert_eq!(testing::said(), ["warn: the limit fell to its floor"]);
//! ```

pub use crate::bindings::base::weir::policy::host::Level;

/// Says a line. The host cuts it at 1 KiB.
pub fn log(level: Level, message: &str) {
    #[cfg(target_arch = "wasm32")]
    crate::bindings::base::weir::policy::host::log(level, message);
    #[cfg(not(target_arch = "wasm32"))]
    crate::testing::hear(level, message);
}

/// Says what helps to follow the policy's work.
pub fn debug(message: &str) {
    log(Level::Debug, message);
}

/// Says what an operator may want to know.
pub fn info(message: &str) {
    log(Level::Info, message);
}

/// Says what an operator should look at.
pub fn warn(message: &str) {
    log(Level::Warn, message);
}

/// Says what went wrong.
pub fn error(message: &str) {
    log(Level::Error, message);
}
