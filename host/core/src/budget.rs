//! What a tenant may spend in a period.

use crate::ids::TenantId;
use crate::units::{Micros, NanoDollars, Tokens};

/// A threshold that a tenant's budget passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crossing {
    /// Whose.
    pub tenant: TenantId,
    /// Which threshold.
    pub threshold: Threshold,
    /// What is left.
    pub left: Left,
}

/// Which threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threshold {
    /// The soft share is spent.
    Soft,
    /// It is spent, or too little is left for a request that came.
    Hard,
}

/// What is left of a tenant's budget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Left {
    /// Tokens, when they are limited.
    pub tokens: Option<Tokens>,
    /// Money, when it is limited.
    pub cost: Option<NanoDollars>,
    /// When the budget comes back, from now; `None` when it never does or there is none.
    pub renews: Option<Micros>,
}
