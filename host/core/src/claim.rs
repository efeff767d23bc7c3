//! What one attempt needs, and what it holds.
//!
//! A [`Claim`] says which cells an attempt needs and how much of each. [`crate::ledger::Ledger::commit`]
//! takes all of it or nothing and answers with a [`Held`], which is the only way to give it back: settling
//! consumes it, so that nothing can be given back twice.

use arrayvec::ArrayVec;
use weir_sdk::limit;
use weir_sdk::types::Demand;

use crate::cell::Scope;
use crate::config::Price;
use crate::ids::{CandidateId, CellId, TenantId};
use crate::output::Blocked;
use crate::units::{Micros, NanoDollars, Tokens};

/// The most cells that an attempt can claim: seven of the account, four of the model, seven of the tenant.
pub(crate) const MAX_PARTS: usize = 18;

/// So much of one cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Which cell.
    pub cell: CellId,
    /// In the cell's own unit: attempts, requests, tokens, or billionths of a dollar.
    pub amount: u64,
}

/// The cells that one attempt needs, sorted by cell, each once.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// For which candidate.
    pub candidate: CandidateId,
    /// For which tenant.
    pub tenant: TenantId,
    /// What was asked for.
    pub demand: Demand,
    /// 0 to 3, by predicted duration.
    pub size_class: u8,
    /// Slots that must stay free in the account beside this attempt, kept for deeper descendants of
    /// parents in flight. 0 for most.
    pub spare: u32,
    /// The ledger's number of the model: it outlives a reload, as the candidate's place may not.
    pub(crate) model: u32,
    /// What is asked of each cell.
    pub(crate) parts: ArrayVec<Part, MAX_PARTS>,
}

/// What an admitted attempt has taken. It must be settled; dropping it leaves what it holds taken.
#[derive(Debug, PartialEq)]
#[must_use = "what is held must be settled, or it stays taken"]
pub struct Held {
    pub(crate) claim: Claim,
    pub(crate) price: Price,
    /// The account's cell of slots.
    pub(crate) slots: CellId,
    pub(crate) stamp: Stamp,
    /// Its slots are given up while a parent waits for its children.
    pub(crate) parked: bool,
    /// The provider has counted it: its headers were seen.
    pub(crate) accepted: bool,
}

/// How the account's cell of slots stood when an attempt was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// When it was sent.
    pub sent: Micros,
    /// In flight, itself included.
    pub in_flight: u32,
    /// The effective limit.
    pub limit: u32,
    /// The limit policy's mark.
    pub mark: u64,
}

/// Why a claim does not fit now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Short {
    /// It fits later.
    NotUntil(NotUntil),
    /// It can never fit.
    Never(Never),
}

/// What a claim waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotUntil {
    /// The narrowest cell that is short: a tenant's before a model's before an account's; of several of
    /// one scope the one that fits last.
    pub cell: CellId,
    /// Whose that is.
    pub scope: Scope,
    /// What that lacks.
    pub blocked: Blocked,
    /// When the last of the cells that time refills, opens or renews would fit the claim, if nothing else
    /// were taken. `None` when none of them is short, so that only a release can help, or when
    /// a budget never comes back.
    pub until: Option<Micros>,
    /// A cell that waits for a release, whatever the time: all its slots are taken, or what is left of
    /// the budget is reserved by attempts in flight. What it lacks is then called slots.
    pub slots: Option<CellId>,
    /// No other cell is short.
    pub alone: bool,
}

/// Why a claim can never fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Never {
    /// The cell that is too small.
    pub cell: CellId,
    /// What that is.
    pub blocked: Blocked,
    /// What the claim needs of it.
    pub needs: u64,
    /// What it holds at most.
    pub capacity: u64,
}

/// What came of growing a reservation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    /// The stream goes on with so much output reserved.
    Reserved(Tokens),
    /// A hard budget is spent: the stream must end. Nothing more was reserved.
    Cut {
        /// When the budget comes back, from now; `None` when it never does.
        retry_after: Option<Micros>,
    },
}

/// How an attempt's reservation is settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Usage {
    /// The provider said what it counted.
    Exact(crate::input::Usage),
    /// It did not say: the reservation is kept, or more when the driver has seen more output.
    Unknown {
        /// Output tokens that the driver counted.
        output_seen: Tokens,
    },
    /// The provider refused before work began: tokens and money are given back. Requests of the provider's
    /// windows are not, because providers count refused requests too; those of the tenant are.
    Refused,
    /// It never reached the provider: everything is given back.
    Unsent,
}

/// What is free for one attempt, for each dimension the least of its cells. The most that can be said where
/// nothing is limited, and where a bucket is full: then one request of any size may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Slots.
    pub slots: u32,
    /// Requests.
    pub requests: u64,
    /// Input tokens; a joint window counts for input and for output.
    pub input: Tokens,
    /// Output tokens.
    pub output: Tokens,
    /// Money.
    pub cost: NanoDollars,
    /// A cell is closed until then, and what it limits is zero.
    pub closed_until: Option<Micros>,
}

impl Room {
    /// Nothing is limited.
    pub const UNLIMITED: Self = Self {
        slots: u32::MAX,
        requests: u64::MAX,
        input: Tokens::MAX,
        output: Tokens::MAX,
        cost: NanoDollars::MAX,
        closed_until: None,
    };
}

impl Claim {
    /// Keeps so many slots of the account free beside this attempt.
    #[must_use]
    pub fn keeping(mut self, spare: u32) -> Self {
        self.spare = spare;
        self
    }

    /// What is asked of each cell, sorted by cell.
    #[must_use]
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }
}

impl NotUntil {
    /// The account's cell of slots, when the claim waits for its slots and for nothing else.
    #[must_use]
    pub fn slots_alone(&self) -> Option<CellId> {
        self.slots.filter(|_| self.alone && matches!(self.scope, Scope::Account(_)))
    }
}

impl Held {
    /// The attempt as limit policies are told it.
    #[must_use]
    pub fn attempt(&self) -> limit::Attempt {
        limit::Attempt {
            sent: self.stamp.sent.0,
            in_flight: self.stamp.in_flight,
            limit: self.stamp.limit,
            mark: self.stamp.mark,
            size_class: self.claim.size_class,
        }
    }

    /// The claim it took, grown with its reservation.
    #[must_use]
    pub fn claim(&self) -> &Claim {
        &self.claim
    }

    /// The account's cell of slots.
    #[must_use]
    pub fn slots(&self) -> CellId {
        self.slots
    }

    /// How that stood when the attempt was sent.
    #[must_use]
    pub fn stamp(&self) -> Stamp {
        self.stamp
    }

    /// Output tokens that are reserved.
    #[must_use]
    pub fn output_reserved(&self) -> Tokens {
        Tokens(self.claim.demand.output)
    }

    /// Its slots are given up for the time being.
    #[must_use]
    pub fn is_parked(&self) -> bool {
        self.parked
    }
}
