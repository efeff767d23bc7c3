//! The sources that a project of a policy is made from, as they were when the policies were compiled: the SDK
//! with the contract, the workspace's manifest and lock file, and the toolchain.
//!
//! ```
//! use weir_shipped::sources;
//!
//! assert!(sources::find("sdk/src/lib.rs").unwrap().contains("pub mod limit;"));
//! assert!(sources::ALL.iter().any(|(path, _)| *path == "sdk/wit/limit.wit"));
//! ```

include!(concat!(env!("OUT_DIR"), "/sources.rs"));

/// The text of the file with that path in the workspace.
#[must_use]
pub fn find(path: &str) -> Option<&'static str> {
    ALL.iter().find(|(known, _)| *known == path).map(|(_, text)| *text)
}
