//! The limit policy's side of the ledger.

use weir_sdk::limit;

use super::Ledger;
use crate::cell::{Body, Dimension, Scope};
use crate::ids::CellId;
use crate::slots::{Change, Nonsense, SlotCell};
use crate::units::Micros;

impl Ledger {
    /// How an account's cell of slots stands, for the limit policy. `None` for any other cell.
    #[must_use]
    pub fn view(&self, now: Micros, cell: CellId) -> Option<limit::Cell> {
        let found = self.cell(cell)?;
        let closed_until = found.closure.until(now);
        found.slots().map(|slots| slots.view(now, cell, closed_until))
    }

    /// What a limit policy that is new to a cell starts with: the configured limit, or that of the policy
    /// before.
    #[must_use]
    pub fn opening(&self, cell: CellId) -> Option<limit::Opening> {
        self.cell(cell)?.slots().map(SlotCell::opening)
    }

    /// Takes a limit policy's answer over: limit, caps, closure, rates, wake and mark. Answers the change of
    /// the effective limit, when there is one.
    ///
    /// # Errors
    /// The answer makes no sense; nothing of it was taken over.
    pub fn apply(
        &mut self,
        now: Micros,
        cell: CellId,
        answer: &limit::Answer,
    ) -> Result<Option<Change>, Nonsense> {
        let scope = self.cell(cell).filter(|cell| !cell.retired).map(|cell| cell.scope);
        let scope = scope.ok_or(Nonsense::NoSuchCell(cell))?;
        let slots = self.at(cell).slots_mut().ok_or(Nonsense::NoSuchCell(cell))?;
        slots.apply(now, answer)?;
        if let Some(until) = slots.asks(Micros(answer.closed_until)) {
            self.close(now, cell, until);
        }
        self.pace(now, scope, Dimension::RequestRate, answer.request_rate);
        self.pace(now, scope, Dimension::TokenRate, answer.token_rate);
        Ok(self.tell(now, cell, true))
    }

    /// The change of an effective limit since it was last told: a closure, a ramp or the provider's word
    /// moved it. Ask after those, and at [`Self::next_open`].
    pub fn drift(&mut self, now: Micros, cell: CellId) -> Option<Change> {
        self.tell(now, cell, false)
    }

    /// Sets how many requests wait for this cell's slots and for nothing else.
    pub fn set_slot_blocked(&mut self, cell: CellId, waiting: u32) {
        if let Some(slots) = self.cells.get_mut(cell.0 as usize).and_then(|cell| cell.slots_mut()) {
            slots.set_slot_blocked(waiting);
        }
    }

    /// The cells whose limit policy asked to be woken by now. Each is said once.
    pub fn due_wakes(&mut self, now: Micros) -> Vec<CellId> {
        let mut due: Vec<CellId> = self.slot_cells().collect();
        due.retain(|cell| self.at(*cell).slots_mut().is_some_and(|slots| slots.take_wake(now)));
        due
    }

    /// When something happens by itself next: a closure ends, a ramp goes on, a policy's wake is due.
    /// Buckets are not in it: [`crate::claim::NotUntil::until`] says when a claim fits.
    #[must_use]
    pub fn next_open(&self, now: Micros) -> Option<Micros> {
        // Tenants' cells are never closed, and there can be thousands.
        let accounts =
            self.layout.upstreams.iter().map(|at| &self.layout.accounts[*at as usize].cells);
        let models =
            self.layout.candidates.iter().map(|at| &self.layout.models[*at as usize].cells);
        let live = accounts.chain(models).flat_map(|set| set.iter());
        live.map(|cell| &self.cells[cell.0 as usize])
            .flat_map(|cell| {
                let trickle = cell.trickle.filter(|trickle| !trickle.is_over(now));
                [
                    cell.closure.until(now),
                    trickle.map(|trickle| trickle.next(now)),
                    cell.slots().and_then(|slots| slots.next_open(now)),
                    cell.slots().and_then(SlotCell::wake),
                ]
            })
            .flatten()
            .min()
    }

    pub(super) fn tell(&mut self, now: Micros, cell: CellId, by_policy: bool) -> Option<Change> {
        self.cells.get_mut(cell.0 as usize)?.slots_mut()?.tell(now, cell, by_policy)
    }

    /// A rate is a window of its own, made when it is first asked for.
    fn pace(&mut self, now: Micros, scope: Scope, dimension: Dimension, rate: Option<f64>) {
        let cell = match (self.find(scope, dimension), rate) {
            (None, None) => return,
            (Some(cell), _) => cell,
            (None, Some(_)) => self.window(now, scope, dimension),
        };
        if let Body::Window(bucket) = &mut self.at(cell).body {
            bucket.pace(now, rate);
        }
    }
}
