//! Parents that give their slot up while they wait for children, and take one again.

use std::collections::BTreeMap;

use super::{Core, Io};
use crate::attempt::Attempt;
use crate::ids::{AttemptId, CellId, ItemId};
use crate::item::Place;
use crate::output::{Admit, Output};
use crate::units::Micros;

/// Who is parked, and who waits to go on.
#[derive(Debug, Default)]
pub(super) struct Parents {
    parked: BTreeMap<ItemId, AttemptId>,
    /// In the order of first arrival.
    resuming: BTreeMap<(Micros, ItemId), AttemptId>,
}

impl Parents {
    pub(super) fn forget(&mut self, item: ItemId) {
        self.parked.remove(&item);
        self.resuming.retain(|(_, id), _| *id != item);
    }
}

impl Core {
    /// A parent waits for its children.
    pub(super) fn park(&mut self, io: &mut Io<'_>, id: AttemptId) {
        let Some(attempt) = self.attempts.get_mut(id) else { return };
        if attempt.parked {
            return;
        }
        attempt.parked = true;
        self.ledger.park(io.now, &mut attempt.held);
        let (item, candidate) = (attempt.item, attempt.candidate);
        self.parents.parked.insert(item, id);
        self.stir(self.topology.candidate(candidate).map(|c| c.upstream));
    }

    /// A parent goes on as soon as a slot is free, ahead of everybody who has not started.
    pub(super) fn resume(&mut self, _io: &mut Io<'_>, item: ItemId) {
        let Some(attempt) = self.parents.parked.remove(&item) else { return };
        let Some(arrived) = self.line.get(item).map(|item| item.arrived) else { return };
        self.parents.resuming.insert((arrived, item), attempt);
    }

    pub(super) fn resume_parents(&mut self, io: &mut Io<'_>) {
        let waiting: Vec<_> = self.parents.resuming.iter().map(|(k, v)| (*k, *v)).collect();
        for (key, id) in waiting {
            let Some(attempt) = self.attempts.get_mut(id) else {
                self.parents.resuming.remove(&key);
                continue;
            };
            if self.ledger.unpark(io.now, &mut attempt.held).is_ok() {
                attempt.parked = false;
                self.parents.resuming.remove(&key);
                self.say_resumed(io, id);
            }
        }
    }

    fn say_resumed(&self, io: &mut Io<'_>, id: AttemptId) {
        let Some(attempt) = self.attempts.get(id) else { return };
        let Some(item) = self.line.get(attempt.item) else { return };
        debug_assert!(matches!(item.place, Place::Running(_)), "a parent is in flight");
        io.out.push(Output::Admit(Admit {
            item: item.id,
            attempt: id,
            candidate: attempt.candidate,
            number: item.attempts,
            waited: item.waited(attempt.sent),
            deadline: item.deadline,
            output_reserved: attempt.held.output_reserved(),
        }));
    }

    /// Slots of a cell that are promised to parents that want to go on.
    pub(super) fn promised(&self, cell: Option<CellId>) -> u32 {
        let resuming = self.parents.resuming.values().filter_map(|id| self.attempts.get(*id));
        let here = |attempt: &&Attempt| Some(attempt.held.slots()) == cell;
        u32::try_from(resuming.filter(here).count()).unwrap_or(u32::MAX)
    }
}
