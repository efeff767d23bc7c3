//! The policies weir ships, compiled to WebAssembly and embedded.
//!
//! The build script compiles them from `policies/`. The same sources give the same bytes in every folder, so
//! a digest names a policy.
//!
//! ```
//! let policy = weir_shipped::find("limit-aimd").unwrap();
//! assert_eq!(policy.slot, "limit");
//! assert!(policy.wasm.starts_with(b"\0asm"));
//! ```
//!
//! Beside them it holds the [`sources`] that a project of a policy is made from.

include!(concat!(env!("OUT_DIR"), "/shipped.rs"));

pub mod sources;

/// A policy that weir ships.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shipped {
    /// Its name, which is the name of its crate.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
    /// The interface that it answers.
    pub slot: &'static str,
    /// The component.
    pub wasm: &'static [u8],
}

/// The policy of that name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Shipped> {
    ALL.iter().find(|shipped| shipped.name == name)
}
