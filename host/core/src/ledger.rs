//! The ledger: every cell, and what is taken from it.
//!
//! It answers whether a claim fits, takes a whole claim or nothing, corrects itself by what providers say,
//! and closes the cell that a refusal is about and nothing beside it. It calls no policy and says no event;
//! whoever drives it does.
//!
//! Rules that always hold, checked by [`Ledger::check_invariants`]:
//!
//! - What attempts hold of a cell sums to what the cell says is held. When nothing is in flight it is zero.
//! - A bucket never holds more than its capacity. It may owe: debt is kept until refill has paid it.
//! - At a commit, slots in flight are at most the effective limit.
//! - A closure only lengthens, until an operator or a later success clears it.
//! - A cell's id is never reused. A cell that configuration drops is retired; what is held of it is still
//!   given back to it.

mod admit;
mod audit;
mod budgets;
mod configure;
mod facts;
mod flight;
mod freeze;
mod layout;
mod limits;

pub use self::audit::Broken;
pub(crate) use self::freeze::LONGEST as LONGEST_CLOSURE;
pub use self::freeze::{Frozen, Target};
use self::layout::Layout;
use crate::budget::Crossing;
use crate::cell::{Cell, Dimension, Scope};
use crate::config;
use crate::ids::{CandidateId, CellId};

/// All cells. See the module's text.
#[derive(Debug)]
pub struct Ledger {
    /// By id; a cell is never removed.
    cells: Vec<Cell>,
    layout: Layout,
    ramp: config::Ramp,
    crossings: Vec<Crossing>,
}

/// What a new configuration did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reconfigured {
    /// Cells of slots of accounts that are new: ask the limit policy to open them.
    pub opened: Vec<CellId>,
    /// Every cell that is gone, governed or not.
    pub retired: Vec<CellId>,
}

impl Ledger {
    /// How many candidates the configuration has; their ids are the numbers below.
    #[must_use]
    pub fn candidates(&self) -> u32 {
        self.layout.candidates.len() as u32
    }

    /// The account's cell of slots for a candidate. `None` for a candidate that is not configured.
    #[must_use]
    pub fn slots_of(&self, candidate: CandidateId) -> Option<CellId> {
        let model = self.model_of(candidate)?;
        self.layout.account_of(model).cells.get(Dimension::Slots)
    }

    /// Every account's cell of slots, in the order of upstreams.
    pub fn slot_cells(&self) -> impl Iterator<Item = CellId> + '_ {
        let accounts = self.layout.upstreams.iter();
        accounts
            .filter_map(|number| self.layout.accounts[*number as usize].cells.get(Dimension::Slots))
    }

    /// A cell, retired ones included.
    #[must_use]
    pub fn cell(&self, id: CellId) -> Option<&Cell> {
        self.cells.get(id.0 as usize)
    }

    /// Every cell, retired ones included, by id.
    #[must_use]
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// The upstream and model of a cell, for events; the model is empty for an account's, both for a
    /// tenant's.
    #[must_use]
    pub fn names(&self, id: CellId) -> (&str, &str) {
        match self.cell(id).map(|cell| cell.scope) {
            Some(Scope::Account(number)) => (&self.layout.accounts[number as usize].name, ""),
            Some(Scope::Model(number)) => {
                let model = &self.layout.models[number as usize];
                (&self.layout.account_of(number).name, &model.name)
            }
            Some(Scope::Tenant(_)) | None => ("", ""),
        }
    }

    /// Both candidates draw on a common cell of a provider, so their lanes share a group: they are of one
    /// account.
    #[must_use]
    pub fn share(&self, a: CandidateId, b: CandidateId) -> bool {
        self.slots_of(a).is_some() && self.slots_of(a) == self.slots_of(b)
    }

    fn model_of(&self, candidate: CandidateId) -> Option<u32> {
        self.layout.candidates.get(candidate.0 as usize).copied()
    }

    fn at(&mut self, id: CellId) -> &mut Cell {
        &mut self.cells[id.0 as usize]
    }
}
