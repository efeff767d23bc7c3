//! The shape of `weir.toml`, and the one home of each of its defaults.
//!
//! Types here hold what a file says, each value checked alone. What must agree with something else (names,
//! credentials, lanes) is checked when the file becomes [`super::Settings`].

use std::net::{Ipv4Addr, SocketAddr};
use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::Spanned;
use weir_core::units::Micros;
use weir_settings::table::{Choice, Limits, Line, Model, Quota, Ramp, Retries};
use weir_settings::value::{Positive, Span};

/// The settings of a weir host. Everything has a default but one upstream.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "weir.toml")]
pub(super) struct File {
    /// Where to listen. Other addresses than loopback need a `[[tenant]]` at least.
    #[serde(default = "listen")]
    #[schemars(with = "SocketAddr")]
    pub(super) listen: Spanned<SocketAddr>,
    /// Seed of every draw of chance; drawn at each start when absent.
    pub(super) seed: Option<u64>,
    /// A file that gets every input and every policy answer, for an exact replay. It is overwritten.
    pub(super) trace: Option<PathBuf>,
    /// A file that gets arrivals and settlements, without text of prompts, for runs of other policies.
    pub(super) journal: Option<Journal>,
    /// Accounts at providers; at least one.
    #[serde(default)]
    #[schemars(length(min = 1))]
    pub(super) upstream: Vec<Upstream>,
    /// Who may call. None at all: every caller is one tenant.
    #[serde(default)]
    pub(super) tenant: Vec<Tenant>,
    /// Bounds of the line of waiting requests.
    #[serde(default)]
    pub(super) line: Line,
    /// The retry budget of each upstream and model.
    #[serde(default)]
    pub(super) retries: Retries,
    /// How admissions come back after a closure.
    #[serde(default)]
    pub(super) ramp: Ramp,
    /// Which policies decide.
    #[serde(default)]
    pub(super) policies: Policies,
    /// Who may use `/admin`.
    #[serde(default)]
    pub(super) admin: Admin,
    /// Bounds of this host itself.
    #[serde(default)]
    pub(super) host: Host,
}

fn listen() -> Spanned<SocketAddr> {
    Spanned::new(0..0, SocketAddr::from((Ipv4Addr::LOCALHOST, 18_790)))
}

/// A file that gets arrivals and settlements.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Journal {
    /// Where. A file that is there is kept, with `.1` after its name.
    pub(super) path: PathBuf,
    /// Bytes after which the file is put aside, with `.1` after its name, and begun anew.
    pub(super) max_bytes: Option<NonZeroU64>,
}

/// An account at a provider.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Upstream {
    /// Unique among upstreams; a label of metrics.
    #[schemars(with = "String")]
    pub(super) name: Spanned<String>,
    /// Whose wire format it speaks.
    pub(super) kind: super::Kind,
    /// What all its paths start with; the provider's public address by default.
    #[schemars(with = "Option<String>")]
    pub(super) base_url: Option<Spanned<String>>,
    /// The variable that holds its credential. With neither this nor `key_file` none is sent.
    #[schemars(with = "Option<String>")]
    pub(super) key_env: Option<Spanned<String>>,
    /// The file that holds its credential.
    #[schemars(with = "Option<PathBuf>")]
    pub(super) key_file: Option<Spanned<PathBuf>>,
    /// What it serves; `*` takes any model, and is the default when no model is named here or below.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub(super) models: Vec<Spanned<String>>,
    /// Models with limits or prices of their own.
    #[serde(default)]
    pub(super) model: Vec<Model>,
    /// Limits of the account, which all its models share.
    #[serde(default)]
    pub(super) limits: Limits,
    /// Greater is less preferred.
    #[serde(default = "base_weight")]
    pub(super) base_weight: Positive,
    /// How long to wait for it.
    #[serde(default)]
    pub(super) timeouts: Timeouts,
}

fn base_weight() -> Positive {
    Positive::new(1.0)
}

/// How long to wait for an upstream.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Timeouts {
    /// For a connection.
    pub(super) connect: Span,
    /// From sending to the headers of the answer; without streaming that is the whole generation.
    pub(super) headers: Span,
    /// From the headers to the first content.
    pub(super) first_content: Span,
    /// Between two pieces of an answer.
    pub(super) between: Span,
    /// For one attempt in all.
    pub(super) total: Span,
}

impl Default for Timeouts {
    fn default() -> Self {
        let secs = |secs| Span::new(Micros::from_secs(secs));
        Self {
            connect: secs(5),
            headers: secs(300),
            first_content: secs(120),
            between: secs(60),
            total: secs(900),
        }
    }
}

/// Somebody who sends requests.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Tenant {
    /// Unique among tenants; a label of metrics.
    #[schemars(with = "String")]
    pub(super) name: Spanned<String>,
    /// The SHA-256 of its key in hexadecimal: `printf %s "$KEY" | sha256sum`.
    #[schemars(with = "Option<String>", regex(pattern = "^[0-9a-fA-F]{64}$"))]
    pub(super) key_sha256: Option<Spanned<String>>,
    /// The variable that holds its key.
    #[schemars(with = "Option<String>")]
    pub(super) key_env: Option<Spanned<String>>,
    /// Share among tenants.
    #[serde(default = "weight")]
    pub(super) weight: NonZeroU32,
    /// Limits of this tenant over all upstreams.
    #[serde(default)]
    pub(super) limits: Limits,
    /// What it may spend.
    #[schemars(with = "Option<Quota>")]
    pub(super) quota: Option<Spanned<Quota>>,
}

fn weight() -> NonZeroU32 {
    NonZeroU32::MIN
}

/// Which policies decide.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Policies {
    /// A watched folder, from this file's own: a component here replaces the shipped one of the same name.
    #[schemars(with = "Option<PathBuf>")]
    pub(super) dir: Option<Spanned<PathBuf>>,
    /// How much a request matters.
    pub(super) priority: Option<Choice>,
    /// Who goes next.
    pub(super) schedule: Option<Choice>,
    /// How many at once.
    pub(super) limit: Option<Choice>,
    /// What a response means.
    pub(super) classify: Option<Choice>,
    /// Whether to try again.
    pub(super) retry: Option<Choice>,
    /// Which upstream.
    pub(super) route: Option<Choice>,
    /// How many children a task may start.
    pub(super) fanout: Option<Choice>,
}

/// Who may use `/admin`. With neither key nobody may.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Admin {
    /// The variable that holds the bearer token.
    #[schemars(with = "Option<String>")]
    pub(super) token_env: Option<Spanned<String>>,
    /// The file that holds the bearer token.
    #[schemars(with = "Option<PathBuf>")]
    pub(super) token_file: Option<Spanned<PathBuf>>,
}

/// Bounds of this host itself.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Host {
    /// Bytes of a request's body; a longer one is refused with 413.
    pub(super) max_body: NonZeroUsize,
    /// Connections from callers at once.
    pub(super) max_connections: NonZeroUsize,
    /// How long a connection may take to send its request's head, and then its body.
    pub(super) read_timeout: Span,
    /// How long a caller may leave its answer unread before it is cut.
    pub(super) stall: Span,
    /// How long running requests may take to end once the host is told to stop.
    pub(super) drain: Span,
}

impl Default for Host {
    fn default() -> Self {
        let count = |count| NonZeroUsize::new(count).unwrap_or(NonZeroUsize::MIN);
        let secs = |secs| Span::new(Micros::from_secs(secs));
        Self {
            max_body: count(32 << 20),
            max_connections: count(10_000),
            read_timeout: secs(30),
            stall: secs(60),
            drain: secs(30),
        }
    }
}
