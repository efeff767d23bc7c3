//! A request arrives.

use weir_sdk::codes::{blocked, why};
use weir_sdk::priority;
use weir_sdk::types::Demand;

use super::{Core, Io};
use crate::claim::{NotUntil, Short};
use crate::ids::{FlowId, ItemId, TaskId};
use crate::input::Arrival;
use crate::item::{Item, Place};
use crate::output::{Blocked, Refusal};
use crate::policies::Slot;
use crate::units::{Micros, Tokens};

/// The longest aging step and longest wait that make sense.
const MAX_SPAN: Micros = Micros::from_secs(7 * 24 * 3600);
/// The greatest weight that makes sense.
const MAX_WEIGHT: u32 = 1_000_000;

impl Core {
    pub(super) fn arrive(&mut self, io: &mut Io<'_>, arrival: &Arrival) {
        let tenant = arrival.tenant;
        if self.line.get(arrival.item).is_some() {
            return;
        }
        let known = (tenant.0 as usize) < self.config.tenants.len();
        if !known || self.lane(arrival.lane).is_none() {
            return self.refuse_unknown(io, arrival.item, tenant, Refusal::NoCandidate);
        }
        if !self.line.admits(&self.config.line, tenant, arrival.body_bytes) {
            let retry_after = self.line_wait().max(Micros::SECOND);
            return self.refuse_unknown(io, arrival.item, tenant, Refusal::Full { retry_after });
        }
        let deadline = arrival.deadline.unwrap_or(io.now.plus(self.config.line.default_deadline));
        let mut item = Item::new(arrival, io.now, deadline);
        self.guess(&mut item);
        self.place_in_tree(&mut item);
        if let Some(refusal) = self.hopeless(io.now, &item) {
            return self.refuse_unknown(io, item.id, tenant, refusal);
        }
        self.name(io, &mut item, &arrival.session, &arrival.task);
        item.placement = self.ask_priority(io, &item, why::ARRIVAL);
        if item.placement.may_shed && self.ledger.past_soft(io.now, tenant) {
            self.drop_names(io, &item);
            return self.refuse_unknown(io, item.id, tenant, self.shed(io.now, tenant));
        }
        self.counters.arrived += 1;
        self.take_in(item);
    }

    /// The item enters the line and is offered.
    fn take_in(&mut self, item: Item) {
        let (id, lane, deadline) = (item.id, item.lane, item.deadline);
        self.nest_enter(&item);
        self.line.insert(item);
        if let Some(lane) = self.lane_mut(lane) {
            lane.deadlines.insert((deadline, id));
        }
        self.offer(id);
    }

    /// Tells the schedule of an item that may be picked.
    pub(super) fn offer(&mut self, id: ItemId) {
        let rests = self.line.get(id).is_some_and(|item| matches!(item.place, Place::Resting(_)));
        debug_assert!(rests, "item {id} is offered from where it does not rest");
        if !rests {
            return;
        }
        self.line.place(id, Place::Offered);
        let Some(item) = self.line.get(id) else { return };
        let (lane_id, event) = (item.lane, self.told(item));
        let (session, tenant, weight) = (item.session, item.tenant, item.placement.weight);
        let late = Micros(item.placement.longest_wait);
        let overdue = (late > Micros::ZERO).then(|| item.arrived.plus(late));
        let Some(lane) = self.lane_mut(lane_id) else { return };
        lane.asleep = false;
        lane.aside.remove(&id);
        lane.crowded.remove(&id);
        if let Some(at) = overdue {
            lane.overdue.insert((at, id));
        }
        let group = lane.group;
        self.know_flows(group, tenant, session, weight);
        if let Some(group) = self.groups.get_mut(&group) {
            group.events.push(event);
        }
    }

    /// An item as its schedule is told of it.
    pub(super) fn told(&self, item: &Item) -> weir_sdk::schedule::Event {
        item.offer(self.lane_numbers.get(item.lane.0).unwrap_or(u32::MAX))
    }

    /// What the request will need, before it is known where it goes.
    fn guess(&self, item: &mut Item) {
        let guess =
            self.estimator.estimate(item.lane, item.tenant, item.prompt_bytes, item.max_output);
        item.expected = guess.expected;
        item.bound = guess.bound;
        item.size_class = guess.size_class;
        let first = self.lane(item.lane).and_then(|lane| lane.candidates.first().copied());
        let cost = first.map_or(0, |candidate| {
            self.ledger.price(candidate, guess.input, Tokens::ZERO, guess.output).0
        });
        let (input, output) = (guess.input.0, guess.output.0);
        item.demand = Demand { slots: 1, requests: 1, input, output, cost };
    }

    /// Why an item can be refused at once: it never fits, its budget is spent, or it could not start
    /// before its deadline.
    pub(super) fn hopeless(&self, now: Micros, item: &Item) -> Option<Refusal> {
        if item.deadline <= now {
            return Some(Refusal::Expired);
        }
        if self.deadlocked(item) {
            return Some(Refusal::Deadlock);
        }
        let lane = self.lane(item.lane)?;
        let mut best: Option<Refusal> = None;
        for candidate in &lane.candidates {
            let refusal = self.hopeless_at(now, item, *candidate)?;
            best = Some(best.map_or(refusal, |best| sooner(best, refusal)));
        }
        Some(best.unwrap_or(Refusal::NoCandidate))
    }

    fn hopeless_at(
        &self,
        now: Micros,
        item: &Item,
        candidate: crate::ids::CandidateId,
    ) -> Option<Refusal> {
        let claim = self.claim(item, candidate)?;
        match self.ledger.check(now, &claim) {
            Ok(()) => None,
            Err(short) => refusal_of(now, item.deadline, &short),
        }
    }

    /// Asks the priority policy where an item goes.
    pub(super) fn ask_priority(
        &mut self,
        io: &mut Io<'_>,
        item: &Item,
        why: u16,
    ) -> priority::Placement {
        let question = self.priority_question(io.now, item, why);
        let declared = question.declared_class;
        match io.policies.place(io.now, question) {
            Ok(placement) => match absurd(&placement) {
                None => return placement,
                Some(words) => self.nonsense(io, Slot::Priority, words),
            },
            Err(_) => self.fell_back(Slot::Priority),
        }
        crate::fallback::place(declared)
    }

    fn priority_question(&self, now: Micros, item: &Item, why: u16) -> priority::Arrival {
        let tenant = self.tenant_flows.get(item.tenant.0 as usize).map_or(0, |flow| flow.0);
        priority::Arrival {
            item: item.id.0,
            tenant,
            session: item.session.0,
            task: item.task.0,
            why,
            declared_class: item.declared.unwrap_or(255),
            deadline: Some(item.deadline.0),
            demand: item.demand,
            expected: item.expected.0,
            wait: self.line_wait().0,
            budget_spent: self.ledger.budget_spent(now, item.tenant),
            depth: item.depth,
            attempts: item.attempts,
        }
    }

    /// Gives the item's session and task their numbers.
    fn name(&mut self, io: &mut Io<'_>, item: &mut Item, session: &str, task: &str) {
        use weir_sdk::codes::names;
        let (flow, new) = self.sessions.enter(item.tenant, session);
        item.session = FlowId(flow);
        if new {
            tell(io, names::FLOW, flow, session);
        }
        if !task.is_empty() {
            let (id, new) = self.tasks.enter(item.tenant, task);
            item.task = TaskId(id);
            if new {
                tell(io, names::TASK, id, task);
            }
        }
    }

    /// How long a request at the line's end should wait: how many wait, times how often one goes.
    pub(super) fn line_wait(&self) -> Micros {
        let gap = self.pace.gap;
        Micros((self.line.waiting() as f64 * gap) as u64)
    }
}

fn tell(io: &mut Io<'_>, kind: u16, id: u64, name: &str) {
    io.policies.names(&[weir_sdk::lifecycle::Named { kind, id, name: name.to_owned() }]);
}

fn absurd(placement: &priority::Placement) -> Option<&'static str> {
    if placement.weight == 0 || placement.weight > MAX_WEIGHT {
        return Some("the weight is 0 or above a million");
    }
    let spans = [placement.aging_step, placement.longest_wait];
    spans
        .iter()
        .any(|span| *span > MAX_SPAN.0)
        .then_some("the aging step or longest wait is above a week")
}

/// The refusal that a shortage means for an item with this deadline, if it means one.
pub(super) fn refusal_of(now: Micros, deadline: Micros, short: &Short) -> Option<Refusal> {
    match short {
        Short::Never(never) => Some(Refusal::Never {
            blocked: never.blocked,
            needs: never.needs,
            capacity: never.capacity,
        }),
        Short::NotUntil(NotUntil { blocked: Blocked::Budget, until, .. }) => {
            Some(Refusal::Budget { retry_after: until.map(|at| at.minus(now)) })
        }
        Short::NotUntil(short) => {
            let until = short.until.filter(|at| *at > deadline)?;
            Some(Refusal::NotUntil { blocked: short.blocked, retry_after: until.minus(now) })
        }
    }
}

/// Of two refusals the one that leaves more hope.
fn sooner(a: Refusal, b: Refusal) -> Refusal {
    let rank = |refusal: &Refusal| match refusal {
        Refusal::NotUntil { retry_after, .. } => (0, retry_after.0),
        Refusal::Budget { retry_after } => (1, retry_after.map_or(u64::MAX, |r| r.0)),
        _ => (2, 0),
    };
    if rank(&b) < rank(&a) { b } else { a }
}

/// What a shortage is called in the schedule's contract.
pub(super) fn code_of(short: &Short) -> u16 {
    match short {
        Short::Never(never) => crate::item::blocked_code(never.blocked),
        Short::NotUntil(short) if short.slots.is_some() && short.until.is_none() => blocked::SLOTS,
        Short::NotUntil(short) => crate::item::blocked_code(short.blocked),
    }
}
