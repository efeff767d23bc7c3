//! The core's own look at itself.

use super::Core;
use crate::claim::Held;
use crate::invariant::{Broken, at_most, equal};
use crate::units::Micros;

impl Core {
    /// Checks every rule that one look at the state can check: the ledger's sums, the line's bounds and
    /// counts, and that nothing is left when nothing is inside.
    ///
    /// # Errors
    /// The first rule that does not hold.
    pub fn check_invariants(&self) -> Result<(), Broken> {
        self.ledger.check_invariants()?;
        self.ledger.check_sums(self.attempts.iter().map(|(_, attempt)| &attempt.held))?;
        let waiting = self.line.waiting();
        let by_lane = self.lane_ids().map(|id| self.line.lane(id)).sum();
        equal("waiting items by lane", by_lane, waiting)?;
        let timed = self.lanes.iter().map(|lane| lane.deadlines.len()).sum();
        equal("deadlines of waiting items", timed, waiting)?;
        equal("items inside", self.line.len(), waiting + self.attempts.len())?;
        let offered: usize = self.lane_ids().map(|id| self.line.order.len(id)).sum();
        at_most("offered items", offered, waiting)?;
        let held = self.lanes.iter().filter(|lane| lane.held.is_some()).count();
        equal("held heads", self.holds.lanes().len(), held)
    }

    /// At an admission its cell of slots holds no more than is in effect, and is open.
    pub(super) fn check_start(&self, now: Micros, held: &Held) {
        let Some(cell) = self.ledger.view(now, held.slots()) else { return };
        debug_assert!(cell.in_flight <= cell.effective, "above the limit: {cell:?}");
        debug_assert!(Micros(cell.closed_until) <= now, "closed: {cell:?}");
    }
}
