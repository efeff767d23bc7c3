//! What all seats share.

use std::collections::BTreeMap;

use weir_core::units::Micros;
use weir_sdk::lifecycle::Named;

use crate::event::Events;

/// Names kept for later instances. Past this, new names are not kept; ids work without.
const NAMES: usize = 100_000;

/// What all seats share.
#[derive(Default)]
pub(crate) struct House {
    names: BTreeMap<(u16, u64), String>,
    pub(crate) events: Events,
    /// The last time that anybody told.
    pub(crate) now: Micros,
    instances: u64,
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

    /// All names, for a new instance.
    pub(crate) fn names(&self) -> Vec<Named> {
        let names = self.names.iter();
        names.map(|(&(kind, id), name)| Named { kind, id, name: name.clone() }).collect()
    }
}
