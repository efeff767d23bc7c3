//! Tables that mean the same in `weir.toml` and in a scenario, and the one home of their defaults.

use std::collections::BTreeMap;
use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::Spanned;
use weir_core::config as core;
use weir_core::units::{Micros, Tokens};

use super::value::{Dollars, Positive, Share, Span};

/// A model with limits or prices of its own.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// As the provider names it, or `*`.
    #[schemars(with = "String")]
    pub name: Spanned<String>,
    /// Limits of this model alone.
    #[serde(default)]
    pub limits: Limits,
    /// What it costs.
    #[serde(default)]
    pub price: Price,
}

/// What is limited. An absent one is learned where it can be.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// In flight at once: where an upstream's limit starts; for a tenant a cap.
    #[schemars(with = "Option<NonZeroU32>")]
    pub concurrency: Option<Spanned<NonZeroU32>>,
    /// Requests a minute.
    pub rpm: Option<NonZeroU64>,
    /// Tokens a minute, input and output together.
    pub tpm: Option<NonZeroU64>,
    /// Input tokens a minute.
    pub input_tpm: Option<NonZeroU64>,
    /// Output tokens a minute.
    pub output_tpm: Option<NonZeroU64>,
}

/// US dollars for a million tokens.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Price {
    /// Input tokens.
    pub input: Dollars,
    /// Input tokens read from the provider's cache; as other input when absent.
    pub cached_input: Option<Dollars>,
    /// Output tokens.
    pub output: Dollars,
}

/// A budget that comes back whole at the end of each period. Tokens, dollars or both must be given.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Quota {
    /// Tokens, input and output together.
    pub tokens: Option<NonZeroU64>,
    /// US dollars.
    pub usd: Option<Dollars>,
    /// How long a period is; periods count from the host's start.
    pub period: Span,
    /// From this share spent, sheddable work is refused.
    pub soft: Share,
}

/// Bounds of the line of waiting requests.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Line {
    /// Waiting requests in all.
    pub max_items: NonZeroUsize,
    /// Waiting requests of one tenant.
    pub max_items_per_tenant: NonZeroUsize,
    /// Bytes of waiting bodies in all.
    pub max_bytes: NonZeroU64,
    /// How long a request that brings no deadline may wait; once it is answered, `timeouts` bound it.
    pub default_deadline: Span,
    /// How often a request may be refused before work began.
    pub max_refusals: u16,
    /// Sessions remembered while idle.
    pub max_sessions: NonZeroUsize,
    /// How deep a tree of requests may stand for slots to be kept free for its deeper ones.
    pub max_nesting: u16,
    /// Others may pass a request that waits for room; otherwise strict order.
    pub passing: bool,
}

/// How many retries of failures an upstream or model allows.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Retries {
    /// Retries for each request.
    pub ratio: Share,
    /// Retries a second that are allowed besides.
    pub reserve_per_second: Positive,
    /// How long requests count.
    pub window: Span,
    /// The most of it that one tenant may use.
    pub tenant_share: Share,
}

/// After a closure admissions start with a share of the limit and double each step without a refusal.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Ramp {
    /// Of the limit; one request at least.
    pub share: Share,
    /// Between doublings.
    pub step: Span,
}

/// A policy for a slot.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table such as { use = \"limit-aimd\" }")]
pub struct Choice {
    /// Its name, which is its file's name without `.wasm`.
    #[serde(rename = "use")]
    #[schemars(with = "String")]
    pub name: Spanned<String>,
    /// What it is started with; the documentation of the policy tells what it takes, and an unknown one is refused.
    #[serde(default)]
    pub settings: BTreeMap<String, serde_json::Value>,
}

impl Default for Quota {
    fn default() -> Self {
        let period = Span::new(Micros::from_secs(24 * 60 * 60));
        Self { tokens: None, usd: None, period, soft: Share::new(0.8) }
    }
}

impl Default for Line {
    fn default() -> Self {
        let line = core::Line::default();
        let count = |count| NonZeroUsize::new(count).unwrap_or(NonZeroUsize::MIN);
        Self {
            max_items: count(line.max_items),
            max_items_per_tenant: count(line.max_items_per_tenant),
            max_bytes: NonZeroU64::new(line.max_bytes).unwrap_or(NonZeroU64::MIN),
            default_deadline: Span::new(line.default_deadline),
            max_refusals: line.max_refusals,
            max_sessions: count(line.max_sessions),
            max_nesting: line.max_nesting,
            passing: line.passing,
        }
    }
}

impl Default for Retries {
    fn default() -> Self {
        let budget = core::RetryBudget::default();
        Self {
            ratio: Share::new(budget.ratio),
            reserve_per_second: Positive::new(budget.reserve_per_second),
            window: Span::new(budget.window),
            tenant_share: Share::new(budget.tenant_share),
        }
    }
}

impl Default for Ramp {
    fn default() -> Self {
        let ramp = core::Ramp::default();
        Self { share: Share::new(ramp.share), step: Span::new(ramp.step) }
    }
}

impl Model {
    /// As the core takes it.
    #[must_use]
    pub fn core(&self) -> core::Model {
        core::Model {
            name: self.name.get_ref().clone(),
            limits: self.limits.core(),
            price: self.price.core(),
        }
    }
}

/// A model of which only the name is known.
#[must_use]
pub fn plain_model(name: &str) -> core::Model {
    let (limits, price) = (core::Limits::default(), core::Price::default());
    core::Model { name: name.to_owned(), limits, price }
}

impl Limits {
    /// As the core takes them.
    #[must_use]
    pub fn core(&self) -> core::Limits {
        core::Limits {
            concurrency: self.concurrency.as_ref().map(|slots| slots.get_ref().get()),
            rpm: self.rpm.map(NonZeroU64::get),
            tpm: self.tpm.map(NonZeroU64::get),
            input_tpm: self.input_tpm.map(NonZeroU64::get),
            output_tpm: self.output_tpm.map(NonZeroU64::get),
        }
    }
}

impl Price {
    /// As the core takes it.
    #[must_use]
    pub fn core(&self) -> core::Price {
        core::Price {
            input: self.input.nano(),
            cached_input: self.cached_input.unwrap_or(self.input).nano(),
            output: self.output.nano(),
        }
    }
}

impl Quota {
    /// As the core takes it; `None` when neither tokens nor dollars are given.
    #[must_use]
    pub fn core(&self) -> Option<core::Quota> {
        (self.tokens.is_some() || self.usd.is_some()).then(|| core::Quota {
            tokens: self.tokens.map(|tokens| Tokens(tokens.get())),
            cost: self.usd.map(Dollars::nano),
            period: self.period.get(),
            soft: self.soft.thousandths(),
        })
    }
}

impl Line {
    /// As the core takes them.
    #[must_use]
    pub fn core(&self) -> core::Line {
        core::Line {
            max_items: self.max_items.get(),
            max_items_per_tenant: self.max_items_per_tenant.get(),
            max_bytes: self.max_bytes.get(),
            default_deadline: self.default_deadline.get(),
            max_refusals: self.max_refusals,
            max_sessions: self.max_sessions.get(),
            max_nesting: self.max_nesting,
            passing: self.passing,
        }
    }
}

impl Retries {
    /// As the core takes them.
    #[must_use]
    pub fn core(&self) -> core::RetryBudget {
        core::RetryBudget {
            ratio: self.ratio.get(),
            reserve_per_second: self.reserve_per_second.get(),
            window: self.window.get(),
            tenant_share: self.tenant_share.get(),
        }
    }
}

impl Ramp {
    /// As the core takes it.
    #[must_use]
    pub fn core(&self) -> core::Ramp {
        core::Ramp { share: self.share.get(), step: self.step.get() }
    }
}
