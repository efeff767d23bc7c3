//! What a core says of itself when a run ends.

use serde::Serialize;

/// A host's own books. The rows of its attempts must come to the same.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Book {
    /// Which host.
    pub instance: u16,
    /// Attempts that its core admitted.
    pub admitted: u64,
    /// Attempts that it has not settled.
    pub in_flight: u64,
    /// Requests that wait in its line.
    pub waiting: u64,
    /// By upstream.
    pub slots: Vec<Slots>,
    /// By tenant; absent: it has no quota of tokens, or one that came back during the run.
    pub quotas: Vec<Option<Quota>>,
}

/// Slots of an upstream that are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Slots {
    /// As the core has it.
    pub taken: u32,
    /// Attempts in flight that are not parked.
    pub used: u32,
}

/// A tenant's budget of tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Quota {
    /// The whole.
    pub tokens: u64,
    /// What the core has not settled against it.
    pub unspent: u64,
}
