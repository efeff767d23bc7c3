//! Checked configuration of the core. Whoever reads a file parses it into these.

use serde::{Deserialize, Serialize};

use crate::ids::CandidateId;
use crate::units::{Micros, NanoDollars, Tokens};

/// All that the core is configured with. Candidates, tenants and lanes have ids by their place here:
/// candidates count through `upstreams` and their `models` in order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Config {
    /// Seed of every draw.
    pub seed: u64,
    /// The line's bounds.
    pub line: Line,
    /// Who serves requests.
    pub upstreams: Vec<Upstream>,
    /// Who sends them; at least one.
    pub tenants: Vec<Tenant>,
    /// Which candidates may serve which requests.
    pub lanes: Vec<Lane>,
    /// The retry budget of each model at an upstream.
    pub retries: RetryBudget,
    /// How admissions come back after a closure.
    pub ramp: Ramp,
}

/// Bounds of the line of waiting requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// Waiting requests in all.
    pub max_items: usize,
    /// Waiting requests of one tenant.
    pub max_items_per_tenant: usize,
    /// Bytes of waiting bodies in all.
    pub max_bytes: u64,
    /// The deadline of a request that brings none, from its arrival.
    pub default_deadline: Micros,
    /// How often a request may be refused before work began.
    pub max_refusals: u16,
    /// Session flows remembered while idle.
    pub max_sessions: usize,
    /// How deep a tree of requests may stand for slots to be kept free for its deeper ones. One caller's
    /// nesting can keep at most so many slots of an upstream from the roots of all others.
    pub max_nesting: u16,
    /// Others may pass a held head where they do it no harm. Otherwise nobody does: strict order, the yardstick
    /// of what passing is worth.
    pub passing: bool,
}

impl Default for Line {
    fn default() -> Self {
        Self {
            max_items: 10_000,
            max_items_per_tenant: 10_000,
            max_bytes: 256 << 20,
            default_deadline: Micros::from_secs(600),
            max_refusals: 100,
            max_sessions: 10_000,
            max_nesting: 3,
            passing: true,
        }
    }
}

/// An account at a provider.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Upstream {
    /// Unique among upstreams.
    pub name: String,
    /// The kind of provider, such as `openai`.
    pub kind: String,
    /// Limits of the account: its slots, and windows that all its models share.
    pub limits: Limits,
    /// Greater is less preferred; 1.0 by default.
    pub base_weight: f64,
    /// What it serves; at least one.
    pub models: Vec<Model>,
}

/// A model at an upstream.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// As the provider names it; `*` takes any.
    pub name: String,
    /// Windows of this model alone.
    pub limits: Limits,
    /// What it costs.
    pub price: Price,
}

/// What a provider, or an operator for a tenant, limits. An absent one is learned where it can be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// In flight at once: where an upstream's limit starts; for a tenant a cap.
    pub concurrency: Option<u32>,
    /// Requests a minute.
    pub rpm: Option<u64>,
    /// Tokens a minute, input and output together.
    pub tpm: Option<u64>,
    /// Input tokens a minute.
    pub input_tpm: Option<u64>,
    /// Output tokens a minute.
    pub output_tpm: Option<u64>,
}

/// Money for a million tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Price {
    /// Input tokens.
    pub input: NanoDollars,
    /// Input tokens read from the provider's cache.
    pub cached_input: NanoDollars,
    /// Output tokens.
    pub output: NanoDollars,
}

/// Somebody who sends requests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tenant {
    /// Unique among tenants.
    pub name: String,
    /// Share among tenants; 1 or more.
    pub weight: u32,
    /// Limits of this tenant, over all upstreams.
    pub limits: Limits,
    /// What it may spend.
    pub quota: Option<Quota>,
}

/// A budget that comes back whole at the end of each period.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quota {
    /// Tokens, input and output together.
    pub tokens: Option<Tokens>,
    /// Money.
    pub cost: Option<NanoDollars>,
    /// How long a period is; periods count from the host's start.
    pub period: Micros,
    /// From this share spent, in thousandths, `budget-soft` is said and sheddable work is refused.
    pub soft: u16,
}

/// A set of candidates that some requests may use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lane {
    /// For people: the model that callers ask for.
    pub name: String,
    /// At least one, sorted, without doubles.
    pub candidates: Vec<CandidateId>,
}

/// How many retries of failures each model at an upstream allows. A refusal before work began is no failure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RetryBudget {
    /// Retries for each request, 0 to 1.
    pub ratio: f64,
    /// Retries a second that are allowed besides.
    pub reserve_per_second: f64,
    /// How long requests count.
    pub window: Micros,
    /// The most of it that one tenant may use, 0 to 1.
    pub tenant_share: f64,
}

impl Default for RetryBudget {
    fn default() -> Self {
        Self {
            ratio: 0.2,
            reserve_per_second: 10.0,
            window: Micros::from_secs(10),
            tenant_share: 0.5,
        }
    }
}

/// After a closure a cell opens with `max(1, share of its limit)` and doubles each `step` without a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ramp {
    /// 0 to 1.
    pub share: f64,
    /// Between doublings.
    pub step: Micros,
}

impl Default for Ramp {
    fn default() -> Self {
        Self { share: 0.1, step: Micros::SECOND }
    }
}
