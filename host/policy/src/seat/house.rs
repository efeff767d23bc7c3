//! What all seats share.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use weir_core::Slot;
use weir_core::units::Micros;
use weir_sdk::codes::names;
use weir_sdk::lifecycle::Named;

use crate::event::{Event, Events};

/// Names kept for later instances. Past this, new names are not kept; ids work without.
const NAMES: usize = 100_000;
/// Refused files kept for the list.
const REJECTED: usize = 64;

/// The kinds of ids that occur in the calls of a slot's interface. Nobody is told the names of others: sessions
/// come and go with requests.
pub(super) const fn heard(slot: Slot) -> &'static [u16] {
    match slot {
        Slot::Priority => &[names::FLOW, names::TASK],
        Slot::Schedule => &[names::FLOW, names::LANE, names::CANDIDATE],
        Slot::Limit => &[names::CELL],
        Slot::Classify => &[],
        Slot::Retry | Slot::Route => &[names::CANDIDATE],
        Slot::Fanout => &[names::TASK],
    }
}

/// What all seats share.
#[derive(Default)]
pub(crate) struct House {
    names: BTreeMap<(u16, u64), String>,
    pub(crate) events: Events,
    /// The last time that anybody told.
    pub(crate) now: Micros,
    instances: u64,
    rejected: BTreeMap<PathBuf, String>,
}

impl House {
    /// A number for a new standby instance.
    pub(crate) fn number(&mut self) -> u64 {
        self.instances += 1;
        self.instances
    }

    pub(crate) fn name(&mut self, entries: &[Named]) {
        for entry in entries {
            let id = (entry.kind, entry.id);
            if self.names.len() < NAMES || self.names.contains_key(&id) {
                self.names.insert(id, entry.name.clone());
            }
        }
    }

    pub(crate) fn forget(&mut self, ids: &[(u16, u64)]) {
        for id in ids {
            self.names.remove(id);
        }
    }

    /// All names that a new instance in a slot is told.
    pub(crate) fn names(&self, slot: Slot) -> Vec<Named> {
        let names = self.names.iter().filter(|((kind, _), _)| heard(slot).contains(kind));
        names.map(|(&(kind, id), name)| Named { kind, id, name: name.clone() }).collect()
    }

    /// A policy is not taken.
    pub(crate) fn reject(&mut self, slot: Option<Slot>, file: Option<PathBuf>, words: String) {
        if let Some(file) = &file
            && (self.rejected.len() < REJECTED || self.rejected.contains_key(file))
        {
            self.rejected.insert(file.clone(), words.clone());
        }
        self.events.push(Event::PolicyRejected { slot, file, words });
    }

    /// A file is taken after all, or gone.
    pub(crate) fn accept(&mut self, file: &Path) {
        self.rejected.remove(file);
    }

    pub(crate) const fn rejected(&self) -> &BTreeMap<PathBuf, String> {
        &self.rejected
    }
}
