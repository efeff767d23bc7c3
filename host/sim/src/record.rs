//! What a run leaves behind.
//!
//! Everything that a measure needs and no text in the rows: names are in [`Names`], rows hold places. A run of an
//! hour at a hundred requests a second is 360 000 rows of each kind, about 60 MiB. Rows come in the order of
//! their arrival or sending, so the same seed gives the same bytes ([`Record::digest`]).
//!
//! What was in flight at any time, exactly, follows from `sent` and `ended` of the attempts; [`Sample`]s are for
//! plots and for what no row tells, such as limits.

mod book;
mod bytes;
mod happening;

use std::collections::BTreeMap;

use serde::Serialize;
use weir_core::Slot;
use weir_core::units::{Micros, NanoDollars, Tokens};

pub use self::book::{Book, Quota, Slots};
pub use self::happening::{Happening, What};

/// A whole run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Record {
    /// What rows mean.
    pub names: Names,
    /// The seed that it ran with.
    pub seed: u64,
    /// Requests arrived until then.
    pub duration: Micros,
    /// What came before is left out of what is measured.
    pub warm_up: Micros,
    /// When the last thing happened; `duration` or later.
    pub finished: Micros,
    /// By arrival. A row's place is its name in [`Attempt::request`] and [`Request::parent`].
    pub requests: Vec<Request>,
    /// By sending.
    pub attempts: Vec<Attempt>,
    /// By time, at each `every` from 0. Each has one place for each instance and upstream.
    pub samples: Vec<Sample>,
    /// Between two samples.
    pub every: Micros,
    /// What a person would ask about, by time; the first [`MOST_HAPPENINGS`] of them.
    pub happened: Vec<Happening>,
    /// Happenings beyond those.
    pub happened_besides: u64,
    /// When the first of them happened: what is told in `happened` is whole before it. Absent: there are none.
    pub cut: Option<Micros>,
    /// Counts over the whole run.
    pub sums: Sums,
    /// What the cores say of themselves at the end, by instance. A host that died has none.
    pub books: Vec<Book>,
}

/// Happenings that are kept.
pub const MOST_HAPPENINGS: usize = 100_000;

/// What the places in rows mean.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Names {
    /// Upstreams.
    pub upstreams: Vec<String>,
    /// Models, by upstream.
    pub models: Vec<Vec<String>>,
    /// Tenants.
    pub tenants: Vec<String>,
    /// Their weights.
    pub weights: Vec<u32>,
    /// Demands: the kinds of requests.
    pub demands: Vec<String>,
    /// Lanes.
    pub lanes: Vec<String>,
    /// Hosts; 1 unless the scenario has instances.
    pub instances: u32,
}

/// A request, from its arrival to its leaving.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Request {
    /// Its kind.
    pub demand: u16,
    /// Whose.
    pub tenant: u16,
    /// The host that took it.
    pub instance: u16,
    /// The class that it declared; 255: none.
    pub class: u8,
    /// Steps below the root of its tree.
    pub depth: u8,
    /// The request that started it, for children.
    pub parent: Option<u32>,
    /// When it came.
    pub arrived: Micros,
    /// When its first attempt was sent.
    pub first_sent: Option<Micros>,
    /// When it left; absent: it was still there when the run ended.
    pub left: Option<Micros>,
    /// How it left.
    pub outcome: Outcome,
    /// Attempts sent.
    pub attempts: u16,
    /// Of the time before `left`, what it spent in no attempt.
    pub waited: Micros,
}

/// How a request left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It did not: the run ended.
    #[default]
    Open,
    /// It was answered.
    Done,
    /// The host refused it.
    Refused(Refused),
    /// The provider's error was passed on.
    GaveUp,
    /// Its caller went away.
    Cancelled,
    /// A newer request of its session took its place.
    Merged,
    /// Its host died.
    Lost,
}

/// Why a host refused a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Refused {
    /// The line was full.
    Full,
    /// A cell was closed or empty past its deadline.
    NotUntil,
    /// It can never fit.
    Never,
    /// A budget was spent.
    Budget,
    /// Its deadline passed in the line.
    Expired,
    /// It was dropped under pressure.
    Shed,
    /// Its ancestors held every slot.
    Deadlock,
    /// Nothing serves its lane.
    NoCandidate,
}

/// One try of a request at an upstream.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Attempt {
    /// Which request: its place in [`Record::requests`]. Its kind and tenant are there.
    pub request: u32,
    /// The host that sent it.
    pub instance: u16,
    /// Where to.
    pub upstream: u16,
    /// Which model there.
    pub model: u16,
    /// 1 for the first of its request.
    pub number: u16,
    /// When it was sent.
    pub sent: Micros,
    /// When the provider took it up; absent: it did not.
    pub accepted: Option<Micros>,
    /// When it ended; absent: the run ended first.
    pub ended: Option<Micros>,
    /// What came of it.
    pub fate: Fate,
    /// The time between `sent` and `ended` in which a parent had given its slot up.
    pub parked: Micros,
    /// Input tokens that the provider counted.
    pub input: u32,
    /// Output tokens that it made.
    pub output: u32,
    /// Output tokens that its host reserved for it when it was sent.
    pub reserved: u32,
    /// Input and output tokens that its host settled; absent: it settled nothing for it.
    pub settled: Option<u64>,
    /// In flight at the provider when it was sent, all hosts together, itself included.
    pub in_flight: u32,
    /// In flight at the provider that its own host knows of, itself included.
    pub own_in_flight: u32,
    /// Its host's effective limit when it was sent.
    pub limit: u32,
    /// What the provider took at once at that time; `u32::MAX`: any number.
    pub hidden: u32,
    /// How long its answer told to wait (`retry-after` and the like), from `ended`; absent: it told nothing.
    pub told_wait: Option<Micros>,
}

/// What came of an attempt, as the provider meant it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fate {
    /// The run ended first.
    #[default]
    Open,
    /// A whole answer.
    Success,
    /// Refused: too many at once.
    TooMany,
    /// Refused: a window was empty.
    Window,
    /// Refused by a fault of the scenario.
    Throttled,
    /// An error of the server.
    Error,
    /// A time-out of the host.
    TimedOut,
    /// The connection broke, or there was none.
    Broken,
    /// The caller went away.
    Cancelled,
    /// The host ended it: a hard budget.
    Cut,
    /// Its host died.
    Lost,
}

impl Fate {
    /// The provider refused it for load: a 429 or its like.
    #[must_use]
    pub const fn is_throttle(self) -> bool {
        matches!(self, Self::TooMany | Self::Window | Self::Throttled)
    }

    /// The provider failed it.
    #[must_use]
    pub const fn is_failure(self) -> bool {
        matches!(self, Self::Error | Self::TimedOut | Self::Broken)
    }
}

/// How the world stood at a time.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Sample {
    /// When.
    pub at: Micros,
    /// For each instance, each upstream: place `instance * upstreams + upstream`.
    pub cells: Vec<CellSample>,
    /// Requests that waited, for each tenant, all instances together.
    pub waiting: Vec<u32>,
}

/// How an upstream stood at a host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CellSample {
    /// What the limit policy answered last.
    pub limit: u32,
    /// What held.
    pub effective: u32,
    /// In flight from this host.
    pub in_flight: u32,
    /// Requests that waited for its slots alone.
    pub slot_blocked: u32,
    /// Requests that waited in lanes with it.
    pub queued: u32,
    /// What the provider took at once, from all; `u32::MAX`: any number.
    pub hidden: u32,
    /// Closed at that time.
    pub closed: bool,
}

/// Counts over a whole run, all hosts together.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Sums {
    /// Requests that came.
    pub arrived: u64,
    /// Attempts sent.
    pub sent: u64,
    /// Failures tried again.
    pub retried: u64,
    /// Refusals before work began that sent a request back to the line.
    pub flow_control: u64,
    /// Answers that the fallback gave, by slot, since the policies could answer.
    pub fallbacks: BTreeMap<Slot, u64>,
    /// Attempts in flight when the run ended.
    pub in_flight: u64,
    /// Requests that waited when it ended.
    pub waiting: u64,
    /// What was settled.
    pub input: Tokens,
    /// What was settled.
    pub output: Tokens,
    /// What was settled.
    pub cost: NanoDollars,
    /// Something in a core did not add up; empty in every sound run.
    pub unsound: Vec<String>,
}
