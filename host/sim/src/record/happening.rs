//! What a person would ask about, as rows.

use serde::Serialize;
use weir_core::units::Micros;
use weir_core::{Fault, Slot};

/// Something that a person would ask about.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Happening {
    /// When.
    pub at: Micros,
    /// At which host.
    pub instance: u16,
    /// What.
    pub what: What,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "what", rename_all = "kebab-case")]
pub enum What {
    /// An effective limit changed.
    Limit {
        /// Whose.
        upstream: u16,
        /// What the policy answered.
        limit: u32,
        /// What holds.
        effective: u32,
        /// Why, in a word.
        reason: String,
    },
    /// A cell admits nothing for a while.
    Cooldown {
        /// Whose.
        upstream: u16,
        /// Which part of it: empty for the account, else the model.
        model: String,
        /// Which dimension of it.
        dimension: String,
        /// Until when.
        until: Micros,
        /// The kind of the verdict.
        kind: String,
    },
    /// A request went to another upstream than its last attempt.
    Rerouted {
        /// Which request.
        request: u32,
        /// The last.
        from: u16,
        /// The next.
        to: u16,
    },
    /// A request goes back to the line.
    Retried {
        /// Which.
        request: u32,
        /// From where.
        upstream: u16,
        /// The kind of the verdict.
        kind: String,
        /// It was refused before work began.
        flow_control: bool,
        /// Not before this.
        until: Micros,
    },
    /// The fan-out policy was asked.
    Fanout {
        /// The parent.
        request: u32,
        /// Children wanted.
        wanted: u32,
        /// Children that may start.
        start: u32,
        /// Children that are to end.
        cancel: u32,
    },
    /// A policy gave no answer; the fallback did.
    PolicyFault {
        /// Of which slot.
        slot: Slot,
        /// Which policy.
        name: String,
        /// What kind.
        fault: Fault,
        /// What it said.
        words: String,
    },
    /// A policy failed too often.
    PolicyQuarantined {
        /// Of which slot.
        slot: Slot,
        /// Which policy.
        name: String,
        /// Its last words.
        words: String,
    },
    /// A policy took over.
    PolicySwapped {
        /// Of which slot.
        slot: Slot,
        /// Which policy.
        name: String,
        /// It took over what the one before had learned.
        restored: bool,
    },
    /// A policy was not taken.
    PolicyRejected {
        /// Of which slot.
        slot: Option<Slot>,
        /// Why.
        words: String,
    },
    /// A tenant's budget: nearly spent, or spent.
    Budget {
        /// Whose.
        tenant: u16,
        /// Spent.
        hard: bool,
    },
    /// A host got other leases.
    Lease {
        /// Of which upstream.
        upstream: u16,
        /// Slots it may use.
        slots: u32,
        /// Until then.
        until: Micros,
    },
    /// A host died.
    Killed,
}
