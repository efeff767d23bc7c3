//! New instances of schedule and limit policies are told the truth before they take over.
//!
//! A schedule is told a group's flows, then its waiting items by id, a slice at a time between steps.
//! What happens meanwhile is mirrored as far as the instance knows of it: an item that was fed and is
//! picked through another instance has `left` (taken) before it has `started`.

use std::collections::BTreeSet;

use weir_sdk::codes::left;
use weir_sdk::schedule::{Event, Left};

use super::{Core, Io};
use crate::ids::{FlowId, GroupId, ItemId};
use crate::item::Place;
use crate::policies::{Feed, Policies, Slot};
use crate::units::Micros;

/// Items told in one call.
const MAX_SLICE: usize = 64;
/// Ids that one call lets go.
const FORGOTTEN: usize = 1024;

/// A standby instance that is being fed.
#[derive(Debug, Default)]
pub(super) struct Feeding {
    /// Which instance: a new number starts from the beginning.
    instance: u64,
    /// It has been told the flows of every group.
    knows_flows: bool,
    /// The last item by id that the walk has come to.
    cursor: Option<ItemId>,
    /// Items that wait in the instance's line.
    knows: BTreeSet<ItemId>,
    /// Mirrored changes that have not been told.
    mirror: Vec<(GroupId, Event)>,
}

impl Core {
    /// Tells standby instances the next slice of the truth, `slice` items at most (64 are the most that
    /// are told at once). True while there is more to tell. To be called between steps.
    pub fn maintain(
        &mut self,
        now: Micros,
        policies: &mut dyn Policies,
        out: &mut Vec<crate::Output>,
        slice: usize,
    ) -> bool {
        let io = &mut Io { now: self.advance(now), policies, out };
        self.open_cells(io);
        self.forget_some();
        let limit = self.feed_limit(io);
        let schedule = self.feed_schedule(io, slice.clamp(1, MAX_SLICE));
        let rest = [Slot::Priority, Slot::Classify, Slot::Retry, Slot::Route, Slot::Fanout];
        for slot in rest {
            if io.policies.standby(slot).is_some() {
                level(io, slot);
            }
        }
        limit | schedule | !self.known.is_empty()
    }

    /// What an instance knew is let go a little at a time: a hundred thousand ids at once take milliseconds.
    fn forget_some(&mut self) {
        for _ in 0..FORGOTTEN {
            if self.known.pop_first().is_none() {
                return;
            }
        }
    }

    /// The instance is fed no more.
    fn end_feeding(&mut self, slot: Slot) {
        if let Some(mut feeding) = self.feeding.remove(&slot) {
            self.known.append(&mut feeding.knows);
        }
    }

    /// The record of the slot's standby instance, begun anew for a new one.
    fn feeding(&mut self, policies: &dyn Policies, slot: Slot) -> Option<&mut Feeding> {
        let Some(instance) = policies.standby(slot) else {
            self.end_feeding(slot);
            return None;
        };
        let feeding = self.feeding.entry(slot).or_default();
        if feeding.instance != instance {
            *feeding = Feeding { instance, ..Feeding::default() };
        }
        Some(feeding)
    }

    fn feed_limit(&mut self, io: &mut Io<'_>) -> bool {
        if self.feeding(io.policies, Slot::Limit).is_none() {
            return false;
        }
        for cell in self.ledger.slot_cells().collect::<Vec<_>>() {
            let Some(view) = self.cell_view(io.now, cell) else { continue };
            let Some(mut opening) = self.ledger.opening(cell) else { continue };
            opening.start = view.limit;
            if io.policies.feed(io.now, Slot::Limit, Feed::Cell(Box::new(view), opening)).is_err() {
                self.end_feeding(Slot::Limit);
                return false;
            }
        }
        self.end_feeding(Slot::Limit);
        level(io, Slot::Limit);
        false
    }

    fn feed_schedule(&mut self, io: &mut Io<'_>, slice: usize) -> bool {
        if self.feeding(io.policies, Slot::Schedule).is_none() {
            return false;
        }
        let begun = self.feeding.get(&Slot::Schedule).is_some_and(|feeding| feeding.knows_flows);
        let told = if begun { self.next_slice(slice) } else { self.first_slice(io) };
        for (group, events) in told {
            let feed = Feed::Group(group, events);
            if io.policies.feed(io.now, Slot::Schedule, feed).is_err() {
                self.end_feeding(Slot::Schedule);
                return false;
            }
        }
        if self.told_all() {
            return self.level_schedule(io);
        }
        true
    }

    /// What the instance is told first: the flows of every group. They stand as after all events that were
    /// gathered, so those are handed over before, lest their charges count twice.
    fn first_slice(&mut self, io: &mut Io<'_>) -> Vec<(GroupId, Vec<Event>)> {
        for group in self.groups.keys().copied().collect::<Vec<_>>() {
            self.hand_over(io, group);
        }
        if let Some(feeding) = self.feeding.get_mut(&Slot::Schedule) {
            feeding.knows_flows = true;
        }
        self.groups.iter().map(|(id, group)| (*id, group.all_flows())).collect()
    }

    /// What the instance is told next: mirrored changes, then items.
    fn next_slice(&mut self, slice: usize) -> Vec<(GroupId, Vec<Event>)> {
        let Some(feeding) = self.feeding.get_mut(&Slot::Schedule) else { return Vec::new() };
        let mut told = gather(std::mem::take(&mut feeding.mirror));
        let fresh = self.line.after(feeding.cursor).take(slice);
        for item in fresh {
            feeding.cursor = Some(item.id);
            let lane = self.lanes.get(item.lane.0 as usize);
            let number = self.lane_numbers.get(item.lane.0);
            if let Some((lane, number)) = lane.zip(number).filter(|_| item.place == Place::Offered)
            {
                feeding.knows.insert(item.id);
                told.push((lane.group, vec![item.offer(number)]));
            }
        }
        merge(told)
    }

    fn told_all(&self) -> bool {
        self.feeding.get(&Slot::Schedule).is_some_and(|feeding| {
            feeding.knows_flows
                && feeding.mirror.is_empty()
                && self.line.after(feeding.cursor).next().is_none()
        })
    }

    /// All but the events that wait to be handed over is known: those are told, and the instance takes
    /// over.
    fn level_schedule(&mut self, io: &mut Io<'_>) -> bool {
        for group in self.groups.keys().copied().collect::<Vec<_>>() {
            self.hand_over(io, group);
        }
        if self.feeding.get(&Slot::Schedule).is_some_and(|feeding| !feeding.mirror.is_empty()) {
            return self.feed_schedule(io, MAX_SLICE);
        }
        self.end_feeding(Slot::Schedule);
        level(io, Slot::Schedule);
        self.stir(None);
        self.more = true;
        false
    }

    /// Keeps what was handed over for the instance that is being fed.
    pub(super) fn mirror(&mut self, io: &mut Io<'_>, group: GroupId, events: &[Event]) {
        let Some(instance) = io.policies.standby(Slot::Schedule) else { return };
        let Some(feeding) = self.feeding.get_mut(&Slot::Schedule) else { return };
        if feeding.instance != instance || !feeding.knows_flows {
            return;
        }
        for event in events {
            feeding.hear(group, event);
        }
    }
}

impl Feeding {
    /// Translates what the active instance was told into what this one must hear.
    fn hear(&mut self, group: GroupId, event: &Event) {
        match event {
            Event::Item(item) => {
                let passed = self.cursor.is_some_and(|cursor| item.id <= cursor.0);
                if passed && self.knows.insert(ItemId(item.id)) {
                    self.mirror.push((group, *event));
                }
            }
            Event::Left(told) => {
                if self.knows.remove(&ItemId(told.item)) {
                    self.mirror.push((group, *event));
                }
            }
            Event::Started(told) => {
                self.taken(group, ItemId(told.item), FlowId(told.flow));
                self.mirror.push((group, *event));
            }
            Event::Returned(told) => self.taken(group, ItemId(told.item), FlowId(told.flow)),
            Event::Flow(_) | Event::Charged(_) | Event::Gone(_) => {
                self.mirror.push((group, *event));
            }
        }
    }

    fn taken(&mut self, group: GroupId, item: ItemId, flow: FlowId) {
        if self.knows.remove(&item) {
            let left = Left { item: item.0, flow: flow.0, why: left::TAKEN };
            self.mirror.push((group, Event::Left(left)));
        }
    }
}

/// The instance knows all. When it will not take over, the old one stays and the driver says why.
fn level(io: &mut Io<'_>, slot: Slot) {
    let _: Result<(), crate::Fault> = io.policies.level(io.now, slot);
}

fn gather(events: Vec<(GroupId, Event)>) -> Vec<(GroupId, Vec<Event>)> {
    merge(events.into_iter().map(|(group, event)| (group, vec![event])).collect())
}

/// Neighbours of one group become one list; order is kept.
fn merge(parts: Vec<(GroupId, Vec<Event>)>) -> Vec<(GroupId, Vec<Event>)> {
    let mut merged: Vec<(GroupId, Vec<Event>)> = Vec::new();
    for (group, events) in parts {
        match merged.last_mut() {
            Some((last, all)) if *last == group => all.extend(events),
            _ => merged.push((group, events)),
        }
    }
    merged
}
