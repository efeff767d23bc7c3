//! First in, first out, with a line for each lane.
//!
//! What it is told and what it may answer stands in `sdk/wit/schedule.wit`.

use std::collections::{BTreeMap, BTreeSet};

use weir_sdk::schedule::{Choice, Group, Item, Left, Room, Schedule, Started};
use weir_sdk::types::{GroupId, ItemId, LaneId};
use weir_sdk::{About, Micros, Policy};

weir_sdk::settings! {
    /// What can be set.
    pub struct Settings {
        /// How many of the foremost are looked at for one that may pass a held head.
        look: u32 = 16, in 1..=256;
    }
}

/// The policy.
pub struct InTurn(Settings);

/// What waits in one group of lanes.
pub struct Lines {
    look: usize,
    items: BTreeMap<ItemId, Item>,
    lanes: BTreeMap<LaneId, BTreeSet<(u64, ItemId)>>,
}

impl Policy for InTurn {
    const ABOUT: About = weir_sdk::about!();
    type Settings = Settings;

    fn start(settings: Settings, _now: Micros) -> Result<Self, String> {
        Ok(Self(settings))
    }
}

impl Schedule for InTurn {
    type Group = Lines;

    fn group(&self, _id: GroupId) -> Lines {
        let look = self.0.look as usize;
        Lines { look, items: BTreeMap::new(), lanes: BTreeMap::new() }
    }
}

impl Lines {
    fn remove(&mut self, id: ItemId) {
        let Some(item) = self.items.remove(&id) else { return };
        if let Some(line) = self.lanes.get_mut(&item.lane) {
            line.remove(&(item.arrived, id));
            if line.is_empty() {
                self.lanes.remove(&item.lane);
            }
        }
    }
}

impl Group for Lines {
    fn item(&mut self, _now: Micros, item: Item) {
        self.remove(item.id);
        self.lanes.entry(item.lane).or_default().insert((item.arrived, item.id));
        self.items.insert(item.id, item);
    }

    fn left(&mut self, _now: Micros, left: &Left) {
        self.remove(left.item);
    }

    fn started(&mut self, _now: Micros, started: &Started) {
        self.remove(started.item);
    }

    fn pick(&mut self, _now: Micros, room: &Room) -> Choice {
        let foremost = self.lanes.get(&room.lane).into_iter().flatten().take(self.look);
        // While the host holds room for the head, only what fits beside it may pass.
        let may_go = |id: &ItemId| !room.passing || room.fits(&self.items[id].demand);
        let Some(id) = foremost.map(|(_, id)| *id).find(may_go) else { return Choice::IDLE };
        self.remove(id);
        Choice::offer(id)
    }
}

weir_sdk::export!(InTurn: schedule);

#[cfg(test)]
mod tests {
    use weir_sdk::testing::{self, ScheduleBench, demand, room};

    use super::*;

    #[test]
    fn they_go_in_the_order_in_which_they_came() {
        let mut bench = ScheduleBench::start::<InTurn>("");
        for id in [2, 1, 3] {
            bench.offer(testing::item(id, 10));
        }
        bench.cancel(2);
        assert_eq!([bench.serve(), bench.serve(), bench.serve()], [Some(1), Some(3), None]);
    }

    #[test]
    fn a_small_one_passes_a_head_that_is_held() {
        let mut bench = ScheduleBench::start::<InTurn>("");
        bench.offer(Item { demand: demand(9_000, 100), ..testing::item(1, 10) });
        bench.offer(testing::item(2, 10));
        let tight = Room { passing: true, input: 1_000, ..room(1, 1) };
        assert_eq!(bench.pick(&tight), Some(2));
        assert_eq!(bench.pick(&tight), None);
    }
}
