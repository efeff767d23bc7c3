//! First in, first out, by class.
//!
//! A line for each lane, in the order class, rank, arrival, id. Each aging step that an item has waited makes
//! it count as one class more urgent. Who asks does not matter: a tenant with more requests in the line gets
//! more. While the host holds the head of a lane, the first that fits among the `look` foremost may pass.
//!
//! Each operation costs a few look-ups in ordered maps, whatever waits.

use std::collections::{BTreeMap, BTreeSet};

use weir_sdk::schedule::{Backlog, Choice, Group, Item, Key, Left, Room, Schedule, Started};
use weir_sdk::types::{GroupId, ItemId, LaneId};
use weir_sdk::{About, Micros, Policy};

#[cfg(test)]
mod tests;

/// Items whose aging is followed in one call.
const AGED: usize = 64;

weir_sdk::settings! {
    /// What can be set.
    pub struct Settings {
        /// How many of the foremost are looked at for one that may pass a held head.
        look: u32 = 32, in 1..=256;
    }
}

/// The policy.
pub struct Fifo(Settings);

impl Policy for Fifo {
    const ABOUT: About = weir_sdk::about!();
    type Settings = Settings;

    fn start(settings: Settings, _now: Micros) -> Result<Self, String> {
        Ok(Self(settings))
    }
}

impl Schedule for Fifo {
    type Group = Lines;

    fn group(&self, _id: GroupId) -> Lines {
        Lines { look: self.0.look as usize, lanes: BTreeMap::new(), backlog: Backlog::default() }
    }
}

/// The lines of a group.
pub struct Lines {
    look: usize,
    lanes: BTreeMap<LaneId, BTreeSet<Key>>,
    backlog: Backlog,
}

impl Lines {
    fn remove(&mut self, id: ItemId) {
        if let Some(waiting) = self.backlog.remove(id) {
            self.unlink(waiting.lane, &waiting.key);
        }
    }

    fn unlink(&mut self, lane: LaneId, key: &Key) {
        if let Some(line) = self.lanes.get_mut(&lane) {
            line.remove(key);
            if line.is_empty() {
                self.lanes.remove(&lane);
            }
        }
    }

    fn age(&mut self, now: Micros) {
        for _ in 0..AGED {
            let Some((before, waiting)) = self.backlog.aged(now) else { return };
            let line = self.lanes.entry(waiting.lane).or_default();
            line.remove(&before);
            line.insert(waiting.key);
        }
    }

    /// The head, or the first that fits while it is held.
    fn foremost(&self, room: &Room) -> Option<ItemId> {
        let line = self.lanes.get(&room.lane)?;
        let fits = |key: &&Key| {
            self.backlog.get(key.id).is_some_and(|waiting| room.fits(&waiting.demand()))
        };
        let mut ahead = line.iter().take(self.look);
        let key = if room.passing { ahead.find(fits) } else { ahead.next() };
        key.map(|key| key.id)
    }
}

impl Group for Lines {
    fn item(&mut self, now: Micros, item: Item) {
        let (waiting, before) = self.backlog.insert(now, &item);
        let (lane, key) = (waiting.lane, waiting.key);
        if let Some(before) = before {
            self.unlink(before.lane, &before.key);
        }
        self.lanes.entry(lane).or_default().insert(key);
    }

    fn left(&mut self, _now: Micros, left: &Left) {
        self.remove(left.item);
    }

    fn started(&mut self, _now: Micros, started: &Started) {
        self.remove(started.item);
    }

    fn pick(&mut self, now: Micros, room: &Room) -> Choice {
        self.age(now);
        let Some(id) = self.foremost(room) else { return Choice::IDLE };
        self.remove(id);
        Choice::offer(id)
    }
}

weir_sdk::export!(Fifo: schedule);
