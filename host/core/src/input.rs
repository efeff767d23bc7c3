//! What the driver tells the core.

use serde::{Deserialize, Serialize};

use crate::config::Config;
use crate::ids::{AttemptId, ItemId, LaneId, TenantId};
use crate::units::{Micros, Tokens};

/// One thing that happened. The driver passes it with the time to [`crate::Core::step`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Input {
    /// A request arrived. It leaves by exactly one [`crate::Output::Refuse`], or by being admitted
    /// and then ended with [`crate::Next::Finished`] or [`crate::Next::GiveUp`].
    Arrive(Arrival),
    /// The provider took an attempt up: 2xx headers, or first content.
    Accepted {
        /// Which.
        attempt: AttemptId,
        /// What its headers say of the provider's limits.
        facts: Facts,
        /// Connect and round trip, without generation, where the driver could measure it.
        network: Option<Micros>,
    },
    /// A stream has produced so many output tokens in all so far.
    Grow {
        /// Which.
        attempt: AttemptId,
        /// Counted by the driver.
        output: Tokens,
    },
    /// An attempt ended, however it ended. Said exactly once for each admission.
    Ended {
        /// Which.
        attempt: AttemptId,
        /// How.
        end: End,
    },
    /// The caller went away while its request waited. Nothing happens if it was just admitted: the
    /// attempt's own end then says so.
    Cancel {
        /// Which.
        item: ItemId,
    },
    /// The time of [`crate::Core::next_wake`] came.
    Timer,
    /// The configuration changed. Cells that stay keep their state. One that [`crate::Core::check`] would
    /// not accept is ignored.
    Configure(Config),
    /// A parent waits for its children: it gives its slot up and keeps what else it holds. Its attempt
    /// goes on: the driver still owes its end.
    Yield {
        /// Which of its attempts.
        attempt: AttemptId,
    },
    /// The parent goes on: it gets a slot again ahead of all that have not started, by first arrival. The
    /// same [`crate::Admit`] is said once more when it has one.
    Resume {
        /// The item that yielded.
        item: ItemId,
    },
    /// The operator opens a cell of an upstream that a cool-down keeps closed.
    Reopen {
        /// The upstream's name.
        upstream: String,
    },
}

/// A request, as far as the core needs to know it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Arrival {
    /// Given by the driver, always rising.
    pub item: ItemId,
    /// Who sent it.
    pub tenant: TenantId,
    /// The caller's name for its session; empty when it gave none.
    pub session: String,
    /// The caller's name for its task; empty when it gave none.
    pub task: String,
    /// The item of the parent that is in flight, when the driver knows it.
    pub parent: Option<ItemId>,
    /// Which candidates may serve it.
    pub lane: LaneId,
    /// The class the caller declared, 0 the most urgent.
    pub class: Option<u8>,
    /// When it must have been answered; absent for the line's default.
    pub deadline: Option<Micros>,
    /// Bytes of prompt text, to estimate input tokens from.
    pub prompt_bytes: u64,
    /// Bytes it holds while it waits.
    pub body_bytes: u64,
    /// The most output that it allows.
    pub max_output: Option<Tokens>,
    /// Chained hashes of the prompt's prefix, longest last, 8 at most.
    pub prefix: Vec<u64>,
    /// Doing it twice is as good as once.
    pub idempotent: bool,
}

/// How an attempt ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct End {
    /// What came of it.
    pub outcome: Outcome,
    /// How much the caller has had that cannot be taken back.
    pub sent: Sent,
    /// How far the provider came.
    pub stage: Stage,
    /// From sending to the first content, when some came.
    pub first_content: Option<Micros>,
    /// What the provider counted, when it said so.
    pub usage: Option<Usage>,
    /// Output tokens that the driver counted; used when the provider did not say.
    pub output_seen: Tokens,
    /// What its headers say of the provider's limits.
    pub facts: Facts,
}

/// What came of an attempt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Outcome {
    /// A whole 2xx answer.
    Success,
    /// A response that is no plain success.
    Response(Response),
    /// No response, or one that broke off.
    Transport(Transport),
    /// The caller went away.
    Cancelled,
    /// The host ended it: [`crate::Output::Cut`], or a stalled reader.
    Cut,
}

/// A response that is no plain success, or an error inside a stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Response {
    /// HTTP status; 0 when the error came inside a stream that had begun with 200.
    pub status: u16,
    /// Names in lower case; no secrets.
    pub headers: Vec<(String, String)>,
    /// The start of the body as text, 16 KiB at most.
    pub body: String,
    /// The path that was asked.
    pub endpoint: String,
    /// Wall clock, milliseconds since 1970.
    pub wall_ms: u64,
}

/// How the network failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Transport {
    /// No connection: refused, unreachable, no such name, TLS.
    Connect,
    /// The connection broke.
    Reset,
    /// A time-out of the host passed.
    TimedOut,
    /// The caller's own deadline passed.
    CallerDeadline,
}

/// How much of an answer has reached the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Sent {
    /// Nothing: the attempt can be made again unseen.
    Nothing,
    /// A status and headers.
    Headers,
    /// Content.
    Content,
}

/// How far an attempt came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Stage {
    /// Connecting.
    Connect,
    /// Waiting for headers.
    Headers,
    /// Waiting for the first content.
    FirstContent,
    /// Between pieces of content.
    Between,
    /// To the end.
    Total,
}

/// What a provider counted, brought to one meaning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Input tokens that count against its input window.
    pub input_counted: Tokens,
    /// Input tokens in all, cached ones included.
    pub input: Tokens,
    /// Input tokens read from its cache.
    pub cached: Tokens,
    /// Output tokens, reasoning included.
    pub output: Tokens,
}

/// What a provider's headers say of its limits; believed over the configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// Requests.
    pub requests: Option<Window>,
    /// Tokens, input and output together.
    pub tokens: Option<Window>,
    /// Input tokens.
    pub input: Option<Window>,
    /// Output tokens.
    pub output: Option<Window>,
    /// In flight at once.
    pub concurrency: Option<u32>,
}

/// One limit, as a provider states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// What the window holds when full.
    pub limit: Option<u64>,
    /// What it holds now.
    pub remaining: Option<u64>,
    /// When it is full again, from now.
    pub reset: Option<Micros>,
}
