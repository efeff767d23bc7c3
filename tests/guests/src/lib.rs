//! Policies that misbehave, compiled to WebAssembly, for tests of what the host makes of them.

/// A policy of every kind that misbehaves as its settings say; see its crate.
pub const HOSTILE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/guest_hostile.wasm"));
/// The same under another name.
pub const TWIN: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/guest_twin.wasm"));
/// A policy that imports a way to sleep.
pub const SLEEPER: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/guest_sleeper.wasm"));
/// A policy that imports files and the network.
pub const CALLER: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/guest_caller.wasm"));
