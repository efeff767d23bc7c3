//! A journal: what came to a live host and what became of it, for runs of what would have been.
//!
//! Where a trace repeats what happened to the letter, a journal holds what another policy would have met as well: who
//! asked, when, for how much, and how the providers answered. It is one JSON object a line, the first a
//! [`Header`]. There is no prompt text in it and no credential; sessions and tasks are numbers that tell them
//! apart. A reader skips what it cannot read, since the last line of a host that died may be cut.

use serde::{Deserialize, Serialize};

use crate::config::Config;
use crate::ids::{AttemptId, CandidateId, ItemId, LaneId, TenantId};
use crate::input::Arrival;
use crate::units::{Micros, Tokens};

/// The version of the format that is written here.
pub const VERSION: u32 = 1;

/// One line. Times are the host's: microseconds since it started.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Line {
    /// What the host was configured with. First in each file, and only there.
    Header(Box<Header>),
    /// A request came.
    Arrived(Box<Arrived>),
    /// An attempt ended, however it ended.
    Ended(Ended),
    /// A request left without an attempt in flight: refused, or its caller went away.
    Left(Left),
    /// So many lines are missing here: the disk was slower than the host.
    Lost {
        /// How many.
        lines: u64,
    },
}

/// What the host was configured with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// Of the format: [`VERSION`].
    pub version: u32,
    /// Of the program.
    pub program: String,
    /// When the file was begun, in milliseconds since 1970.
    pub wall_ms: u64,
    /// The same moment in the host's time.
    pub at: Micros,
    /// Upstreams, models, tenants and lanes by name, with limits and weights. Ids in later lines are places in it.
    pub config: Config,
}

/// A request that came, as the core was told of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arrived {
    /// When.
    pub at: Micros,
    /// Its name in later lines.
    pub item: ItemId,
    /// Whose.
    pub tenant: TenantId,
    /// Tells the tenant's sessions apart; 0: it named none.
    pub session: u64,
    /// Tells the tenant's tasks apart; 0: it named none.
    pub task: u64,
    /// The request that it is a child of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<ItemId>,
    /// Which candidates may serve it.
    pub lane: LaneId,
    /// The class that it declared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<u8>,
    /// When it must have been answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Micros>,
    /// Bytes of prompt text.
    pub prompt_bytes: u64,
    /// Bytes of its body.
    pub body_bytes: u64,
    /// The most output that it allows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output: Option<Tokens>,
    /// Chained hashes of the prompt's prefix, longest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prefix: Vec<u64>,
    /// Doing it twice is as good as once.
    pub idempotent: bool,
}

impl Arrived {
    /// An arrival without its names, for which `mark` gives numbers.
    #[must_use]
    pub fn new(at: Micros, arrival: &Arrival, mark: impl Fn(TenantId, &str) -> u64) -> Self {
        Self {
            at,
            item: arrival.item,
            tenant: arrival.tenant,
            session: mark(arrival.tenant, &arrival.session),
            task: mark(arrival.tenant, &arrival.task),
            parent: arrival.parent,
            lane: arrival.lane,
            class: arrival.class,
            deadline: arrival.deadline,
            prompt_bytes: arrival.prompt_bytes,
            body_bytes: arrival.body_bytes,
            max_output: arrival.max_output,
            prefix: arrival.prefix.clone(),
            idempotent: arrival.idempotent,
        }
    }
}

/// An attempt that ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ended {
    /// When.
    pub at: Micros,
    /// Which request.
    pub item: ItemId,
    /// Which attempt.
    pub attempt: AttemptId,
    /// Where it ran.
    pub candidate: CandidateId,
    /// 1 for the request's first attempt.
    pub number: u16,
    /// What the request had waited for it.
    pub waited: Micros,
    /// The name of the verdict's kind, such as `success` or `request_window`.
    pub verdict: String,
    /// From sending to the end.
    pub latency: Micros,
    /// From sending to the first content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_content: Option<Micros>,
    /// Input tokens.
    pub input: Tokens,
    /// Of them read from the provider's cache.
    pub cached: Tokens,
    /// Output tokens.
    pub output: Tokens,
    /// The tokens are the provider's own; otherwise what was reserved.
    pub exact: bool,
    /// No further attempt follows.
    pub last: bool,
}

/// A request that left while it waited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Left {
    /// When.
    pub at: Micros,
    /// Which.
    pub item: ItemId,
    /// The refusal's name, such as `expired`, or `cancelled`.
    pub why: String,
}
