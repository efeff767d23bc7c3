//! What a person would ask about, as data.

use serde::{Deserialize, Serialize};

use crate::ids::ItemId;
use crate::output::Refusal;
use crate::units::{Micros, NanoDollars, Tokens};

/// One event. Serialised with the tag `event` in kebab-case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// A request was sent to a candidate.
    Admitted {
        /// Which.
        item: ItemId,
        /// Whose.
        tenant: String,
        /// Where to.
        upstream: String,
        /// Which model.
        model: String,
        /// 1 for its first attempt.
        attempt: u16,
        /// How long it waited.
        waited: Micros,
        /// Its score, when a route policy chose it.
        score: Option<f64>,
        /// The route policy's reason code; 0 when it had one candidate.
        reason: u16,
    },
    /// A request was refused by this host.
    Refused {
        /// Which.
        item: ItemId,
        /// Whose.
        tenant: String,
        /// Why.
        refusal: Refusal,
    },
    /// The effective limit of an upstream changed.
    ConcurrencyChanged {
        /// Whose.
        upstream: String,
        /// What the policy answered.
        limit: u32,
        /// What holds.
        effective: u32,
        /// `rate_limited`, `recovered`, `latency`, `idle_reset`, `swapped`, or another of the SDK's reasons.
        reason: String,
    },
    /// A cell admits nothing for a while.
    Cooldown {
        /// Whose.
        upstream: String,
        /// Which part of it: empty for the account, else the model.
        model: String,
        /// Which dimension of it: `slots`, `requests`, `input`, `output`, `tokens`.
        dimension: String,
        /// How long from now.
        span: Micros,
        /// The kind of the verdict that closed it.
        kind: String,
    },
    /// A request goes back to the line.
    Retried {
        /// Which.
        item: ItemId,
        /// From where.
        upstream: String,
        /// The kind of the verdict.
        kind: String,
        /// It was refused before work began, so that no retry budget is charged.
        flow_control: bool,
        /// How long from now.
        after: Micros,
    },
    /// A request goes on at another upstream than its last attempt.
    Rerouted {
        /// Which.
        item: ItemId,
        /// The last.
        from: String,
        /// The next.
        to: String,
    },
    /// A tenant's budget is nearly spent.
    BudgetSoft {
        /// Whose.
        tenant: String,
        /// Tokens left, when tokens are limited.
        tokens_left: Option<Tokens>,
        /// Money left, when money is limited.
        cost_left: Option<NanoDollars>,
    },
    /// A tenant's budget is spent.
    BudgetHard {
        /// Whose.
        tenant: String,
        /// When it comes back, from now.
        retry_after: Micros,
    },
}
