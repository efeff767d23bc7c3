//! The ledger's rules as predicates, for tests, debug builds and simulations.

use super::Ledger;
use crate::cell::{Body, Cell};
use crate::claim::Held;
use crate::ids::CellId;

/// A rule that does not hold: a defect of this program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cell {cell}: {what} is {found}, where {bound} is right")]
pub struct Broken {
    /// Which cell.
    pub cell: CellId,
    /// Which number of it.
    pub what: &'static str,
    /// What it is.
    pub found: i128,
    /// What it should be, or should not pass.
    pub bound: i128,
}

impl Ledger {
    /// Checks what one look at the cells can check.
    ///
    /// # Errors
    /// The first rule that does not hold.
    pub fn check_invariants(&self) -> Result<(), Broken> {
        self.cells.iter().try_for_each(Cell::audit)
    }

    /// Checks that what attempts hold sums to what each cell says is held. `held` is everything that was
    /// committed and is not settled.
    ///
    /// # Errors
    /// The first cell whose sum differs.
    pub fn check_sums<'a>(&self, held: impl IntoIterator<Item = &'a Held>) -> Result<(), Broken> {
        let mut sums = vec![0_u64; self.cells.len()];
        for held in held {
            for part in &held.claim.parts {
                let cell = part.cell.0 as usize;
                let slots = matches!(self.cells[cell].body, Body::Slots(_) | Body::Cap(_));
                if !(held.parked && slots) {
                    sums[cell] += part.amount;
                }
            }
        }
        let mut pairs = self.cells.iter().zip(sums);
        pairs.try_for_each(|(cell, sum)| cell.equal("held", cell.held, sum))
    }
}

impl Cell {
    fn audit(&self) -> Result<(), Broken> {
        self.at_most("unseen", self.unseen, self.held)?;
        match &self.body {
            Body::Slots(slots) => {
                self.equal("in flight", slots.in_flight(), self.held)?;
                self.equal("in flight by class", slots.sum_of_classes(), self.held)
            }
            Body::Cap(cap) => self.equal("in flight", cap.in_flight, self.held),
            Body::Window(bucket) => bucket
                .audit()
                .map_or(Ok(()), |(level, capacity)| self.at_most("level", level, capacity)),
            Body::Budget(budget) => self.equal("reserved", budget.reserved(), self.held),
        }
    }

    fn equal(
        &self,
        what: &'static str,
        found: impl Into<i128>,
        bound: impl Into<i128>,
    ) -> Result<(), Broken> {
        let (found, bound) = (found.into(), bound.into());
        if found == bound { Ok(()) } else { Err(Broken { cell: self.id, what, found, bound }) }
    }

    fn at_most(
        &self,
        what: &'static str,
        found: impl Into<i128>,
        bound: impl Into<i128>,
    ) -> Result<(), Broken> {
        let (found, bound) = (found.into(), bound.into());
        if found <= bound { Ok(()) } else { Err(Broken { cell: self.id, what, found, bound }) }
    }
}
