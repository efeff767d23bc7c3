//! What the core tells its driver.

use serde::{Deserialize, Serialize};
use weir_sdk::types::Verdict;

use crate::event::Event;
use crate::ids::{AttemptId, CandidateId, ItemId};
use crate::units::{Micros, NanoDollars, Tokens};

/// One thing for the driver to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Output {
    /// Send the item to the candidate now. The driver owes an [`crate::Input::Ended`] for it.
    Admit(Admit),
    /// The item leaves the line unserved.
    Refuse {
        /// Which.
        item: ItemId,
        /// Why, with data.
        refusal: Refusal,
    },
    /// What follows from an attempt that ended.
    Ended {
        /// Which item.
        item: ItemId,
        /// Which attempt.
        attempt: AttemptId,
        /// A `kind` code: what its end meant.
        verdict: u16,
        /// What follows.
        next: Next,
        /// What was settled.
        settled: Settled,
    },
    /// End the attempt now: a hard budget is spent. The driver tells its end as [`crate::Outcome::Cut`].
    Cut {
        /// Which.
        attempt: AttemptId,
        /// Why.
        refusal: Refusal,
    },
    /// Something that a person would ask about.
    Event(Event),
}

/// An admission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Admit {
    /// Which item.
    pub item: ItemId,
    /// The attempt's name from now on.
    pub attempt: AttemptId,
    /// Where to.
    pub candidate: CandidateId,
    /// 1 for the first attempt.
    pub number: u16,
    /// From the first arrival to now, less the time spent in earlier attempts.
    pub waited: Micros,
    /// When the caller's deadline passes.
    pub deadline: Micros,
    /// Output tokens that are reserved; say [`crate::Input::Grow`] before going past them.
    pub output_reserved: Tokens,
}

/// What follows from an attempt that ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Next {
    /// Nothing: it succeeded, or nobody waits for it any more.
    Finished,
    /// The item is back in the line: wait for its next admission or refusal.
    Again {
        /// Not before this.
        not_before: Micros,
    },
    /// Pass the provider's answer on.
    GiveUp(GiveUp),
}

/// Why an item is not tried again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GiveUp {
    /// What the answer meant.
    pub verdict: Verdict,
    /// The words or code that decided.
    pub evidence: String,
    /// When a new request could pass, when that is known.
    pub retry_after: Option<Micros>,
    /// Which bound was met.
    pub why: Bound,
}

/// The bound that ended an item's tries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bound {
    /// It cannot pass by waiting.
    NotRetryable,
    /// The caller has had part of an answer.
    AlreadySent,
    /// The retry policy gave up.
    Policy,
    /// The retry budget is spent.
    Budget,
    /// Its deadline would pass.
    Deadline,
    /// It has been refused too often.
    Refusals,
}

/// What an attempt used in the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settled {
    /// Input tokens.
    pub input: Tokens,
    /// Of them read from the provider's cache.
    pub cached: Tokens,
    /// Output tokens.
    pub output: Tokens,
    /// Money.
    pub cost: NanoDollars,
    /// The numbers are the provider's own; otherwise the reservation was kept.
    pub exact: bool,
}

/// Why an item is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Refusal {
    /// The line is full. Room is expected after this long.
    Full {
        /// From now.
        retry_after: Micros,
    },
    /// A cell is closed or empty past the item's deadline.
    NotUntil {
        /// What is short.
        blocked: Blocked,
        /// From now.
        retry_after: Micros,
    },
    /// It can never fit.
    Never {
        /// What is too small.
        blocked: Blocked,
        /// What the item needs of it.
        needs: u64,
        /// What it holds at most.
        capacity: u64,
    },
    /// A budget is spent until it comes back.
    Budget {
        /// From now; absent when it never does.
        retry_after: Option<Micros>,
    },
    /// Its deadline passed while it waited.
    Expired,
    /// It was dropped under pressure.
    Shed {
        /// From now.
        retry_after: Micros,
    },
    /// Parents in flight hold every slot that it could ever have.
    Deadlock,
    /// Nothing serves its lane any more.
    NoCandidate,
}

/// What a waiting item lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Blocked {
    /// Slots.
    Slots,
    /// Requests of a window.
    Requests,
    /// Input tokens.
    Input,
    /// Output tokens.
    Output,
    /// Tokens of a joint window.
    Tokens,
    /// A budget.
    Budget,
    /// A cool-down.
    Closed,
    /// Time.
    Deadline,
}
