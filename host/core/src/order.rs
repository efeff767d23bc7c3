//! Class, then arrival: the order that the host keeps itself.
//!
//! It is the fallback's schedule, and the truth of what a schedule policy has been offered.

use std::collections::{BTreeMap, BTreeSet};

use crate::ids::{ItemId, LaneId};
use crate::units::Micros;

/// Where an item stands: lower is served first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    pub(crate) class: u8,
    pub(crate) arrived: Micros,
    pub(crate) item: ItemId,
}

/// Waiting items of each lane, in order.
#[derive(Debug, Default)]
pub(crate) struct Order {
    lanes: BTreeMap<LaneId, BTreeSet<Key>>,
}

impl Order {
    pub(crate) fn insert(&mut self, lane: LaneId, key: Key) {
        self.lanes.entry(lane).or_default().insert(key);
    }

    /// True when it was there.
    pub(crate) fn remove(&mut self, lane: LaneId, key: &Key) -> bool {
        self.lanes.get_mut(&lane).is_some_and(|keys| keys.remove(key))
    }

    pub(crate) fn first(&self, lane: LaneId) -> Option<ItemId> {
        self.lanes.get(&lane)?.first().map(|key| key.item)
    }

    /// A lane's items, in order.
    pub(crate) fn iter(&self, lane: LaneId) -> impl Iterator<Item = ItemId> {
        self.lanes.get(&lane).into_iter().flatten().map(|key| key.item)
    }

    pub(crate) fn len(&self, lane: LaneId) -> usize {
        self.lanes.get(&lane).map_or(0, BTreeSet::len)
    }
}
