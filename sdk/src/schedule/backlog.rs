//! The items of a group that wait, with aging: what the lines of most schedule policies are made of.
//!
//! Each time an item has waited for its aging step it counts as one class more urgent. An order that is
//! stored has to follow, so the backlog keeps who is due next, and a line takes the changes a few at a time
//! ([`Backlog::aged`]): the cost of a pick stays the same however many are due at once.

use std::collections::{BTreeMap, BTreeSet};

use super::Item;
use crate::types::{Demand, FlowId, ItemId, LaneId};
use crate::units::Micros;

/// The order of items in one line: class, rank, arrival, id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// The class that it counts as now.
    pub class: u8,
    /// Lower first.
    pub rank: i32,
    /// Earlier first.
    pub arrived: u64,
    /// Lower first.
    pub id: ItemId,
}

/// What is kept of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Its place in a line.
    pub key: Key,
    /// The session's flow.
    pub flow: FlowId,
    /// The lane that it waits for.
    pub lane: LaneId,
    slots: u32,
    requests: u32,
    input: u64,
    output: u64,
    class: u8,
    step: u64,
}

/// The items that wait, by id.
#[derive(Default)]
pub struct Backlog {
    items: BTreeMap<ItemId, Waiting>,
    due: BTreeSet<(u64, ItemId)>,
}

impl Waiting {
    fn new(now: Micros, item: &Item) -> Self {
        let Demand { slots, requests, input, output, .. } = item.demand;
        let mut waiting = Self {
            key: Key { class: 0, rank: item.rank, arrived: item.arrived, id: item.id },
            flow: item.flow,
            lane: item.lane,
            slots,
            requests,
            input,
            output,
            class: item.class,
            step: item.aging_step,
        };
        waiting.key.class = waiting.class_at(now);
        waiting
    }

    /// What it needs.
    #[must_use]
    pub fn demand(&self) -> Demand {
        let &Self { slots, requests, input, output, .. } = self;
        Demand { slots, requests, input, output, cost: 0 }
    }

    fn class_at(&self, now: Micros) -> u8 {
        let steps = now.0.saturating_sub(self.key.arrived).checked_div(self.step).unwrap_or(0);
        self.class.saturating_sub(u8::try_from(steps).unwrap_or(u8::MAX))
    }

    /// When it counts as one class more urgent than it does now.
    fn due(&self) -> Option<u64> {
        let steps = u64::from(self.class - self.key.class) + 1;
        let due = self.key.arrived.saturating_add(self.step.saturating_mul(steps));
        (self.step > 0 && self.key.class > 0).then_some(due)
    }
}

impl Backlog {
    /// Keeps an item. When it was known already, what was kept of it comes back.
    pub fn insert(&mut self, now: Micros, item: &Item) -> (&Waiting, Option<Waiting>) {
        let before = self.remove(item.id);
        let waiting = Waiting::new(now, item);
        self.due.extend(waiting.due().map(|due| (due, item.id)));
        (self.items.entry(item.id).or_insert(waiting), before)
    }

    /// Drops an item.
    pub fn remove(&mut self, id: ItemId) -> Option<Waiting> {
        let waiting = self.items.remove(&id)?;
        if let Some(due) = waiting.due() {
            self.due.remove(&(due, id));
        }
        Some(waiting)
    }

    /// What is kept of an item.
    #[must_use]
    pub fn get(&self, id: ItemId) -> Option<&Waiting> {
        self.items.get(&id)
    }

    /// One item that has become more urgent: its old place, and what is kept of it now.
    pub fn aged(&mut self, now: Micros) -> Option<(Key, &Waiting)> {
        let &(due, id) = self.due.first()?;
        if due > now.0 {
            return None;
        }
        self.due.pop_first();
        let waiting = self.items.get_mut(&id)?;
        let before = waiting.key;
        waiting.key.class = waiting.class_at(now);
        self.due.extend(waiting.due().map(|due| (due, id)));
        Some((before, waiting))
    }

    /// How many wait.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether nothing waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}
