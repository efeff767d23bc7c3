//! What the simulation works with: checked, with names turned into places.

use std::collections::BTreeMap;
use std::path::PathBuf;

use weir_core::Slot;
use weir_core::config::Config;
use weir_core::ids::{LaneId, TenantId};
use weir_core::units::{Micros, Tokens};

use super::{Counted, Kind, Shape};

/// One world to run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The case's name; empty when the file has none.
    pub case: String,
    /// How long requests arrive.
    pub duration: Micros,
    /// How much of it is left out of what is measured.
    pub warm_up: Micros,
    /// How long the run goes on after `duration` at most, until nothing is left.
    pub drain: Micros,
    /// Between two samples.
    pub sample: Micros,
    /// Of all chance, when the caller says none.
    pub seed: u64,
    /// What each host's core is made from.
    pub core: Config,
    /// How the core's upstreams really are, in its order.
    pub providers: Vec<Provider>,
    /// What is sent.
    pub demands: Vec<Demand>,
    /// What decides. A slot that is not in it has the default policy.
    pub policies: BTreeMap<Slot, Choice>,
    /// Policies that are swapped, by time.
    pub swaps: Vec<Swap>,
    /// Several hosts; absent: one.
    pub instances: Option<Instances>,
    /// Levels that the run must meet: the file's, then the case's.
    pub pass: Vec<toml::Table>,
}

/// A policy with its settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// Which.
    pub policy: Chosen,
    /// A JSON object; empty for the policy's defaults.
    pub settings: String,
}

/// Where a policy comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Chosen {
    /// Shipped with weir.
    Shipped(String),
    /// A component in a file.
    File(PathBuf),
    /// None: the host's own fallback decides.
    Fallback,
}

/// A policy that takes over at a time.
#[derive(Clone, Debug, PartialEq)]
pub struct Swap {
    /// When.
    pub at: Micros,
    /// Where.
    pub slot: Slot,
    /// What.
    pub choice: Choice,
}

/// Numbers above zero: lognormal, or always the mean when `sigma` is 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dist {
    /// The arithmetic mean: microseconds or tokens.
    pub mean: f64,
    /// Standard deviation of the logarithm.
    pub sigma: f64,
}

/// How an upstream really is.
#[derive(Clone, Debug, PartialEq)]
pub struct Provider {
    /// The upstream's name.
    pub name: String,
    /// Whose wire format it speaks.
    pub kind: Kind,
    /// Names of its models, in the order of the configuration.
    pub models: Vec<String>,
    /// At once; absent: any number.
    pub concurrency: Option<u32>,
    /// At once by model, in the order of `models`.
    pub per_model: Vec<Option<u32>>,
    /// Its windows.
    pub windows: Vec<Window>,
    /// Work on a request, or with `token_rate` the time to the first content.
    pub service: Dist,
    /// Share of the service after which headers come, without `token_rate`.
    pub accepts: f64,
    /// Output tokens a second after the first content.
    pub token_rate: Option<f64>,
    /// Output tokens of an answer.
    pub output: Dist,
    /// How it slows down.
    pub load: Option<Load>,
    /// How long a refusal takes.
    pub refusal: Micros,
    /// What a refusal for concurrency says of waiting.
    pub retry_after: Option<Micros>,
    /// It tells its windows in headers.
    pub headers: bool,
    /// Changes, by time.
    pub changes: Vec<Change>,
    /// What goes wrong, in the order of the file.
    pub faults: Vec<Fault>,
    /// How long the host waits for it.
    pub timeouts: Timeouts,
}

/// A window of requests or tokens.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    /// What it counts.
    pub counts: Counted,
    /// What it holds.
    pub limit: u64,
    /// For how long.
    pub per: Micros,
    /// How it refills.
    pub shape: Shape,
    /// Places of the models that share it; empty: all.
    pub models: Vec<usize>,
}

/// Slower above so many in flight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// In flight without slowing down.
    pub free: u32,
    /// So many service times more for each `free` in flight above.
    pub slope: f64,
}

/// A change of a provider's concurrency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// When.
    pub at: Micros,
    /// To what.
    pub concurrency: u32,
}

/// Something that goes wrong for a time.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// From then.
    pub from: Micros,
    /// Until then; [`Micros::MAX`] for ever.
    pub until: Micros,
    /// What.
    pub what: Failing,
    /// Of the requests that come meanwhile.
    pub share: f64,
    /// Places of the models that it strikes; empty: all.
    pub models: Vec<usize>,
}

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Failing {
    /// It never answers.
    Hang,
    /// It answers with an error.
    Error {
        /// HTTP status.
        status: u16,
        /// What it says of waiting.
        retry_after: Option<Micros>,
    },
    /// It refuses as if a window were empty.
    Throttle {
        /// What it says of waiting; absent: until the fault's end.
        retry_after: Option<Micros>,
    },
    /// The connection breaks.
    Reset,
    /// There is no connection.
    Unreachable,
    /// It takes so many times as long.
    Slow(f64),
}

/// How long a host waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// For headers.
    pub headers: Micros,
    /// In all.
    pub total: Micros,
}

/// A kind of requests and where they come from.
#[derive(Clone, Debug, PartialEq)]
pub struct Demand {
    /// What measures call it.
    pub name: String,
    /// Whose.
    pub tenant: TenantId,
    /// Which lane.
    pub lane: LaneId,
    /// The class that it declares.
    pub class: Option<u8>,
    /// The first may come.
    pub from: Micros,
    /// Nothing new comes.
    pub until: Micros,
    /// Rates a second of open arrivals, each from a time on; empty: none.
    pub rates: Vec<(Micros, f64)>,
    /// Callers that wait for answers.
    pub agents: u32,
    /// Between an answer and the next request of an agent.
    pub think: Option<Dist>,
    /// So many at once, each at a time; a backlog is one of them.
    pub bursts: Vec<(Micros, u32)>,
    /// The most that come in all, children and followers aside.
    pub most: u64,
    /// Input tokens.
    pub input: Dist,
    /// Output tokens.
    pub output: Option<Dist>,
    /// Work on a request.
    pub service: Option<Dist>,
    /// What it says of its true size.
    pub declares: Option<f64>,
    /// The most output that it allows.
    pub max_output: Option<Tokens>,
    /// From the arrival.
    pub deadline: Option<Micros>,
    /// Share whose callers go away.
    pub cancel: f64,
    /// When they go.
    pub cancel_after: Dist,
    /// Sessions that its requests are dealt to.
    pub sessions: u32,
    /// A newer request of the session takes a waiting one's place.
    pub merge: bool,
    /// What each starts before it can end.
    pub children: Option<Children>,
    /// Place of the demand of which one follows.
    pub then: Option<usize>,
    /// Doing it twice is as good as once.
    pub idempotent: bool,
    /// Requests of a journal, by time. Where there are any, nothing is drawn: what a request is like is said here.
    pub recorded: Vec<Recorded>,
}

/// A request as a journal has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// When it comes.
    pub at: Micros,
    /// Tells the tenant's sessions apart; 0: it named none.
    pub session: u64,
    /// Input tokens.
    pub input: u64,
    /// Output tokens.
    pub output: u64,
    /// How long a provider works on it; absent: as the provider says.
    pub service: Option<Micros>,
    /// The most output that it allows.
    pub max_output: Option<Tokens>,
    /// Bytes of prompt text.
    pub prompt_bytes: u64,
    /// Bytes of its body.
    pub body_bytes: u64,
    /// When it must be answered, from its arrival.
    pub deadline: Option<Micros>,
    /// When its caller goes away, from its arrival.
    pub patience: Option<Micros>,
    /// Chained hashes of the prompt's prefix, longest last.
    pub prefix: Vec<u64>,
    /// Doing it twice is as good as once.
    pub idempotent: bool,
}

/// What a request starts before it can end.
#[derive(Clone, Debug, PartialEq)]
pub struct Children {
    /// Places of the demands that they are like, in turn.
    pub of: Vec<usize>,
    /// How many at least.
    pub least: u32,
    /// How many at most.
    pub most: u32,
    /// Share of the parent's own service after which they start.
    pub after: f64,
    /// The parent gives its slot up while it waits.
    pub parks: bool,
    /// The fan-out policy is asked.
    pub budget: Option<Budget>,
}

/// What a parent may give to its children.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// To give away.
    pub tokens: Tokens,
    /// Of them kept.
    pub reserve: Tokens,
    /// The least and the most that a child's answer turns out to be worth.
    pub worth: (f64, f64),
}

/// Several hosts that share the upstreams.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instances {
    /// How many; 1 or more.
    pub count: u32,
    /// How long a lease holds.
    pub term: Micros,
    /// How often a host asks.
    pub refresh: Micros,
    /// There is a coordinator.
    pub coordinated: bool,
    /// Deaths, by time.
    pub kills: Vec<Kill>,
}

/// The death of a host, with what it has in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kill {
    /// When.
    pub at: Micros,
    /// Which, from 0.
    pub instance: u32,
}
