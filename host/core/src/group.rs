//! Lanes, and the groups whose one schedule serves them.

use std::collections::{BTreeMap, BTreeSet};

use weir_sdk::schedule::{Charged, Event, Flow, Service};

use crate::hold::Held;
use crate::ids::{CandidateId, FlowId, GroupId, ItemId, LaneId};
use crate::units::Micros;

/// A set of candidates, and who waits for them.
#[derive(Debug)]
pub(crate) struct Lane {
    pub(crate) name: String,
    pub(crate) group: GroupId,
    pub(crate) candidates: Vec<CandidateId>,
    /// Every waiting item, by deadline.
    pub(crate) deadlines: BTreeSet<(Micros, ItemId)>,
    /// Offered items with a longest wait, by when it passes.
    pub(crate) overdue: BTreeSet<(Micros, ItemId)>,
    /// The head that the host starts itself.
    pub(crate) held: Option<Held>,
    /// Items that were picked while a head was held and did not fit beside it; offered again when it goes.
    pub(crate) aside: BTreeSet<ItemId>,
    /// Of those set aside, the ones that lacked nothing but a free slot beside the head.
    pub(crate) crowded: BTreeSet<ItemId>,
    /// Something came free since those were looked at.
    pub(crate) stirred: bool,
    /// The schedule has nothing to offer until something happens.
    pub(crate) asleep: bool,
    /// At the last look the lane lacked slots and nothing else.
    pub(crate) lacks_slots: bool,
    /// Since when the schedule has been idle although items wait and there is room.
    pub(crate) idle_since: Option<Micros>,
    /// Tenths of an admission that items past their longest wait may take.
    pub(crate) credit: u32,
}

/// What an admission of an overdue item costs in `credit`: one in ten.
pub(crate) const OVERDUE_COST: u32 = 10;

/// An offer is looked for among so many of the newest events.
const RETRACTABLE: usize = 64;

impl Lane {
    pub(crate) fn new(name: String, group: GroupId, candidates: Vec<CandidateId>) -> Self {
        Self {
            name,
            group,
            candidates,
            deadlines: BTreeSet::new(),
            overdue: BTreeSet::new(),
            held: None,
            aside: BTreeSet::new(),
            crowded: BTreeSet::new(),
            stirred: false,
            asleep: false,
            lacks_slots: false,
            idle_since: None,
            credit: OVERDUE_COST,
        }
    }

    /// An admission was made: a tenth of it is saved for an overdue item, two at most.
    pub(crate) fn earn(&mut self) {
        self.credit = (self.credit + 1).min(2 * OVERDUE_COST);
    }

    /// The item that has waited past its longest wait, when one may go first.
    pub(crate) fn overdue(&self, now: Micros) -> Option<ItemId> {
        let (at, item) = *self.overdue.first()?;
        (at <= now && self.credit >= OVERDUE_COST).then_some(item)
    }
}

/// What one schedule is told.
#[derive(Debug, Default)]
pub(crate) struct Group {
    pub(crate) lanes: Vec<LaneId>,
    /// Whose turn it is to be asked first.
    pub(crate) turn: usize,
    /// Not handed over yet.
    pub(crate) events: Vec<Event>,
    /// Flows that the schedule knows.
    flows: BTreeMap<FlowId, Known>,
    charges: BTreeMap<FlowId, Charged>,
}

#[derive(Debug)]
struct Known {
    parent: FlowId,
    level: u16,
    weight: u32,
    served: Service,
}

const NOTHING: Service = Service { requests: 0, input: 0, output: 0, cost: 0 };

impl Group {
    /// Makes sure that the schedule knows a flow with this weight.
    pub(crate) fn know(&mut self, id: FlowId, parent: FlowId, level: u16, weight: u32) {
        let weight = weight.max(1);
        let known =
            self.flows.entry(id).or_insert(Known { parent, level, weight: 0, served: NOTHING });
        if known.weight != weight {
            known.weight = weight;
            let flow = flow(id, known);
            self.events.push(Event::Flow(flow));
        }
    }

    /// The flow has ended.
    pub(crate) fn forget(&mut self, id: FlowId) {
        self.charges.remove(&id);
        if self.flows.remove(&id).is_some() {
            self.events.push(Event::Gone(id.0));
        }
    }

    pub(crate) fn knows(&self, id: FlowId) -> bool {
        self.flows.contains_key(&id)
    }

    /// The group is no more: all its flows are gone.
    pub(crate) fn end(&mut self) {
        for id in self.flows.keys().copied().collect::<Vec<_>>() {
            self.forget(id);
        }
    }

    /// What a start adds at once; the schedule hears it with `started`.
    pub(crate) fn serve(&mut self, id: FlowId, charge: &Service) {
        if let Some(known) = self.flows.get_mut(&id) {
            known.served.requests = known.served.requests.saturating_add(charge.requests);
            known.served.input = known.served.input.saturating_add(charge.input);
            known.served.output = known.served.output.saturating_add(charge.output);
            known.served.cost = known.served.cost.saturating_add(charge.cost);
        }
    }

    /// Gathers a correction. True when it is the first since the last hand-over.
    pub(crate) fn charge(&mut self, delta: Charged) -> bool {
        let id = FlowId(delta.flow);
        let Some(known) = self.flows.get_mut(&id) else { return false };
        add(&mut known.served.requests, delta.requests);
        add(&mut known.served.input, delta.input);
        add(&mut known.served.output, delta.output);
        add(&mut known.served.cost, delta.cost);
        let first = self.charges.is_empty();
        let sum = self.charges.entry(id).or_insert(Charged {
            flow: id.0,
            requests: 0,
            input: 0,
            output: 0,
            cost: 0,
        });
        sum.requests = sum.requests.saturating_add(delta.requests);
        sum.input = sum.input.saturating_add(delta.input);
        sum.output = sum.output.saturating_add(delta.output);
        sum.cost = sum.cost.saturating_add(delta.cost);
        first
    }

    /// Takes back the offer of an item that has not been handed over. False when it has been.
    pub(crate) fn retract(&mut self, id: ItemId) -> bool {
        let offer = |event: &Event| matches!(event, Event::Item(item) if item.id == id.0);
        let newest = self.events.len().saturating_sub(RETRACTABLE);
        let found = self.events.iter().skip(newest).position(offer);
        if let Some(place) = found {
            self.events.remove(newest + place);
        }
        found.is_some()
    }

    /// Appends the gathered charges to the events.
    pub(crate) fn flush_charges(&mut self) {
        for (_, charge) in std::mem::take(&mut self.charges) {
            self.events.push(Event::Charged(charge));
        }
    }

    /// Every flow as it stands, parents first: their ids are lower.
    pub(crate) fn all_flows(&self) -> Vec<Event> {
        self.flows.iter().map(|(id, known)| Event::Flow(flow(*id, known))).collect()
    }
}

fn flow(id: FlowId, known: &Known) -> Flow {
    Flow {
        id: id.0,
        parent: known.parent.0,
        level: known.level,
        weight: known.weight,
        served: known.served,
    }
}

fn add(sum: &mut u64, delta: i64) {
    *sum = sum.saturating_add_signed(delta);
}
