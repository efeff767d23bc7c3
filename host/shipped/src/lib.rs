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

/// The policy that answers an interface where nobody says otherwise.
const DEFAULTS: [(&str, &str); 7] = [
    ("priority", "priority-classes"),
    ("schedule", "schedule-drr"),
    ("limit", "limit-ceiling"),
    ("classify", "classify-standard"),
    ("retry", "retry-budgeted"),
    ("route", "route-weighted"),
    ("fanout", "fanout-budget"),
];

/// The name of the policy that answers an interface where nobody says otherwise.
///
/// ```
/// assert_eq!(weir_shipped::default_of("limit"), Some("limit-ceiling"));
/// assert_eq!(weir_shipped::default_of("limits"), None);
/// ```
#[must_use]
pub fn default_of(slot: &str) -> Option<&'static str> {
    DEFAULTS.iter().find(|(named, _)| *named == slot).map(|(_, policy)| *policy)
}

/// The policy of that name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Shipped> {
    ALL.iter().find(|shipped| shipped.name == name)
}
