//! The states of a limit policy, by cell.
//!
//! A state can be restored before its cell is opened or after it: the host opens cells in a new instance
//! and then hands it the old one's memory, or hands the memory of an earlier run first. Within one run an id
//! says which cell is meant; across runs only its name does.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Answer, Attempt, Cell, Ending, Limit, Opening};
use crate::codes::names;
use crate::component::Part;
use crate::lifecycle::{Named, Origin};
use crate::types::CellId;
use crate::units::Micros;

/// The states of a limit policy, by cell.
pub struct Cells<P: Limit> {
    open: BTreeMap<CellId, P::State>,
    names: BTreeMap<CellId, String>,
    /// Restored, and not opened yet.
    saved: Vec<Saved<P::State>>,
}

/// One cell's state, as it is saved.
#[derive(Serialize, Deserialize)]
struct Saved<S> {
    /// 0 once the id has lost its meaning.
    id: CellId,
    name: Option<String>,
    state: S,
}

/// As [`Saved`], without owning the state.
#[derive(Serialize)]
struct Saving<'a, S> {
    id: CellId,
    name: Option<&'a String>,
    state: &'a S,
}

impl<P: Limit> Default for Cells<P> {
    fn default() -> Self {
        Self { open: BTreeMap::new(), names: BTreeMap::new(), saved: Vec::new() }
    }
}

impl<P: Limit> Cells<P> {
    pub(crate) fn open(
        &mut self,
        policy: &mut P,
        now: Micros,
        cell: &Cell,
        opening: &Opening,
    ) -> Answer {
        let fresh = policy.open(now, cell, opening);
        let state = match self.take_saved(cell.id) {
            Some(saved) => policy.adopt(saved, fresh),
            None => fresh,
        };
        let answer = policy.answer(&state);
        self.open.insert(cell.id, state);
        answer
    }

    pub(crate) fn accepted(
        &mut self,
        policy: &mut P,
        now: Micros,
        cell: &Cell,
        attempt: &Attempt,
    ) -> Answer {
        let state = self.state(policy, now, cell);
        policy.accepted(state, now, cell, attempt)
    }

    pub(crate) fn ended(
        &mut self,
        policy: &mut P,
        now: Micros,
        cell: &Cell,
        attempt: &Attempt,
        ending: &Ending,
    ) -> Answer {
        let state = self.state(policy, now, cell);
        policy.ended(state, now, cell, attempt, ending)
    }

    pub(crate) fn wake(&mut self, policy: &mut P, now: Micros, cell: &Cell) -> Answer {
        let state = self.state(policy, now, cell);
        policy.wake(state, now, cell)
    }

    pub(crate) fn close(&mut self, id: CellId) {
        self.open.remove(&id);
        self.names.remove(&id);
    }

    /// The state of a cell; one that was never opened opens at the limit it has.
    fn state(&mut self, policy: &mut P, now: Micros, cell: &Cell) -> &mut P::State {
        let opening = Opening { start: cell.limit, ceiling: 0 };
        self.open.entry(cell.id).or_insert_with(|| policy.open(now, cell, &opening))
    }

    fn take_saved(&mut self, id: CellId) -> Option<P::State> {
        let name = self.names.get(&id);
        let same = |saved: &Saved<P::State>| match saved.id {
            0 => name.is_some() && saved.name.as_ref() == name,
            saved => saved == id,
        };
        let at = self.saved.iter().position(same)?;
        Some(self.saved.swap_remove(at).state)
    }
}

impl<P: Limit> Part<P> for Cells<P> {
    fn save(&self, _policy: &P) -> Value {
        let one = |(id, state): (&CellId, _)| Saving { id: *id, name: self.names.get(id), state };
        serde_json::to_value(self.open.iter().map(one).collect::<Vec<_>>()).unwrap_or_default()
    }

    fn restore(&mut self, policy: &mut P, state: Value, origin: &Origin) -> Result<(), String> {
        if state.is_null() {
            return Ok(());
        }
        let read = serde_json::from_value::<Vec<Saved<P::State>>>(state);
        self.saved = read.map_err(|error| format!("the state of the cells: {error}"))?;
        if origin.saved_at == 0 {
            self.saved.iter_mut().for_each(|saved| saved.id = 0);
        }
        for (id, fresh) in std::mem::take(&mut self.open) {
            let state = match self.take_saved(id) {
                Some(saved) => policy.adopt(saved, fresh),
                None => fresh,
            };
            self.open.insert(id, state);
        }
        Ok(())
    }

    fn names(&mut self, entries: &[Named]) {
        for named in entries.iter().filter(|named| named.kind == names::CELL) {
            if let Ok(id) = CellId::try_from(named.id) {
                self.names.insert(id, named.name.clone());
            }
        }
    }

    fn forget(&mut self, ids: &[(u16, u64)]) {
        for (_, id) in ids.iter().filter(|(kind, _)| *kind == names::CELL) {
            if let Ok(id) = CellId::try_from(*id) {
                self.close(id);
            }
        }
    }
}
