//! A cell of slots: how many at once.

use crate::ids::CellId;

/// A change of the effective limit, for `concurrency-changed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// Whose.
    pub cell: CellId,
    /// What the policy answered.
    pub limit: u32,
    /// What holds now.
    pub effective: u32,
    /// What held before.
    pub before: u32,
    /// The policy's reason code; 0 when the host's own ramp or the provider's word moved it.
    pub reason: u16,
}

/// A limit policy's answer that makes no sense.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Nonsense {
    /// The cell is not an account's cell of slots.
    #[error("cell {0} is no cell of slots that a policy governs")]
    NoSuchCell(CellId),
    /// A limit or cap is absurd.
    #[error("{what} is {value}; at most {most} makes sense")]
    TooMany {
        /// Which number.
        what: &'static str,
        /// What it was.
        value: u64,
        /// The most allowed.
        most: u64,
    },
    /// A rate is no number, not positive, or absurd.
    #[error("{what} is {value}; a rate is above 0 and at most {most} a second")]
    Rate {
        /// Which.
        what: &'static str,
        /// What it was.
        value: f64,
        /// The most allowed.
        most: f64,
    },
    /// A time lies too far ahead.
    #[error("{what} is {ahead} microseconds ahead; at most {most} makes sense")]
    TooFar {
        /// Which.
        what: &'static str,
        /// How far.
        ahead: u64,
        /// The most allowed.
        most: u64,
    },
}

/// How many attempts may be in flight at an account.
#[derive(Debug)]
pub struct SlotCell {}
/// A fixed cap of slots.
#[derive(Debug)]
pub struct Cap {}
