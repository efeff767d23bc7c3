//! Who has which cells.
//!
//! Upstreams, models and tenants get a number at their first appearance and keep it for the host's life, so
//! that an attempt admitted before a reload finds its own. Places in the configuration map to numbers.

use crate::cell::{DIMENSIONS, Dimension};
use crate::claim::MAX_PARTS;
use crate::config::{Price, Quota};
use crate::ids::{CellId, TenantId};
use crate::retry_budget::RetryBudget;

/// At most one cell for each dimension.
#[derive(Clone, Debug, Default)]
pub(super) struct Set([Option<CellId>; DIMENSIONS]);

impl Set {
    pub(super) fn get(&self, dimension: Dimension) -> Option<CellId> {
        self.0[dimension as usize]
    }

    pub(super) fn set(&mut self, dimension: Dimension, cell: Option<CellId>) {
        self.0[dimension as usize] = cell;
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = CellId> + '_ {
        self.0.iter().flatten().copied()
    }

    pub(super) fn take(&mut self) -> Self {
        std::mem::take(self)
    }
}

/// An upstream.
#[derive(Debug)]
pub(super) struct Account {
    pub(super) name: String,
    pub(super) live: bool,
    pub(super) cells: Set,
}

/// A model at an upstream.
#[derive(Debug)]
pub(super) struct Model {
    pub(super) account: u32,
    pub(super) name: String,
    pub(super) price: Price,
    pub(super) cells: Set,
    pub(super) retries: RetryBudget,
}

/// A tenant.
#[derive(Debug)]
pub(super) struct Tenant {
    pub(super) name: String,
    /// Its place in the configuration; `None` once it is gone.
    pub(super) place: Option<TenantId>,
    pub(super) quota: Option<Quota>,
    pub(super) cells: Set,
    /// The numbers of the periods in which each threshold was last said.
    pub(super) said: [Option<u64>; 2],
}

/// All of them by number, and the numbers by place.
#[derive(Debug, Default)]
pub(super) struct Layout {
    pub(super) accounts: Vec<Account>,
    pub(super) models: Vec<Model>,
    pub(super) tenants: Vec<Tenant>,
    /// Numbers of accounts by the place of their upstream.
    pub(super) upstreams: Vec<u32>,
    /// Numbers of models by candidate.
    pub(super) candidates: Vec<u32>,
    /// Numbers of tenants by place.
    pub(super) places: Vec<u32>,
}

// An account and a tenant have seven dimensions each, a model four.
const _: () = assert!(MAX_PARTS >= 7 + 4 + 7);

impl Layout {
    pub(super) fn account_of(&self, model: u32) -> &Account {
        &self.accounts[self.models[model as usize].account as usize]
    }
}
