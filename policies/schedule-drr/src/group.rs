//! The lines of one group: tenants, their sessions, and each session's items.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use weir_sdk::codes::level;
use weir_sdk::schedule::{Backlog, Charged, Choice, Flow, Group, Item, Key, Left, Room, Started};
use weir_sdk::types::{FlowId, ItemId, LaneId};
use weir_sdk::{Micros, serde_json};

use crate::Settings;
use crate::ring::Ring;

/// Items whose aging is followed in one call.
const AGED: usize = 64;

/// Steps from a session up to its tenant, at most.
const STEPS: usize = 8;

/// The lines of one group.
pub struct Lines {
    settings: Settings,
    flows: BTreeMap<FlowId, Node>,
    tenants: Ring,
    sessions: BTreeMap<FlowId, Ring>,
    lines: BTreeMap<(FlowId, LaneId), BTreeSet<Key>>,
    backlog: Backlog,
}

/// A flow's place in the tree.
struct Node {
    parent: FlowId,
    level: u16,
    weight: u32,
}

/// What is saved: the deficits of tenants, and of the sessions of each.
#[derive(Serialize, Deserialize)]
struct Deficits {
    tenants: Vec<(FlowId, i64)>,
    sessions: Vec<(FlowId, Vec<(FlowId, i64)>)>,
}

impl Lines {
    pub(crate) fn new(settings: Settings) -> Self {
        Self {
            tenants: Ring::new(settings.quantum.into()),
            settings,
            flows: BTreeMap::new(),
            sessions: BTreeMap::new(),
            lines: BTreeMap::new(),
            backlog: Backlog::default(),
        }
    }

    /// The tenant above a session: the nearest flow of that level, else the topmost one.
    fn tenant(&self, session: FlowId) -> FlowId {
        let mut at = session;
        for _ in 0..STEPS {
            match self.flows.get(&at) {
                Some(node) if node.level != level::TENANT && node.parent != 0 => at = node.parent,
                _ => break,
            }
        }
        at
    }

    fn weight(&self, flow: FlowId) -> u32 {
        self.flows.get(&flow).map_or(1, |node| node.weight)
    }

    /// The ring of a tenant's sessions.
    fn ring(&mut self, tenant: FlowId) -> &mut Ring {
        let quantum = self.settings.quantum.into();
        self.sessions.entry(tenant).or_insert_with(|| Ring::new(quantum))
    }

    /// Tells the rings what a session has at the head of a lane.
    fn show(&mut self, session: FlowId, lane: LaneId) {
        let tenant = self.tenant(session);
        let line = self.lines.get(&(session, lane));
        let head = line.and_then(BTreeSet::first).map(|key| key.class);
        self.ring(tenant).show(session, lane, head);
        self.show_tenant(tenant, lane);
    }

    fn show_tenant(&mut self, tenant: FlowId, lane: LaneId) {
        let waits = self.ring(tenant).order(lane).next().is_some();
        self.tenants.show(tenant, lane, waits.then_some(0));
    }

    fn unlink(&mut self, session: FlowId, lane: LaneId, key: &Key) {
        if let Some(line) = self.lines.get_mut(&(session, lane)) {
            line.remove(key);
            if line.is_empty() {
                self.lines.remove(&(session, lane));
            }
        }
        self.show(session, lane);
    }

    fn remove(&mut self, id: ItemId) {
        if let Some(waiting) = self.backlog.remove(id) {
            self.unlink(waiting.flow, waiting.lane, &waiting.key);
        }
    }

    fn age(&mut self, now: Micros) {
        for _ in 0..AGED {
            let Some((before, waiting)) = self.backlog.aged(now) else { return };
            let (session, lane) = (waiting.flow, waiting.lane);
            let line = self.lines.entry((session, lane)).or_default();
            line.remove(&before);
            line.insert(waiting.key);
            self.show(session, lane);
        }
    }

    /// Charges a session and its tenant. A flow that is not known has nothing to be charged to.
    fn charge(&mut self, session: FlowId, units: i64) {
        let tenant = self.tenant(session);
        let waits = self.sessions.get(&tenant).is_some_and(|ring| ring.waits(session));
        if waits || self.flows.contains_key(&session) {
            self.ring(tenant).charge(session, units);
            self.tenants.charge(tenant, units);
        }
    }

    /// Moves the sessions that no longer belong to a tenant, since a flow above them became known.
    fn rehome(&mut self, from: FlowId) {
        let Some(ring) = self.sessions.get(&from) else { return };
        let moved: Vec<FlowId> = ring.members().filter(|id| self.tenant(*id) != from).collect();
        for session in moved {
            self.ring(from).remove(session);
            let (to, weight) = (self.tenant(session), self.weight(session));
            self.ring(to).weigh(session, weight);
            let waits = self.lines.range((session, 0)..=(session, LaneId::MAX));
            let lanes: Vec<LaneId> = waits.map(|((_, lane), _)| *lane).collect();
            for lane in lanes {
                self.show_tenant(from, lane);
                self.show(session, lane);
            }
        }
        if self.tenant(from) != from {
            self.tenants.remove(from);
            self.sessions.remove(&from);
        }
    }

    /// Units of work. A request without tokens counts by itself.
    fn units(&self, requests: i64, input: i64, output: i64) -> i64 {
        let Settings { quantum, request, .. } = self.settings;
        if input == 0 && output == 0 {
            let each = if request == 0 { quantum } else { request };
            return requests.saturating_mul(each.into());
        }
        let input = input.saturating_mul(self.settings.input.into());
        input.saturating_add(output.saturating_mul(self.settings.output.into()))
    }

    /// The heads of the foremost sessions of the foremost tenants, each with its tenant and session.
    fn heads(&self, lane: LaneId) -> impl Iterator<Item = (FlowId, FlowId, ItemId)> {
        let look = self.settings.look as usize;
        self.tenants.order(lane).take(look).flat_map(move |tenant| {
            let sessions = self.sessions.get(&tenant).into_iter();
            let sessions = sessions.flat_map(move |ring| ring.order(lane)).take(look);
            sessions.filter_map(move |session| {
                let key = self.lines.get(&(session, lane))?.first()?;
                Some((tenant, session, key.id))
            })
        })
    }

    fn fits(&self, id: ItemId, room: &Room) -> bool {
        self.backlog.get(id).is_some_and(|waiting| room.fits(&waiting.demand()))
    }
}

impl Group for Lines {
    fn flow(&mut self, _now: Micros, flow: &Flow) {
        let &Flow { id, parent, level, weight, .. } = flow;
        let before = self.tenant(id);
        self.flows.insert(id, Node { parent, level, weight });
        let tenant = self.tenant(id);
        if tenant != before {
            self.rehome(before);
        }
        if tenant == id {
            self.tenants.weigh(id, weight);
        } else {
            self.ring(tenant).weigh(id, weight);
        }
    }

    fn item(&mut self, now: Micros, item: Item) {
        let (waiting, before) = self.backlog.insert(now, &item);
        let (session, lane, key) = (waiting.flow, waiting.lane, waiting.key);
        if let Some(before) = before {
            self.unlink(before.flow, before.lane, &before.key);
        }
        self.lines.entry((session, lane)).or_default().insert(key);
        self.show(session, lane);
    }

    fn left(&mut self, _now: Micros, left: &Left) {
        self.remove(left.item);
    }

    fn started(&mut self, _now: Micros, started: &Started) {
        self.remove(started.item);
        let charge = &started.charge;
        let [requests, input, output] = [charge.requests, charge.input, charge.output]
            .map(|count| i64::try_from(count).unwrap_or(i64::MAX));
        self.charge(started.flow, self.units(requests, input, output));
    }

    fn charged(&mut self, _now: Micros, charged: &Charged) {
        let units = self.units(charged.requests, charged.input, charged.output);
        self.charge(charged.flow, units);
    }

    fn gone(&mut self, _now: Micros, flow: FlowId) {
        let tenant = self.tenant(flow);
        if self.ring(tenant).waits(flow) || self.tenants.waits(flow) {
            return;
        }
        if tenant == flow {
            self.tenants.remove(flow);
            self.sessions.remove(&flow);
        } else if let Some(ring) = self.sessions.get_mut(&tenant) {
            ring.remove(flow);
        }
        self.flows.remove(&flow);
    }

    fn pick(&mut self, now: Micros, room: &Room) -> Choice {
        self.age(now);
        let may_go = |(.., id): &(_, _, ItemId)| !room.passing || self.fits(*id, room);
        let head = self.heads(room.lane).find(may_go);
        let Some((tenant, session, id)) = head else { return Choice::IDLE };
        self.tenants.take_turn(tenant);
        self.ring(tenant).take_turn(session);
        self.remove(id);
        Choice::offer(id)
    }

    fn save(&self) -> serde_json::Value {
        let session = |(id, ring): (&FlowId, &Ring)| (*id, ring.deficits());
        let deficits = Deficits {
            tenants: self.tenants.deficits(),
            sessions: self.sessions.iter().map(session).collect(),
        };
        serde_json::to_value(deficits).unwrap_or_default()
    }

    fn restore(&mut self, state: serde_json::Value) -> Result<(), String> {
        let saved: Deficits = serde_json::from_value(state).map_err(|error| error.to_string())?;
        self.tenants.adopt(&saved.tenants);
        for (tenant, deficits) in saved.sessions {
            if let Some(ring) = self.sessions.get_mut(&tenant) {
                ring.adopt(&deficits);
            }
        }
        Ok(())
    }
}
