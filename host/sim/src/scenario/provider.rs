//! How a provider really is, as a file says it.

use std::num::{NonZeroU32, NonZeroU64};

use serde::Deserialize;
use toml::Spanned;
use weir_core::units::Micros;
use weir_settings::value::{Amount, Positive, Share, Span, Time};

use super::spread::{Counts, Sigma, Spans};
use super::{Counted, Shape};

/// What weir is not told.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Provider {
    /// How many it serves at once; one more is refused. Absent: any number.
    pub(super) concurrency: Option<NonZeroU32>,
    /// How many it serves at once of one model, or one tool.
    #[serde(default)]
    pub(super) per_model: std::collections::BTreeMap<String, NonZeroU32>,
    /// Windows of requests and tokens.
    #[serde(default)]
    pub(super) window: Vec<Window>,
    /// How long it works on a request. With `token_rate` it is the time to the first content alone.
    pub(super) service: Spans,
    /// Without `token_rate`: the share of the service after which headers come. 1 for answers that do not stream.
    #[serde(default = "accepts")]
    pub(super) accepts: Share,
    /// Output tokens a second after the first content.
    pub(super) token_rate: Option<Positive>,
    /// Output tokens of an answer, where the demand does not say.
    #[serde(default = "output")]
    pub(super) output: Counts,
    /// How it slows down under load.
    pub(super) load: Option<Load>,
    /// How long a refusal takes.
    #[serde(default = "refusal")]
    pub(super) refusal: Span,
    /// What a refusal for concurrency says of waiting; nothing when absent.
    pub(super) retry_after: Option<Span>,
    /// It tells its windows in the headers of every answer, in its own format.
    #[serde(default = "headers")]
    pub(super) headers: bool,
    /// Changes during the run.
    #[serde(default)]
    pub(super) change: Vec<Change>,
    /// What goes wrong.
    #[serde(default)]
    pub(super) fault: Vec<Fault>,
}

fn accepts() -> Share {
    Share::new(0.1)
}

fn output() -> Counts {
    Counts { mean: Positive::new(300.0), sigma: Sigma(0.5) }
}

fn refusal() -> Span {
    Span::new(Micros::from_millis(50))
}

const fn headers() -> bool {
    true
}

/// A window of requests or tokens.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Window {
    /// `requests`, `tokens` (input and output together), `input` or `output`.
    pub(super) counts: Counted,
    /// What it holds.
    pub(super) limit: NonZeroU64,
    /// For how long.
    #[serde(default = "per")]
    pub(super) per: Span,
    /// `bucket` refills all the time, `fixed` all at once.
    #[serde(default)]
    pub(super) shape: Shape,
    /// The models, methods or resources that share it; all of the account when absent.
    #[serde(default)]
    pub(super) models: Vec<Spanned<String>>,
}

fn per() -> Span {
    Span::new(Micros::from_secs(60))
}

/// Service takes `1 + slope * (in flight - free) / free` times as long above `free` in flight.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Load {
    pub(super) free: NonZeroU32,
    pub(super) slope: Amount,
}

/// A change of what it serves.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Change {
    pub(super) at: Spanned<Time>,
    pub(super) concurrency: NonZeroU32,
}

/// Something that goes wrong for a time.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Fault {
    #[serde(default)]
    pub(super) from: Time,
    /// To the end of the run when absent.
    #[serde(rename = "for")]
    pub(super) span: Option<Span>,
    pub(super) what: Spanned<What>,
    /// Of the requests that come meanwhile.
    #[serde(default = "all")]
    pub(super) share: Share,
    /// The status of `error`.
    pub(super) status: Option<Spanned<u16>>,
    /// What `error` and `throttle` say of waiting. Without it a `throttle` says that its window comes back at the
    /// fault's end.
    pub(super) retry_after: Option<Span>,
    /// How many times as long `slow` takes.
    pub(super) factor: Option<Positive>,
    /// For these models alone.
    #[serde(default)]
    pub(super) models: Vec<Spanned<String>>,
}

const fn all() -> Share {
    Share::new(1.0)
}

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum What {
    /// It takes requests and never answers.
    Hang,
    /// It answers with an error of the server.
    Error,
    /// It refuses as if a window of requests were empty.
    Throttle,
    /// It breaks the connection off.
    Reset,
    /// There is no connection.
    Unreachable,
    /// It takes longer.
    Slow,
}
