//! A host with one group, for the tests of a schedule policy.

use std::collections::BTreeMap;

use super::{flow, room};
use crate::lifecycle::Origin;
use crate::native;
use crate::schedule::{Charged, Event, Item, Left, Room, Schedule, Service, Started};
use crate::types::{FlowId, ItemId};
use crate::units::Micros;

/// Plays the host of group 1: remembers what waits, and charges what it starts.
///
/// ```no_run
/// # fn example<P: weir_sdk::schedule::Schedule>() {
/// use weir_sdk::testing::{self, ScheduleBench};
///
/// let mut bench = ScheduleBench::start::<P>("");
/// bench.flow(10, 0, 1);
/// bench.offer(testing::item(1, 10));
/// assert_eq!(bench.serve(), Some(1));
/// # }
/// ```
pub struct ScheduleBench {
    policy: Box<dyn native::Schedule>,
    waiting: BTreeMap<ItemId, Item>,
    now: Micros,
}

impl ScheduleBench {
    /// Starts a policy at second 1.
    ///
    /// # Panics
    ///
    /// When the policy refuses the settings.
    #[must_use]
    #[expect(clippy::panic, reason = "a test has no better use for bad settings")]
    pub fn start<P: Schedule>(settings: &str) -> Self {
        let now = Micros::from_secs(1);
        let policy = native::schedule::<P>(settings, now.0).unwrap_or_else(|why| panic!("{why}"));
        Self { policy, waiting: BTreeMap::new(), now }
    }

    /// Lets time pass.
    pub fn advance(&mut self, span: Micros) {
        self.now += span;
    }

    /// Tells events.
    pub fn tell(&mut self, events: Vec<Event>) {
        self.policy.update(self.now.0, 1, events);
    }

    /// Tells a flow.
    pub fn flow(&mut self, id: FlowId, parent: FlowId, weight: u32) {
        self.tell(vec![Event::Flow(flow(id, parent, weight))]);
    }

    /// Offers an item.
    pub fn offer(&mut self, item: Item) {
        self.waiting.insert(item.id, item);
        self.tell(vec![Event::Item(item)]);
    }

    /// Takes an item back.
    pub fn cancel(&mut self, id: ItemId) {
        if let Some(item) = self.waiting.remove(&id) {
            let why = crate::codes::left::CANCELLED;
            self.tell(vec![Event::Left(Left { item: id, flow: item.flow, why })]);
        }
    }

    /// Asks for the next item, and starts nothing.
    pub fn pick(&mut self, room: &Room) -> Option<ItemId> {
        self.policy.pick(self.now.0, 1, room).item
    }

    /// Tells that a picked item was admitted, and charges what it had asked for.
    pub fn admit(&mut self, id: ItemId) {
        let Some(item) = self.waiting.remove(&id) else { return };
        let Item { flow, demand, .. } = item;
        let charge = Service {
            requests: demand.requests.into(),
            input: demand.input,
            output: demand.output,
            cost: demand.cost,
        };
        self.tell(vec![Event::Started(Started { item: id, flow, candidate: 1, charge })]);
    }

    /// Picks from lane 1 with room for one, and admits.
    pub fn serve(&mut self) -> Option<ItemId> {
        let id = self.pick(&room(1, 1))?;
        self.admit(id);
        Some(id)
    }

    /// Corrects the output that a flow was charged.
    pub fn settle(&mut self, flow: FlowId, output: i64) {
        self.tell(vec![Event::Charged(Charged { flow, requests: 0, input: 0, output, cost: 0 })]);
    }

    /// Replaces the policy, as a swap does: tell it flows and items, then restore what was saved.
    ///
    /// # Panics
    ///
    /// When the next policy refuses its settings or the state.
    #[expect(clippy::panic, reason = "a test has no better use for a failed swap")]
    pub fn swap<P: Schedule>(&mut self, settings: &str, flows: Vec<Event>) {
        let now = self.now.0;
        let from = self.policy.describe();
        let state = self.policy.save(now);
        self.policy = native::schedule::<P>(settings, now).unwrap_or_else(|why| panic!("{why}"));
        self.tell(flows);
        let items = self.waiting.values().copied().map(Event::Item).collect();
        self.tell(items);
        let origin = Origin { name: from.name, version: from.version, saved_at: now };
        self.policy.restore(&state, &origin, now).unwrap_or_else(|why| panic!("{why}"));
    }
}
