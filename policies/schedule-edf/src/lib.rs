//! Earliest deadline first.
//!
//! After Liu and Layland (1973): as long as all deadlines can be met, this order meets them. A line for each
//! lane, in the order of deadlines, ties by arrival and then id. A request without a deadline has a virtual one,
//! `virtual_ms` after its arrival, so that it is passed only by what is more urgent and never for ever.
//!
//! Nothing else counts: not who asks, not a tenant's weight, not class, rank or aging. A tenant that declares
//! tighter deadlines, or asks for more, gets more. Choose it where callers are trusted with their deadlines.
//! What it cannot do is choose whom to give up when not all can be met; the host drops what can no longer be
//! answered in time, and that bounds the harm.
//!
//! While the host holds the head of a lane, the first that fits among the `look` foremost may pass. Each operation
//! costs a few look-ups in ordered maps, whatever waits.

use std::collections::{BTreeMap, BTreeSet};

use weir_sdk::schedule::{Choice, Group, Item, Left, Room, Schedule, Started};
use weir_sdk::types::{Demand, GroupId, ItemId, LaneId};
use weir_sdk::{About, Micros, Policy};

#[cfg(test)]
mod tests;

weir_sdk::settings! {
    /// What can be set.
    pub struct Settings {
        /// Milliseconds after its arrival that a request without a deadline counts as due.
        virtual_ms: u64 = 60_000, in 1..=604_800_000;
        /// How many of the foremost are looked at for one that may pass a held head.
        look: u32 = 32, in 1..=256;
    }
}

/// The policy.
pub struct Edf(Settings);

impl Policy for Edf {
    const ABOUT: About = weir_sdk::about!();
    type Settings = Settings;

    fn start(settings: Settings, _now: Micros) -> Result<Self, String> {
        Ok(Self(settings))
    }
}

impl Schedule for Edf {
    type Group = Lines;

    fn group(&self, _id: GroupId) -> Lines {
        Lines {
            after: Micros::from_millis(self.0.virtual_ms),
            look: self.0.look as usize,
            lanes: BTreeMap::new(),
            items: BTreeMap::new(),
        }
    }
}

/// The order of items in one line: deadline, arrival, id.
type Key = (Micros, Micros, ItemId);

/// The lines of a group.
pub struct Lines {
    /// The virtual deadline, from arrival.
    after: Micros,
    look: usize,
    lanes: BTreeMap<LaneId, BTreeSet<Key>>,
    items: BTreeMap<ItemId, Waiting>,
}

/// What is kept of an item.
struct Waiting {
    lane: LaneId,
    key: Key,
    demand: Demand,
}

impl Lines {
    fn key(&self, item: &Item) -> Key {
        let arrived = Micros(item.arrived);
        let due = if item.deadline > 0 { Micros(item.deadline) } else { arrived + self.after };
        (due, arrived, item.id)
    }

    fn remove(&mut self, id: ItemId) {
        let Some(Waiting { lane, key, .. }) = self.items.remove(&id) else { return };
        if let Some(line) = self.lanes.get_mut(&lane) {
            line.remove(&key);
            if line.is_empty() {
                self.lanes.remove(&lane);
            }
        }
    }

    /// The head, or the first that fits while it is held.
    fn foremost(&self, room: &Room) -> Option<ItemId> {
        let mut ahead = self.lanes.get(&room.lane)?.iter().map(|(.., id)| *id).take(self.look);
        if !room.passing {
            return ahead.next();
        }
        ahead.find(|id| self.items.get(id).is_some_and(|waiting| room.fits(&waiting.demand)))
    }
}

impl Group for Lines {
    fn item(&mut self, _now: Micros, item: Item) {
        self.remove(item.id);
        let Item { id, lane, demand, .. } = item;
        let key = self.key(&item);
        self.lanes.entry(lane).or_default().insert(key);
        self.items.insert(id, Waiting { lane, key, demand });
    }

    fn left(&mut self, _now: Micros, left: &Left) {
        self.remove(left.item);
    }

    fn started(&mut self, _now: Micros, started: &Started) {
        self.remove(started.item);
    }

    fn pick(&mut self, _now: Micros, room: &Room) -> Choice {
        let Some(id) = self.foremost(room) else { return Choice::IDLE };
        self.remove(id);
        Choice::offer(id)
    }
}

weir_sdk::export!(Edf: schedule);
