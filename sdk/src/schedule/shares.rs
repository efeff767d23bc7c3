//! Shares between tenants, then between the sessions of a tenant, by any rule that ranks siblings.
//!
//! What fair queues differ in is a [`Sharing`]: what they keep of a flow, and when it is the flow's turn.
//! What they have in common is here. A tenant's turn comes first; below it the more urgent class, with aging,
//! then a session's turn; within a session rank, arrival and id. So a class orders a tenant's own requests and
//! takes nothing from another tenant. One state serves all lanes of a group, so shares hold across them.
//!
//! A flow is charged for what *started*, picked here or not: the host starts an item itself where there is
//! nothing to choose, and may never have told of it.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::siblings::Siblings;
use super::{
    Backlog, Charged, Choice, Flow, Group, Item, Key, Left, Returned, Room, Sharing, Started, Units,
};
use crate::codes::level;
use crate::types::{FlowId, ItemId, LaneId};
use crate::units::Micros;

/// Items whose aging is followed in one call.
const AGED: usize = 64;

/// Flows whose standing is saved, so that a saved state stays far below what the host takes. Flows beyond
/// that begin level.
const KEPT: usize = 8_192;

/// Steps from a session up to its tenant, at most.
const STEPS: usize = 8;

/// The lines of one group: tenants, their sessions, and each session's items.
pub struct Shares<S: Sharing> {
    rule: S,
    units: Units,
    look: usize,
    flows: BTreeMap<FlowId, Node>,
    tenants: Siblings<S>,
    sessions: BTreeMap<FlowId, Siblings<S>>,
    lines: BTreeMap<(FlowId, LaneId), BTreeSet<Key>>,
    backlog: Backlog,
    /// The item that was picked last and has neither started nor come back.
    picked: Option<ItemId>,
}

/// A flow's place in the tree.
struct Node {
    parent: FlowId,
    level: u16,
    weight: u32,
}

/// What is saved: the standings of tenants, and of the sessions of each.
#[derive(Serialize, Deserialize)]
struct Standings {
    tenants: Vec<(FlowId, i64)>,
    sessions: Vec<(FlowId, Vec<(FlowId, i64)>)>,
}

impl<S: Sharing> Shares<S> {
    /// Empty lines under a rule. While a head is held, `look` tenants and as many sessions of each are
    /// looked at for an item that may pass it.
    #[must_use]
    pub fn new(rule: S, units: Units, look: usize) -> Self {
        Self {
            tenants: Siblings::new(rule.clone()),
            rule,
            units,
            look,
            flows: BTreeMap::new(),
            sessions: BTreeMap::new(),
            lines: BTreeMap::new(),
            backlog: Backlog::default(),
            picked: None,
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

    /// The sessions of a tenant.
    fn below(&mut self, tenant: FlowId) -> &mut Siblings<S> {
        self.sessions.entry(tenant).or_insert_with(|| Siblings::new(self.rule.clone()))
    }

    /// Tells the siblings what a session has at the head of a lane.
    fn show(&mut self, session: FlowId, lane: LaneId) {
        let tenant = self.tenant(session);
        let line = self.lines.get(&(session, lane));
        let head = line.and_then(BTreeSet::first).map(|key| key.class);
        self.below(tenant).show(session, lane, head);
        self.show_tenant(tenant, lane);
    }

    fn show_tenant(&mut self, tenant: FlowId, lane: LaneId) {
        let waits = self.below(tenant).order(lane).next().is_some();
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
        if self.knows(session) {
            let tenant = self.tenant(session);
            self.below(tenant).charge(session, units);
            self.tenants.charge(tenant, units);
        }
    }

    /// Gives a session and its tenant the turn that they took without a pick.
    fn pass(&mut self, session: FlowId) {
        if self.knows(session) {
            let tenant = self.tenant(session);
            self.below(tenant).pass(session);
            self.tenants.pass(tenant);
        }
    }

    fn knows(&self, session: FlowId) -> bool {
        let siblings = self.sessions.get(&self.tenant(session));
        self.flows.contains_key(&session) || siblings.is_some_and(|all| all.waits(session))
    }

    /// Moves the sessions that no longer belong to a tenant, since a flow above them became known.
    fn rehome(&mut self, from: FlowId) {
        let Some(siblings) = self.sessions.get(&from) else { return };
        let moved: Vec<FlowId> = siblings.members().filter(|id| self.tenant(*id) != from).collect();
        for session in moved {
            self.below(from).remove(session);
            let (to, weight) = (self.tenant(session), self.weight(session));
            self.below(to).weigh(session, weight);
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

    /// The heads of the foremost sessions of the foremost tenants, each with its tenant and session.
    fn heads(&self, lane: LaneId) -> impl Iterator<Item = (FlowId, FlowId, ItemId)> {
        self.tenants.order(lane).take(self.look).flat_map(move |tenant| {
            let sessions = self.sessions.get(&tenant).into_iter();
            let sessions = sessions.flat_map(move |all| all.order(lane)).take(self.look);
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

impl<S: Sharing> Group for Shares<S> {
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
            self.below(tenant).weigh(id, weight);
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
        if self.picked.take() != Some(started.item) {
            self.pass(started.flow);
        }
        self.remove(started.item);
        let charge = &started.charge;
        let [requests, input, output] = [charge.requests, charge.input, charge.output]
            .map(|count| i64::try_from(count).unwrap_or(i64::MAX));
        self.charge(started.flow, self.units.of(requests, input, output));
    }

    fn returned(&mut self, _now: Micros, _returned: &Returned) {
        self.picked = None;
    }

    fn charged(&mut self, _now: Micros, charged: &Charged) {
        let units = self.units.of(charged.requests, charged.input, charged.output);
        self.charge(charged.flow, units);
    }

    fn gone(&mut self, _now: Micros, flow: FlowId) {
        let tenant = self.tenant(flow);
        if self.below(tenant).waits(flow) || self.tenants.waits(flow) {
            return;
        }
        if tenant == flow {
            self.tenants.remove(flow);
            self.sessions.remove(&flow);
        } else if let Some(siblings) = self.sessions.get_mut(&tenant) {
            siblings.remove(flow);
        }
        self.flows.remove(&flow);
    }

    fn pick(&mut self, now: Micros, room: &Room) -> Choice {
        self.age(now);
        let may_go = |(.., id): &(_, _, ItemId)| !room.passing || self.fits(*id, room);
        let head = self.heads(room.lane).find(may_go);
        let Some((tenant, session, id)) = head else { return Choice::IDLE };
        self.tenants.serve(tenant);
        self.below(tenant).serve(session);
        self.remove(id);
        self.picked = Some(id);
        Choice::offer(id)
    }

    fn save(&self) -> serde_json::Value {
        let mut left = KEPT;
        let mut keep = |all: &Siblings<S>| {
            let kept: Vec<_> = all.standings().take(left).collect();
            left -= kept.len();
            kept
        };
        let tenants = keep(&self.tenants);
        let sessions = self.sessions.iter().map(|(id, all)| (*id, keep(all)));
        let sessions = sessions.filter(|(_, standings)| !standings.is_empty()).collect();
        let standings = Standings { tenants, sessions };
        serde_json::to_value(standings).unwrap_or_default()
    }

    fn restore(&mut self, state: serde_json::Value) -> Result<(), String> {
        let saved: Standings = serde_json::from_value(state).map_err(|error| error.to_string())?;
        self.tenants.adopt(&saved.tenants);
        for (tenant, standings) in saved.sessions {
            if let Some(siblings) = self.sessions.get_mut(&tenant) {
                siblings.adopt(&standings);
            }
        }
        Ok(())
    }
}
