//! What is sent, as a file says it.

use std::num::{NonZeroU32, NonZeroU64};

use serde::Deserialize;
use toml::Spanned;
use weir_core::units::Micros;
use weir_settings::value::{Amount, Positive, Share, Span, Time};

use super::spread::{Counts, Sigma, Spans};

/// A kind of requests and where they come from: any of `open`, `agents`, `backlog` and `burst`, together. With none
/// of them it is a pattern for another's `children` or `then`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Demand {
    /// Unique among demands; what measures call it.
    pub(super) name: Spanned<String>,
    /// Whose; the first tenant when absent.
    pub(super) tenant: Option<Spanned<String>>,
    /// Which lane; the first when absent.
    pub(super) lane: Option<Spanned<String>>,
    /// The class that it declares, 0 the most urgent.
    pub(super) class: Option<u8>,
    /// When the first comes.
    #[serde(default = "start")]
    pub(super) from: Spanned<Time>,
    /// When nothing new comes any more; to the end of the run when absent.
    pub(super) until: Option<Spanned<Time>>,
    /// Arrivals that do not wait for answers.
    pub(super) open: Option<Open>,
    /// Callers that do.
    pub(super) agents: Option<Agents>,
    /// Requests that are there at `from`.
    #[serde(default)]
    pub(super) backlog: u32,
    /// Many at once.
    #[serde(default)]
    pub(super) burst: Vec<Burst>,
    /// The most that come in all, children aside.
    pub(super) most: Option<NonZeroU64>,
    /// Input tokens.
    #[serde(default = "input")]
    pub(super) input: Counts,
    /// Output tokens; as the provider says when absent.
    pub(super) output: Option<Counts>,
    /// How long a provider works on it; as the provider says when absent.
    pub(super) service: Option<Spans>,
    /// What it says of its true size, input and output: 0.2 for a fifth. Absent: it says its input as it is, and
    /// `max_output`.
    pub(super) declares: Option<Positive>,
    /// The most output that it allows; absent: none is said, or with `declares` a share of the truth.
    pub(super) max_output: Option<NonZeroU64>,
    /// When it must be answered, from its arrival.
    pub(super) deadline: Option<Span>,
    /// The share whose callers go away.
    #[serde(default)]
    pub(super) cancel: Share,
    /// When they go, from the arrival.
    #[serde(default = "cancel_after")]
    pub(super) cancel_after: Spans,
    /// Sessions that its requests are dealt to, in turn; agents keep to one. 0: none is named.
    #[serde(default)]
    pub(super) sessions: u32,
    /// A newer request of the session takes the place of one that still waits.
    #[serde(default)]
    pub(super) merge: bool,
    /// What each request starts before it can end.
    pub(super) children: Option<Spanned<Children>>,
    /// The demand of which a request follows when one of this has succeeded.
    pub(super) then: Option<Spanned<String>>,
    /// Doing it twice is as good as once.
    #[serde(default = "idempotent")]
    pub(super) idempotent: bool,
}

fn start() -> Spanned<Time> {
    Spanned::new(0..0, Time::default())
}

const fn input() -> Counts {
    Counts { mean: Positive::new(400.0), sigma: Sigma(0.0) }
}

fn cancel_after() -> Spans {
    let second = Span::new(Micros::SECOND);
    Spans { mean: second, sigma: Sigma(1.0) }
}

const fn idempotent() -> bool {
    true
}

/// Arrivals that do not wait for answers: a Poisson process.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Open {
    /// A second.
    pub(super) rate: Amount,
    /// Other rates from a time on.
    #[serde(default)]
    pub(super) change: Vec<RateChange>,
}

/// Another rate from a time on.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RateChange {
    pub(super) at: Spanned<Time>,
    pub(super) rate: Amount,
}

/// Callers that send one request after the other.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Agents {
    pub(super) count: NonZeroU32,
    /// Between an answer and the next request; none when absent.
    pub(super) think: Option<Spans>,
}

/// Many at once.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Burst {
    pub(super) at: Spanned<Time>,
    pub(super) count: NonZeroU32,
}

/// What a request starts before it can end.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Children {
    /// The demands that they are like, in turn; children can have children.
    pub(super) of: Vec<Spanned<String>>,
    /// How many at least.
    pub(super) least: u32,
    /// How many at most; `least` when absent.
    pub(super) most: Option<u32>,
    /// The share of the parent's own service after which they start.
    #[serde(default = "after")]
    pub(super) after: Share,
    /// The parent gives its slot up while it waits.
    #[serde(default = "parks")]
    pub(super) parks: bool,
    /// The fan-out policy is asked how many of them may start. Absent: all start.
    pub(super) budget: Option<Budget>,
}

const fn after() -> Share {
    Share::new(0.5)
}

const fn parks() -> bool {
    true
}

/// What a parent may give to its children, for the fan-out policy.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Budget {
    /// Tokens to give away.
    pub(super) tokens: NonZeroU64,
    /// Of them kept for the parent's own final answer.
    #[serde(default)]
    pub(super) reserve: u64,
    /// The least and the most that a child's answer turns out to be worth.
    #[serde(default = "worth")]
    pub(super) worth: [Share; 2],
}

const fn worth() -> [Share; 2] {
    [Share::new(0.0), Share::new(1.0)]
}
