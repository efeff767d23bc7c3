//! The checks of a proposed item, and its start.

use weir_sdk::codes::reason;
use weir_sdk::schedule::{Event as Told, Returned, Service, Started};

use super::arrive::{code_of, refusal_of};
use super::{Core, Io};
use crate::attempt::{Attempt, Bill};
use crate::cell::Scope;
use crate::claim::{Claim, Held, NotUntil, Short};
use crate::event::Event;
use crate::hold::Choice;
use crate::ids::{AttemptId, CandidateId, ItemId, LaneId};
use crate::item::{Item, Place, said};
use crate::output::{Admit, Blocked, Output, Refusal};
use crate::timers::Due;
use crate::units::Micros;

/// What came of trying an item's candidates.
enum Tried {
    Started,
    /// None fits now: the claim that is expected to fit first, when, and why not now.
    Short(Box<Claim>, Micros, Short),
    /// Nothing that the core knows could serve it.
    Nobody,
}

impl Core {
    /// An item whose turn it is. It is resting, in no order.
    pub(super) fn try_head(&mut self, io: &mut Io<'_>, lane: LaneId, id: ItemId, picked: bool) {
        if let Some(item) = self.line.get_mut(id) {
            item.proposed.get_or_insert(io.now);
        }
        let choices = self.choices(io, lane, id);
        match self.try_choices(io, lane, id, &choices) {
            Tried::Started => {}
            Tried::Nobody => {
                self.give_back(id, picked, weir_sdk::codes::blocked::NONE, false, io.now);
                self.refuse(io, id, Refusal::NoCandidate);
            }
            Tried::Short(claim, eta, short) => {
                self.fell_short(io, (lane, id, picked), choices, *claim, eta, &short);
            }
        }
    }

    /// Starts the item at the first candidate that fits, in the order of preference.
    fn try_choices(
        &mut self,
        io: &mut Io<'_>,
        lane: LaneId,
        id: ItemId,
        choices: &[Choice],
    ) -> Tried {
        let mut best: Option<(Box<Claim>, Micros, Short)> = None;
        for choice in choices {
            let Some(item) = self.line.get(id) else { return Tried::Nobody };
            let Some(claim) = self.claim(item, choice.candidate) else { continue };
            let deadline = item.deadline;
            match self.fits(io.now, lane, item, &claim) {
                Ok(()) if self.start(io, id, claim.clone(), *choice).is_ok() => {
                    return Tried::Started;
                }
                Ok(()) => {}
                Err(short) => {
                    let eta = self.eta(io.now, &claim, &short);
                    let hopeless = refusal_of(io.now, deadline, &short).is_some();
                    if best.as_ref().is_none_or(|best| eta < best.1) {
                        best = Some((Box::new(claim), eta, short));
                    }
                    if !hopeless && self.patient(io.now, id, choice) {
                        break;
                    }
                }
            }
        }
        best.map_or(Tried::Nobody, |(claim, eta, short)| Tried::Short(claim, eta, short))
    }

    /// The item still waits for this candidate before the next is tried.
    pub(super) fn patient(&mut self, now: Micros, id: ItemId, choice: &Choice) -> bool {
        let since = self.line.get(id).and_then(|item| item.proposed).unwrap_or(now);
        let until = since.plus(choice.patience);
        let waits = now < until;
        if waits {
            self.timers.sooner(Due::Rested(id), until);
        }
        waits
    }

    /// The claim of an item at a candidate, with the slots that it must leave to deeper ones.
    pub(super) fn claim(&self, item: &Item, candidate: CandidateId) -> Option<Claim> {
        let mut claim = self.ledger.claim(candidate, item.tenant, &item.demand, item.size_class)?;
        claim.spare = self.spare(item, candidate);
        Some(claim)
    }

    /// Whether a claim fits now, beside the heads that are held and the parents that resume.
    pub(super) fn fits(
        &self,
        now: Micros,
        lane: LaneId,
        item: &Item,
        claim: &Claim,
    ) -> Result<(), Short> {
        self.ledger.check(now, claim)?;
        let cell = self.ledger.slots_of(claim.candidate);
        let promised = if item.depth == 0 { self.promised(cell) } else { 0 };
        let free = self.free(now, claim.candidate).slots;
        if free < claim.demand.slots.saturating_add(promised) {
            return Err(self.beside_short(claim, Blocked::Slots, None));
        }
        match self.in_the_way(now, lane, item, claim) {
            None => Ok(()),
            Some((blocked, eta)) => Err(self.beside_short(claim, blocked, Some(eta))),
        }
    }

    /// The shortage of one who would fit, were it not for those before it.
    fn beside_short(&self, claim: &Claim, blocked: Blocked, until: Option<Micros>) -> Short {
        let cell = self.ledger.slots_of(claim.candidate).unwrap_or(crate::ids::CellId(0));
        let slots = (blocked == Blocked::Slots).then_some(cell);
        let scope = self.ledger.cell(cell).map_or(Scope::Account(0), crate::cell::Cell::scope);
        Short::NotUntil(NotUntil { cell, scope, blocked, until, slots, alone: true })
    }

    /// When a claim that does not fit is expected to: its windows by their refill, its slots by the
    /// attempts that should end.
    pub(super) fn eta(&self, now: Micros, claim: &Claim, short: &Short) -> Micros {
        match short {
            Short::Never(_) => Micros::MAX,
            Short::NotUntil(NotUntil { until, slots, .. }) => {
                let nth = claim.demand.slots.saturating_add(claim.spare).max(1) as usize;
                let freed = slots.map(|cell| self.attempts.release(now, cell, nth));
                until.unwrap_or(now).max(freed.unwrap_or(now)).max(now)
            }
        }
    }

    /// An item that fits nowhere now is refused, kept back, set aside or held.
    fn fell_short(
        &mut self,
        io: &mut Io<'_>,
        (lane_id, id, picked): (LaneId, ItemId, bool),
        choices: Vec<Choice>,
        claim: Claim,
        eta: Micros,
        short: &Short,
    ) {
        let Some(deadline) = self.line.get(id).map(|item| item.deadline) else { return };
        let passing = self.lane(lane_id).is_some_and(|lane| lane.held.is_some());
        let code = code_of(short);
        if let Some(refusal) = refusal_of(io.now, deadline, short) {
            self.give_back(id, picked, code, false, eta);
            self.refuse(io, id, refusal);
        } else if is_own(short) {
            self.give_back(id, picked, code, false, eta);
            self.keep_back(io.now, id, short);
        } else if passing {
            self.give_back(id, picked, code, false, eta);
            let crowded = self.lacks_a_slot(io.now, lane_id, id, &claim, short);
            if let Some(lane) = self.lane_mut(lane_id) {
                lane.aside.insert(id);
                if crowded {
                    lane.crowded.insert(id);
                }
            }
        } else {
            self.give_back(id, picked, code, true, eta);
            self.hold(io.now, lane_id, id, choices, claim, (eta, short));
        }
    }

    /// A tenant's own limit is no reason for others to wait: the item steps aside until the limit allows.
    pub(super) fn keep_back(&mut self, now: Micros, id: ItemId, short: &Short) {
        let until = match short {
            Short::NotUntil(NotUntil { until, slots: None, .. }) => *until,
            _ => None,
        };
        self.line.place(id, Place::Resting(until.unwrap_or(now)));
        if let Some(until) = until {
            self.timers.set(Due::Rested(id), until.max(now.plus(Micros(1))));
        }
        if let Some(item) = self.line.get(id) {
            self.kept.insert(item);
        }
    }

    /// Tells the schedule that an item it picked does not start now.
    fn give_back(&mut self, id: ItemId, picked: bool, blocked: u16, held: bool, eta: Micros) {
        let Some(item) = self.line.get(id).filter(|_| picked) else { return };
        let flow = item.session.0;
        let told = Returned { item: id.0, flow, blocked, held, not_before: eta.0 };
        self.say(item.lane, Told::Returned(told));
    }

    /// Commits a claim and sends the item. The item must wait in no order and no hold.
    pub(super) fn start(
        &mut self,
        io: &mut Io<'_>,
        id: ItemId,
        claim: Claim,
        choice: Choice,
    ) -> Result<(), Short> {
        let held = self.ledger.commit(io.now, claim)?;
        self.check_start(io.now, &held);
        self.tell_passed(io.now, id, &held);
        let waited = self.line.get(id).map_or(Micros::ZERO, |item| item.waited(io.now));
        let Some(attempt) = self.send(io.now, id, held) else { return Ok(()) };
        self.say_admitted(io, id, attempt, choice, waited);
        self.budget_events(io);
        Ok(())
    }

    /// Moves the item into flight.
    fn send(&mut self, now: Micros, id: ItemId, held: Held) -> Option<AttemptId> {
        let candidate = held.claim().candidate;
        let item = self.line.get(id)?;
        let (expected, _) = self.estimator.duration(
            candidate,
            crate::units::Tokens(item.demand.output),
            item.max_output,
        );
        let demand = held.claim().demand;
        let (input, output, cost) = (demand.input, demand.output, demand.cost);
        let charged = Service { requests: 1, input, output, cost };
        let (lane_id, flow, deadline) = (item.lane, item.session, item.deadline);
        let (tenant, waited) = (item.tenant, item.waited(now));
        let attempt = self.attempts.insert(Attempt {
            item: id,
            lane: lane_id,
            candidate,
            held,
            sent: now,
            expected_end: now.plus(expected),
            bill: Bill { flow, charged },
            retry: item.retrying,
            accepted: false,
            network: None,
            parked: false,
        });
        if item.attempts == 0 {
            self.ledger.retry_deposit(now, candidate);
        }
        self.stats.started(candidate);
        self.now_running(id, attempt);
        let group = self.lane_mut(lane_id).map(|lane| {
            lane.deadlines.remove(&(deadline, id));
            lane.earn();
            lane.group
        });
        if let Some(group) = group.and_then(|group| self.groups.get_mut(&group)) {
            group.serve(flow, &charged);
        }
        let candidate = self.candidate_numbers.get(candidate.0).unwrap_or(u32::MAX);
        let (item, flow) = (id.0, flow.0);
        self.say(lane_id, Told::Started(Started { item, flow, candidate, charge: charged }));
        self.pace.mark(now, waited);
        self.let_in(tenant);
        Some(attempt)
    }

    /// The item waits no more.
    fn now_running(&mut self, id: ItemId, attempt: AttemptId) {
        self.line.place(id, Place::Running(attempt));
        self.timers.unset(Due::Rested(id));
        if let Some(item) = self.line.get_mut(id) {
            item.attempts = item.attempts.saturating_add(1);
            item.proposed = None;
            item.retrying = false;
        }
    }

    fn say_admitted(
        &mut self,
        io: &mut Io<'_>,
        id: ItemId,
        attempt: AttemptId,
        choice: Choice,
        waited: Micros,
    ) {
        self.counters.admitted += 1;
        let Some(item) = self.line.get_mut(id) else { return };
        let from = item.last.replace(choice.candidate);
        let (number, tenant, deadline) = (item.attempts, item.tenant, item.deadline);
        let reserved = self.attempts.get(attempt).map(|a| a.held.output_reserved());
        io.out.push(Output::Admit(Admit {
            item: id,
            attempt,
            candidate: choice.candidate,
            number,
            waited,
            deadline,
            output_reserved: reserved.unwrap_or_default(),
        }));
        let names = self.topology.candidate(choice.candidate);
        let (upstream, model) =
            names.map(|c| (c.upstream_name.clone(), c.model_name.clone())).unwrap_or_default();
        let from = from.map(|from| self.topology.upstream(from)).filter(|from| *from != upstream);
        if let Some(from) = from {
            io.out.push(said(Event::Rerouted { item: id, from, to: upstream.clone() }));
        }
        let tenant = self.tenant_name(tenant);
        let (score, reason) = (choice.score, choice.reason);
        let attempt = number;
        io.out.push(said(Event::Admitted {
            item: id,
            tenant,
            upstream,
            model,
            attempt,
            waited,
            score,
            reason,
        }));
    }

    /// Says which tenants' budgets passed a threshold.
    pub(super) fn budget_events(&mut self, io: &mut Io<'_>) {
        use crate::budget::Threshold;
        for crossing in self.ledger.crossings() {
            if crossing.threshold == Threshold::Soft {
                self.place_anew(crossing.tenant);
                self.more = true;
            }
            let tenant = self.tenant_name(crossing.tenant);
            let left = crossing.left;
            io.out.push(said(match crossing.threshold {
                Threshold::Soft => {
                    Event::BudgetSoft { tenant, tokens_left: left.tokens, cost_left: left.cost }
                }
                Threshold::Hard => {
                    Event::BudgetHard { tenant, retry_after: left.renews.unwrap_or(Micros::MAX) }
                }
            }));
        }
    }

    /// The name of a reason for a changed limit.
    pub(super) fn reason_name(code: u16, rose: bool) -> &'static str {
        match (code, rose) {
            (reason::NONE, true) => reason::name(reason::RECOVERED),
            (reason::NONE, false) => reason::name(reason::RATE_LIMITED),
            (code, _) => reason::name(code),
        }
    }
}

/// The tenant's own limit is short, and nothing of a provider is named before it.
pub(super) fn is_own(short: &Short) -> bool {
    matches!(short, Short::NotUntil(short) if matches!(short.scope, Scope::Tenant(_)))
}
