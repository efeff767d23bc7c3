//! Held heads: tried first, and protected from those behind them.

use super::admit::is_own;
use super::arrive::refusal_of;
use super::{Core, Io};
use crate::claim::{Claim, Held as Taken, Short};
use crate::hold::{Beside, Choice, Held, Passer};
use crate::ids::{ItemId, LaneId};
use crate::item::{Item, Place};
use crate::output::Blocked;
use crate::timers::Due;
use crate::units::Micros;

impl Core {
    /// Holds an item at the head of its lane.
    pub(super) fn hold(
        &mut self,
        now: Micros,
        lane_id: LaneId,
        id: ItemId,
        choices: Vec<Choice>,
        claim: Claim,
        (eta, short): (Micros, &Short),
    ) {
        self.line.place(id, Place::Held);
        let place = self.holds.add(lane_id);
        let held = Held::new(id, place, choices, claim, (eta, blocked(short)));
        if let Some(lane) = self.lane_mut(lane_id) {
            lane.held = Some(held);
        }
        self.wake_for(now, lane_id, eta, short);
    }

    /// A head is looked at again when its windows should have refilled; a slot's release is an input.
    fn wake_for(&mut self, now: Micros, lane: LaneId, eta: Micros, short: &Short) {
        let timed = matches!(short, Short::NotUntil(short) if short.until.is_some());
        if timed {
            self.timers.set(Due::Lane(lane), eta.max(now.plus(Micros(1))));
        } else {
            self.timers.unset(Due::Lane(lane));
        }
    }

    /// Starts every held head that fits, in the order of holding.
    pub(super) fn start_held(&mut self, io: &mut Io<'_>) {
        for lane in self.holds.lanes() {
            self.try_held(io, lane);
        }
    }

    fn try_held(&mut self, io: &mut Io<'_>, lane: LaneId) {
        let Some(held) = self.lane(lane).and_then(|lane| lane.held.as_ref()) else { return };
        let (id, choices) = (held.item, held.choices.clone());
        let mut best: Option<(Claim, Micros, Short)> = None;
        for choice in &choices {
            let Some(item) = self.line.get(id) else { return };
            let Some(claim) = self.claim(item, choice.candidate) else { continue };
            let deadline = item.deadline;
            match self.fits(io.now, lane, item, &claim) {
                Ok(()) => return self.start_head(io, lane, id, claim, *choice),
                Err(short) => {
                    let eta = self.eta(io.now, &claim, &short);
                    let hopeless = refusal_of(io.now, deadline, &short).is_some();
                    if best.as_ref().is_none_or(|best| eta < best.1) {
                        best = Some((claim, eta, short));
                    }
                    if !hopeless && self.patient(io.now, id, choice) {
                        break;
                    }
                }
            }
        }
        if let Some((claim, eta, short)) = best {
            self.still_held(io, (lane, id), claim, eta, &short);
        }
    }

    fn start_head(
        &mut self,
        io: &mut Io<'_>,
        lane: LaneId,
        id: ItemId,
        claim: Claim,
        choice: Choice,
    ) {
        if self.start(io, id, claim, choice).is_ok() {
            self.drop_hold(lane);
        }
    }

    /// The reservation moves to where the head is now expected to start first. A head that cannot make it,
    /// or that its own tenant's limit stops by now, is held no more.
    fn still_held(
        &mut self,
        io: &mut Io<'_>,
        (lane_id, id): (LaneId, ItemId),
        claim: Claim,
        eta: Micros,
        short: &Short,
    ) {
        let deadline = self.line.get(id).map_or(Micros::MAX, |item| item.deadline);
        if let Some(refusal) = refusal_of(io.now, deadline, short) {
            return self.refuse(io, id, refusal);
        }
        if is_own(short) {
            self.keep_back(io.now, id, short);
            return self.drop_hold(lane_id);
        }
        if let Some(held) = self.lane_mut(lane_id).and_then(|lane| lane.held.as_mut()) {
            held.claim = claim;
            held.eta = eta;
            held.blocked = blocked(short);
        }
        self.wake_for(io.now, lane_id, eta, short);
    }

    /// Who, among the heads held before this item, would be delayed by it: what they wait for, and until
    /// when.
    pub(super) fn in_the_way(
        &self,
        now: Micros,
        lane: LaneId,
        item: &Item,
        claim: &Claim,
    ) -> Option<(Blocked, Micros)> {
        let passer = passer(now, item, claim);
        let heads = self.heads_before(lane, item.id, claim);
        heads
            .into_iter()
            .find(|head| {
                !self.config.line.passing || !head.lets_pass(passer, &self.beside(now, head, claim))
            })
            .map(|head| (head.blocked, head.eta.max(now.plus(Micros(1)))))
    }

    /// Whether an item that may not pass lacks a slot that will come free, whatever else it lacks.
    pub(super) fn lacks_a_slot(
        &self,
        now: Micros,
        lane: LaneId,
        id: ItemId,
        claim: &Claim,
        short: &Short,
    ) -> bool {
        let Some(item) = self.line.get(id) else { return false };
        let own = matches!(short, Short::NotUntil(short) if short.slots.is_some());
        let passer = passer(now, item, claim);
        let beside = |head: &&Held| !head.slots_let_pass(passer, &self.beside(now, head, claim));
        own || self.heads_before(lane, id, claim).iter().any(beside)
    }

    /// Slots came free beside the head: as many of those that lacked one may be picked again.
    pub(super) fn offer_crowded(&mut self, now: Micros, lane_id: LaneId) {
        let Some(lane) = self.lane_mut(lane_id) else { return };
        if !std::mem::take(&mut lane.stirred) || lane.crowded.is_empty() {
            return;
        }
        let Some(lane) = self.lane(lane_id) else { return };
        let Some(head) = lane.held.as_ref().map(|held| &held.claim) else { return };
        let free = self.free(now, head.candidate).slots.saturating_sub(head.demand.slots);
        let again: Vec<ItemId> = lane.crowded.iter().copied().take(free as usize).collect();
        for id in again {
            self.offer(id);
        }
    }

    /// The item starts: heads before it that it shares something with note what it took.
    pub(super) fn tell_passed(&mut self, now: Micros, id: ItemId, taken: &Taken) {
        let Some(item) = self.line.get(id) else { return };
        let claim = taken.claim();
        let (lane, demand) = (item.lane, claim.demand);
        let passer = Passer { demand: &demand, bound_end: now.plus(item.bound) };
        let notes: Vec<_> = self
            .heads_before(lane, id, claim)
            .into_iter()
            .map(|head| (head.item, self.beside(now, head, claim)))
            .collect();
        for (head, beside) in notes {
            let lane = self.line.get(head).map(|head| head.lane);
            let held = lane.and_then(|lane| self.lane_mut(lane)).and_then(|l| l.held.as_mut());
            if let Some(held) = held {
                held.passed(passer, &beside);
            }
        }
    }

    /// Heads of holds before the item's own, if it has one, that share a provider's cell with its claim.
    fn heads_before(&self, lane: LaneId, id: ItemId, claim: &Claim) -> Vec<&Held> {
        let own = self.lane(lane).and_then(|lane| lane.held.as_ref());
        let limit = own.filter(|held| held.item == id).map_or(u64::MAX, |held| held.place);
        let lanes = self.holds.lanes();
        lanes
            .into_iter()
            .filter_map(|lane| self.lane(lane)?.held.as_ref())
            .filter(|held| held.place < limit && held.item != id)
            .filter(|held| self.ledger.share(held.claim.candidate, claim.candidate))
            .collect()
    }

    /// What a passer finds beside a head.
    fn beside(&self, now: Micros, head: &Held, claim: &Claim) -> Beside {
        let at = head.eta.max(now);
        let mut both = head.claim.demand;
        both.slots = 0;
        both.requests = both.requests.saturating_add(claim.demand.requests);
        both.input = both.input.saturating_add(claim.demand.input);
        both.output = both.output.saturating_add(claim.demand.output);
        let (candidate, tenant) = (head.claim.candidate, head.claim.tenant);
        let joint = self.ledger.claim(candidate, tenant, &both, head.claim.size_class);
        Beside {
            free_slots: self.free(now, candidate).slots,
            then: self.free(at, candidate),
            both_fit: joint.is_some_and(|joint| self.ledger.check(at, &joint).is_ok()),
        }
    }
}

fn passer<'a>(now: Micros, item: &Item, claim: &'a Claim) -> Passer<'a> {
    Passer { demand: &claim.demand, bound_end: now.plus(item.bound) }
}

fn blocked(short: &Short) -> Blocked {
    match short {
        Short::Never(never) => never.blocked,
        Short::NotUntil(short) if short.slots.is_some() && short.until.is_none() => Blocked::Slots,
        Short::NotUntil(short) => short.blocked,
    }
}
