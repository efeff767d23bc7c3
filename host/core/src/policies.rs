//! How the core asks its policies.
//!
//! The core calls this trait synchronously, from inside a step. Three implementations exist: components
//! in WebAssembly (weir-policy), answers recorded in a trace ([`crate::trace::Replay`]), and the
//! [`crate::fallback::Fallback`] that the core always keeps. A method answers `Err` when the policy faulted
//! or none is ready; the core then asks its fallback, so a fault never costs a request anything.
//!
//! Schedule and limit policies hold state that mirrors the host's. A new instance of them is *stale*: it
//! answers nothing, is told the truth in slices ([`Policies::feed`]) and takes over once it is level
//! ([`Policies::level`]).

use serde::{Deserialize, Serialize};
use weir_sdk::{classify, fanout, limit, priority, retry, route, schedule};

use crate::ids::{CellId, GroupId};
use crate::units::Micros;

/// The decisions that a policy can take over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Slot {
    /// How much a request matters.
    Priority,
    /// Who goes next.
    Schedule,
    /// How many at once.
    Limit,
    /// What a response means.
    Classify,
    /// Whether to try again.
    Retry,
    /// Which candidate.
    Route,
    /// How many children.
    Fanout,
}

impl Slot {
    /// All of them, in the order of a request's way.
    pub const ALL: [Self; 7] = [
        Self::Priority,
        Self::Schedule,
        Self::Limit,
        Self::Classify,
        Self::Retry,
        Self::Route,
        Self::Fanout,
    ];

    /// The word used in configuration, events and metrics.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Priority => "priority",
            Self::Schedule => "schedule",
            Self::Limit => "limit",
            Self::Classify => "classify",
            Self::Retry => "retry",
            Self::Route => "route",
            Self::Fanout => "fanout",
        }
    }
}

impl std::fmt::Display for Slot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// Why a policy gave no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// No instance is ready: it is being fed, or the slot is empty.
    Stale,
    /// It has used up what it may use in this second.
    OverAllowance,
    /// It ran past the time of one call.
    Deadline,
    /// It wanted more memory than it may have.
    Memory,
    /// It trapped: a panic, a stack overflow, a bad instruction.
    Trap,
    /// It gave an answer that makes no sense.
    Nonsense,
}

/// What a standby instance is told before it takes over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Feed {
    /// To a limit policy: a cell, and the limit that it inherits.
    Cell(Box<limit::Cell>, limit::Opening),
    /// To a schedule policy: flows and waiting items of a group.
    Group(GroupId, Vec<schedule::Event>),
}

/// The answers of one step come from here. See the module's text.
pub trait Policies {
    /// Asks how much an arrived request matters.
    fn place(
        &mut self,
        now: Micros,
        arrival: priority::Arrival,
    ) -> Result<priority::Placement, Fault>;

    /// Tells a group's schedule what happened. `events` is drained.
    fn update(
        &mut self,
        now: Micros,
        group: GroupId,
        events: &mut Vec<schedule::Event>,
    ) -> Result<(), Fault>;

    /// Asks a group's schedule for the next item of a lane.
    fn pick(
        &mut self,
        now: Micros,
        group: GroupId,
        room: schedule::Room,
    ) -> Result<schedule::Choice, Fault>;

    /// Opens a slot cell.
    fn open(
        &mut self,
        now: Micros,
        cell: limit::Cell,
        opening: limit::Opening,
    ) -> Result<limit::Answer, Fault>;

    /// Tells that the provider took an attempt up.
    fn accepted(
        &mut self,
        now: Micros,
        cell: limit::Cell,
        attempt: limit::Attempt,
    ) -> Result<limit::Answer, Fault>;

    /// Tells how an attempt ended.
    fn ended(
        &mut self,
        now: Micros,
        cell: limit::Cell,
        attempt: limit::Attempt,
        ending: limit::Ending,
    ) -> Result<limit::Answer, Fault>;

    /// Wakes the limit policy for a cell, as it asked.
    fn wake(&mut self, now: Micros, cell: limit::Cell) -> Result<limit::Answer, Fault>;

    /// Retires a slot cell.
    fn close(&mut self, cell: CellId) -> Result<(), Fault>;

    /// Asks what a response means.
    fn classify(
        &mut self,
        now: Micros,
        response: &classify::Response,
    ) -> Result<classify::Classification, Fault>;

    /// Asks whether to try again.
    fn retry(
        &mut self,
        now: Micros,
        failure: retry::Failure,
        untried: &[retry::Untried],
        draw: u64,
    ) -> Result<retry::Decision, Fault>;

    /// Asks for the order of candidates.
    fn order(
        &mut self,
        now: Micros,
        request: &route::Request,
        candidates: &[route::Candidate],
        draw: u64,
    ) -> Result<Vec<route::Choice>, Fault>;

    /// Tells how an attempt on a candidate of several ended.
    fn routed(&mut self, now: Micros, outcome: route::Outcome) -> Result<(), Fault>;

    /// Asks how many children a task may start.
    fn fanout(
        &mut self,
        now: Micros,
        tree: fanout::Tree,
        wanted: u32,
        children: &[fanout::Child],
    ) -> Result<fanout::Plan, Fault>;

    /// Tells names of ids, before their first use; kept for every later instance.
    fn names(&mut self, entries: &[weir_sdk::lifecycle::Named]);

    /// Retires ids.
    fn forget(&mut self, ids: &[(u16, u64)]);

    /// The core could not use an answer: a fault of the slot's policy. `words` say why.
    fn nonsense(&mut self, now: Micros, slot: Slot, words: &str);

    /// The number of the slot's standby instance, if one waits to be fed. A new number is a new instance,
    /// to be fed from the beginning.
    fn standby(&self, slot: Slot) -> Option<u64>;

    /// Tells the standby instance a slice of the truth. `Err`: it failed and is gone.
    fn feed(&mut self, now: Micros, slot: Slot, feed: Feed) -> Result<(), Fault>;

    /// The standby instance knows all: it takes the old one's saved state and takes over, in this call.
    /// `Err`: it would not; the old one stays.
    fn level(&mut self, now: Micros, slot: Slot) -> Result<(), Fault>;
}
