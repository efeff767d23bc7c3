//! A request, from its arrival to its leaving.

use weir_sdk::priority::Placement;
use weir_sdk::{route, schedule, types};

use crate::event::Event;
use crate::ids::{AttemptId, CandidateId, FlowId, ItemId, LaneId, TaskId, TenantId};
use crate::input::Arrival;
use crate::output::Blocked;
use crate::units::{Micros, Tokens};

/// All that is known of a request.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) id: ItemId,
    pub(crate) tenant: TenantId,
    pub(crate) session: FlowId,
    pub(crate) task: TaskId,
    pub(crate) parent: Option<ItemId>,
    /// Steps below the root of its tree.
    pub(crate) depth: u16,
    pub(crate) lane: LaneId,
    pub(crate) declared: Option<u8>,
    pub(crate) arrived: Micros,
    pub(crate) deadline: Micros,
    pub(crate) prompt_bytes: u64,
    pub(crate) body_bytes: u64,
    pub(crate) max_output: Option<Tokens>,
    pub(crate) prefix: Vec<u64>,
    pub(crate) idempotent: bool,
    pub(crate) placement: Placement,
    pub(crate) demand: types::Demand,
    /// How long it will run once started.
    pub(crate) expected: Micros,
    /// How long it can run at most.
    pub(crate) bound: Micros,
    pub(crate) place: Place,
    /// Admissions so far.
    pub(crate) attempts: u16,
    /// Refusals before work began, so far.
    pub(crate) refusals: u16,
    /// Time spent in attempts.
    pub(crate) spent: Micros,
    /// One entry a candidate that was tried.
    pub(crate) tries: Vec<Try>,
    /// The retry policy asked for a candidate that has not been tried.
    pub(crate) elsewhere: bool,
    /// The next admission is a retry of a failure.
    pub(crate) retrying: bool,
    /// The size class of its attempts.
    pub(crate) size_class: u8,
    /// Since when its turn is spent on waiting for a preferred candidate.
    pub(crate) proposed: Option<Micros>,
    /// Where its last attempt went.
    pub(crate) last: Option<CandidateId>,
}

/// Where an item is. It is in exactly one place.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Place {
    /// In its lane's order, and so in the schedule policy's line.
    Offered,
    /// At the head of its lane, started by the host when it fits.
    Held,
    /// Waits for a time before it is offered.
    Resting(Micros),
    /// In flight.
    Running(AttemptId),
}

/// What a candidate did for an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Try {
    pub(crate) candidate: CandidateId,
    pub(crate) times: u16,
    pub(crate) last_kind: u16,
}

impl Item {
    pub(crate) fn new(arrival: &Arrival, now: Micros, deadline: Micros) -> Self {
        Self {
            id: arrival.item,
            tenant: arrival.tenant,
            session: FlowId(0),
            task: TaskId(0),
            parent: arrival.parent,
            depth: 0,
            lane: arrival.lane,
            declared: arrival.class,
            arrived: now,
            deadline,
            prompt_bytes: arrival.prompt_bytes,
            body_bytes: arrival.body_bytes,
            max_output: arrival.max_output,
            prefix: arrival.prefix.iter().rev().take(8).rev().copied().collect(),
            idempotent: arrival.idempotent,
            placement: crate::fallback::place(arrival.class.unwrap_or(255)),
            demand: types::Demand { slots: 1, requests: 1, input: 0, output: 0, cost: 0 },
            expected: Micros::ZERO,
            bound: Micros::ZERO,
            place: Place::Resting(now),
            attempts: 0,
            refusals: 0,
            spent: Micros::ZERO,
            tries: Vec::new(),
            elsewhere: false,
            retrying: false,
            size_class: 0,
            proposed: None,
            last: None,
        }
    }

    /// It waits: offered, held or resting.
    pub(crate) fn waits(&self) -> bool {
        matches!(self.place, Place::Offered | Place::Held | Place::Resting(_))
    }

    /// Its key in the class-FIFO.
    pub(crate) fn key(&self) -> crate::order::Key {
        crate::order::Key { class: self.placement.class, arrived: self.arrived, item: self.id }
    }

    /// From the first arrival to `now`, less the time spent in attempts.
    pub(crate) fn waited(&self, now: Micros) -> Micros {
        now.minus(self.arrived).minus(self.spent)
    }

    pub(crate) fn tried(&self, candidate: CandidateId) -> Option<&Try> {
        self.tries.iter().find(|t| t.candidate == candidate)
    }

    /// Counts an attempt's verdict at a candidate.
    pub(crate) fn note_try(&mut self, candidate: CandidateId, kind: u16) {
        if let Some(entry) = self.tries.iter_mut().find(|t| t.candidate == candidate) {
            entry.times = entry.times.saturating_add(1);
            entry.last_kind = kind;
        } else {
            self.tries.push(Try { candidate, times: 1, last_kind: kind });
        }
    }

    /// As a schedule policy is told of it, which knows its lane by this number.
    pub(crate) fn offer(&self, lane: u32) -> schedule::Event {
        schedule::Event::Item(schedule::Item {
            id: self.id.0,
            flow: self.session.0,
            lane,
            class: self.placement.class,
            rank: self.placement.rank,
            arrived: self.arrived.0,
            deadline: self.deadline.0,
            aging_step: self.placement.aging_step,
            longest_wait: self.placement.longest_wait,
            demand: self.demand,
            expected: self.expected.0,
            bound: self.bound.0,
            attempt: self.attempts,
            depth: self.depth,
        })
    }

    /// As a route policy is told of it.
    pub(crate) fn request(&self) -> route::Request {
        route::Request {
            item: self.id.0,
            class: self.placement.class,
            deadline: Some(self.deadline.0),
            input: self.demand.input,
            output: self.demand.output,
            prefix: self.prefix.clone(),
        }
    }
}

/// The contract's code of what an item lacks.
pub(crate) fn blocked_code(blocked: Blocked) -> u16 {
    use weir_sdk::codes::blocked as code;
    match blocked {
        Blocked::Slots => code::SLOTS,
        Blocked::Requests => code::REQUESTS,
        Blocked::Input | Blocked::Tokens => code::INPUT,
        Blocked::Output => code::OUTPUT,
        Blocked::Budget => code::BUDGET,
        Blocked::Closed => code::CLOSED,
        Blocked::Deadline => code::DEADLINE,
    }
}

/// An event as an output.
pub(crate) fn said(event: Event) -> crate::Output {
    crate::Output::Event(event)
}
