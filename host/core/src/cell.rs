//! A cell: one thing that can run out, a (scope, dimension).

use weir_sdk::types::Demand;




use crate::ids::{CandidateId, CellId, TenantId};
use crate::output::Blocked;



/// Whose a cell is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// A tenant of this gateway, over all upstreams.
    Tenant(TenantId),
    /// One model at one upstream.
    Model(CandidateId),
    /// A whole account at a provider: an upstream, by its place in the configuration.
    Account(u32),
}

/// What of it can run out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dimension {
    /// Attempts in flight.
    Slots,
    /// Requests in a window.
    Requests,
    /// Tokens in a window, input and output together.
    Tokens,
    /// Input tokens in a window.
    Input,
    /// Output tokens in a window.
    Output,
    /// Requests a second that the limit policy allows.
    RequestRate,
    /// Tokens a second that the limit policy allows.
    TokenRate,
    /// Tokens of a tenant's quota.
    TokenBudget,
    /// Money of a tenant's quota.
    MoneyBudget,
}

impl Dimension {
    /// The word used in events and metrics.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Slots => "slots",
            Self::Requests => "requests",
            Self::Tokens => "tokens",
            Self::Input => "input",
            Self::Output => "output",
            Self::RequestRate => "request_rate",
            Self::TokenRate => "token_rate",
            Self::TokenBudget => "token_budget",
            Self::MoneyBudget => "money_budget",
        }
    }

    /// What a request lacks that does not fit.
    #[must_use]
    pub const fn blocked(self) -> Blocked {
        match self {
            Self::Slots => Blocked::Slots,
            Self::Requests | Self::RequestRate => Blocked::Requests,
            Self::Tokens | Self::TokenRate => Blocked::Tokens,
            Self::Input => Blocked::Input,
            Self::Output => Blocked::Output,
            Self::TokenBudget | Self::MoneyBudget => Blocked::Budget,
        }
    }

    /// How much a demand takes of it.
    #[must_use]
    pub fn amount(self, demand: &Demand) -> u64 {
        match self {
            Self::Slots => u64::from(demand.slots),
            Self::Requests | Self::RequestRate => u64::from(demand.requests),
            Self::Tokens | Self::TokenRate | Self::TokenBudget => {
                demand.input.saturating_add(demand.output)
            }
            Self::Input => demand.input,
            Self::Output => demand.output,
            Self::MoneyBudget => demand.cost,
        }
    }
}

/// One thing that can run out.
#[derive(Debug)]
pub struct Cell {}
