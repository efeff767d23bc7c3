//! Heads of lanes that the host holds, and who may pass them.
//!
//! When the item that a schedule proposes does not fit, the host reserves for it: it stays at the head of
//! its lane until it fits and is started by the host itself. Otherwise a stream of small requests could
//! starve a large one for ever. The price is idle capacity, so others may pass where they do no harm
//! (EASY backfill; Lifka, "The ANL/IBM SP scheduling system", 1995):
//!
//! - On slots, one whose *bound* ends before the head's expected start.
//! - On a rate bucket, within what remains after the head's need at its expected start. For the bucket
//!   that sets that start nothing remains.
//! - Beyond that, passers together may take 15 % of the head's own demand.
//!
//! One head a lane is held. Those that share a cell are served in the order of holding: a later one is a
//! passer to an earlier one.

use weir_sdk::types::Demand;

use crate::claim::{Claim, Room};
use crate::ids::{CandidateId, ItemId, LaneId};
use crate::output::Blocked;
use crate::units::Micros;

/// What passers may take of a held head's demand, in hundredths.
const ALLOWANCE_PERCENT: u64 = 15;

/// A candidate in a route's order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Choice {
    pub(crate) candidate: CandidateId,
    /// Absent when no route policy was asked.
    pub(crate) score: Option<f64>,
    pub(crate) reason: u16,
    /// How long the next waits for this one.
    pub(crate) patience: Micros,
}

/// A held head.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) item: ItemId,
    /// Its place among holds.
    pub(crate) place: u64,
    pub(crate) choices: Vec<Choice>,
    /// The reservation: what it is expected to take.
    pub(crate) claim: Claim,
    /// When it is expected to start.
    pub(crate) eta: Micros,
    /// What it lacks.
    pub(crate) blocked: Blocked,
    /// What passers have taken of the allowance.
    taken: Taken,
}

/// Requests and tokens that passers took.
#[derive(Clone, Copy, Debug, Default)]
struct Taken {
    requests: u64,
    input: u64,
    output: u64,
}

/// Someone who would pass.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passer<'a> {
    pub(crate) demand: &'a Demand,
    /// When it has ended for certain.
    pub(crate) bound_end: Micros,
}

/// What a passer finds at the head's candidate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Beside {
    /// Slots that are free now.
    pub(crate) free_slots: u32,
    /// What is free at the head's expected start.
    pub(crate) then: Room,
    /// Both fit at that time: the only word on windows that count input and output together.
    pub(crate) both_fit: bool,
}

impl Held {
    pub(crate) fn new(
        item: ItemId,
        place: u64,
        choices: Vec<Choice>,
        claim: Claim,
        (eta, blocked): (Micros, Blocked),
    ) -> Self {
        Self { item, place, choices, claim, eta, blocked, taken: Taken::default() }
    }

    /// Whether the passer does no harm beyond the allowance.
    pub(crate) fn lets_pass(&self, passer: Passer<'_>, beside: &Beside) -> bool {
        self.slots_let_pass(passer, beside) && self.after(passer, beside).is_some()
    }

    /// The passer started: what it takes of the allowance is noted.
    pub(crate) fn passed(&mut self, passer: Passer<'_>, beside: &Beside) {
        if let Some(taken) = self.after(passer, beside) {
            self.taken = taken;
        }
    }

    pub(crate) fn slots_let_pass(&self, passer: Passer<'_>, beside: &Beside) -> bool {
        let both = self.claim.demand.slots.saturating_add(passer.demand.slots);
        beside.free_slots >= both || passer.bound_end <= self.eta
    }

    /// The allowance after the passer; `None` when that is too much.
    fn after(&self, passer: Passer<'_>, beside: &Beside) -> Option<Taken> {
        let (head, pass, then) = (&self.claim.demand, passer.demand, &beside.then);
        let rows = [
            (
                u64::from(head.requests),
                u64::from(pass.requests),
                then.requests,
                self.taken.requests,
            ),
            (head.input, pass.input, then.input.0, self.taken.input),
            (head.output, pass.output, then.output.0, self.taken.output),
        ];
        let harmless = |(head, pass, free, _): &(u64, u64, u64, u64)| {
            *pass == 0 || head.saturating_add(*pass) <= *free
        };
        let joint = !beside.both_fit && rows.iter().all(harmless);
        let mut taken = [0; 3];
        for (slot, row) in taken.iter_mut().zip(&rows).enumerate().map(|(i, (t, r))| ((i, t), r)) {
            let ((index, sum), (head, pass, _, before)) = (slot, *row);
            let free = harmless(row) && !(joint && index > 0);
            *sum = if free { before } else { before.saturating_add(pass) };
            if *sum > before && *sum > head.saturating_mul(ALLOWANCE_PERCENT) / 100 {
                return None;
            }
        }
        let [requests, input, output] = taken;
        Some(Taken { requests, input, output })
    }
}

/// Which lanes hold a head, in the order of holding.
#[derive(Debug, Default)]
pub(crate) struct Holds {
    next: u64,
    by_place: std::collections::BTreeMap<u64, LaneId>,
}

impl Holds {
    /// A new last place.
    pub(crate) fn add(&mut self, lane: LaneId) -> u64 {
        let place = self.next;
        self.next += 1;
        self.by_place.insert(place, lane);
        place
    }

    pub(crate) fn remove(&mut self, place: u64) {
        self.by_place.remove(&place);
    }

    /// Lanes in the order of holding.
    pub(crate) fn lanes(&self) -> Vec<LaneId> {
        self.by_place.values().copied().collect()
    }
}
