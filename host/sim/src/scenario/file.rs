//! The shape of a scenario file, and the one home of each of its defaults.
//!
//! Types here hold what a file says, each value checked alone. What must agree with something else (names,
//! times, policies) is checked when the file becomes a [`super::Plan`].

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use serde::Deserialize;
use toml::Spanned;
use weir_core::units::Micros;
use weir_settings::table::{Choice, Limits, Line, Model, Quota, Ramp, Retries};
use weir_settings::value::{Positive, Span, Time};

use super::demand::Demand;
use super::provider::Provider;

/// A world to run, once for each case.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    /// What the file shows, in a sentence.
    #[serde(default)]
    pub(super) about: String,
    /// How long requests arrive.
    pub(super) duration: Spanned<Span>,
    /// How much of it is left out of what is measured.
    #[serde(default)]
    pub(super) warm_up: Option<Spanned<Time>>,
    /// How long the run goes on after `duration` at most, without arrivals, until nothing is left.
    #[serde(default)]
    pub(super) drain: Time,
    /// Between two samples of limits and queues.
    #[serde(default = "sample")]
    pub(super) sample: Span,
    /// Of all chance; a caller of the simulation can say another.
    #[serde(default = "seed")]
    pub(super) seed: u64,
    /// Who serves.
    #[serde(default)]
    pub(super) upstream: Vec<Upstream>,
    /// Which models may serve a request. Without any: a lane for each name of a model, of all upstreams that
    /// have it.
    #[serde(default)]
    pub(super) lane: Vec<Lane>,
    /// Who sends. Without any: one tenant, `everybody`.
    #[serde(default)]
    pub(super) tenant: Vec<Tenant>,
    /// What is sent.
    #[serde(default)]
    pub(super) demand: Vec<Demand>,
    /// What decides.
    #[serde(default)]
    pub(super) policies: Policies,
    /// Policies that are swapped during the run.
    #[serde(default)]
    pub(super) swap: Vec<Swap>,
    /// Bounds of the line, as in `weir.toml`.
    #[serde(default)]
    pub(super) line: Line,
    /// The retry budget, as in `weir.toml`.
    #[serde(default)]
    pub(super) retries: Retries,
    /// How admissions come back after a closure, as in `weir.toml`.
    #[serde(default)]
    pub(super) ramp: Ramp,
    /// Several hosts that share the upstreams.
    pub(super) instances: Option<Spanned<Instances>>,
    /// Levels that the run must meet; each table's keys are [`crate::check`]'s.
    #[serde(default)]
    pub(super) pass: Vec<toml::Table>,
    /// The same world with other values.
    #[serde(default)]
    pub(super) case: Vec<Case>,
}

fn sample() -> Span {
    Span::new(Micros::SECOND)
}

const fn seed() -> u64 {
    1
}

/// An account at a provider: first what weir is told of it, as in `weir.toml`, then how it really is.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Upstream {
    /// Unique among upstreams.
    pub(super) name: Spanned<String>,
    /// Whose wire format it speaks: it shapes headers and errors.
    pub(super) kind: super::Kind,
    /// What it serves; `*` when nothing is said.
    #[serde(default)]
    pub(super) models: Vec<Spanned<String>>,
    /// Models with limits or prices of their own.
    #[serde(default)]
    pub(super) model: Vec<Model>,
    /// What weir is told of its limits.
    #[serde(default)]
    pub(super) limits: Limits,
    /// Greater is less preferred.
    #[serde(default = "base_weight")]
    pub(super) base_weight: Positive,
    /// How long weir waits for it.
    #[serde(default)]
    pub(super) timeouts: Timeouts,
    /// How it really is; weir is not told.
    pub(super) provider: Provider,
}

fn base_weight() -> Positive {
    Positive::new(1.0)
}

/// How long weir waits for an upstream.
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Timeouts {
    /// From sending to the headers of the answer.
    pub(super) headers: Span,
    /// For one attempt in all.
    pub(super) total: Span,
}

impl Default for Timeouts {
    fn default() -> Self {
        let secs = |secs| Span::new(Micros::from_secs(secs));
        Self { headers: secs(300), total: secs(900) }
    }
}

/// A set of models that some requests may use.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Lane {
    pub(super) name: Spanned<String>,
    /// Each `upstream/model`, or `upstream` alone when it has one model.
    pub(super) candidates: Vec<Spanned<String>>,
}

/// Somebody who sends requests.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Tenant {
    pub(super) name: Spanned<String>,
    /// Share among tenants.
    #[serde(default = "weight")]
    pub(super) weight: NonZeroU32,
    #[serde(default)]
    pub(super) limits: Limits,
    pub(super) quota: Option<Spanned<Quota>>,
}

fn weight() -> NonZeroU32 {
    NonZeroU32::MIN
}

/// Which policies decide: each a shipped policy's name, a path that ends in `.wasm` (from this file's folder), or
/// `none` for the host's own fallback.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Policies {
    pub(super) priority: Option<Choice>,
    pub(super) schedule: Option<Choice>,
    pub(super) limit: Option<Choice>,
    pub(super) classify: Option<Choice>,
    pub(super) retry: Option<Choice>,
    pub(super) route: Option<Choice>,
    pub(super) fanout: Option<Choice>,
}

/// Policies that change during the run.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Swap {
    pub(super) at: Spanned<Time>,
    /// One of the seven slots.
    pub(super) slot: Spanned<weir_core::Slot>,
    #[serde(rename = "use")]
    pub(super) name: Spanned<String>,
    #[serde(default)]
    pub(super) settings: BTreeMap<String, serde_json::Value>,
}

/// Several hosts, each with its own line and policies, that share every upstream through leases of its slots.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Instances {
    /// How many hosts. Requests are dealt to those that live, in turn.
    pub(super) count: NonZeroU32,
    /// How long a lease holds.
    #[serde(default = "term")]
    pub(super) term: Span,
    /// How often a host asks for another.
    #[serde(default = "refresh")]
    pub(super) refresh: Span,
    /// Without a coordinator each host learns alone.
    #[serde(default = "coordinated")]
    pub(super) coordinated: bool,
    /// Hosts that die, with what they have in flight.
    #[serde(default)]
    pub(super) kill: Vec<Kill>,
}

fn term() -> Span {
    Span::new(Micros::from_secs(10))
}

fn refresh() -> Span {
    Span::new(Micros::from_secs(2))
}

const fn coordinated() -> bool {
    true
}

/// The death of a host.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Kill {
    pub(super) at: Time,
    /// Which, from 0.
    pub(super) instance: u32,
}

/// The same world with other values.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Case {
    /// Unique among cases.
    pub(super) name: Spanned<String>,
    /// Values by the path of their keys, such as `"upstream.main.provider.concurrency" = 10`. An entry of a list is
    /// named by its `name` or its place from 0.
    #[serde(default)]
    pub(super) set: toml::Table,
    /// Levels besides the file's own, for this case alone.
    #[serde(default)]
    pub(super) pass: Vec<toml::Table>,
}
