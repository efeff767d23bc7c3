//! Who learns from the end of an attempt.
//!
//! A success informs the cell of slots that it held. A refusal whose cell is known teaches that cell alone:
//! when a window was empty, slots hear a neutral release. With an unknown scope the slots learn it, and
//! the cool-down falls on the narrowest cell.

use weir_sdk::codes::{blame, deadline, kind, stage};
use weir_sdk::limit;
use weir_sdk::types::Verdict;

use super::end::{Judged, plain};
use super::{Core, Io};
use crate::attempt::Attempt;
use crate::cell::Scope;
use crate::event::Event;
use crate::ids::{CandidateId, CellId, LaneId};
use crate::input::{End, Outcome, Stage, Transport};
use crate::item::said;
use crate::units::Micros;

/// What a limit policy is told of an end.
pub(super) struct Told {
    cell: CellId,
    attempt: limit::Attempt,
    ending: limit::Ending,
}

impl Core {
    /// Draws the lesson while the attempt still holds its slots.
    pub(super) fn lesson(
        &mut self,
        now: Micros,
        attempt: &Attempt,
        end: &End,
        judged: &Judged,
    ) -> Told {
        let code = judged.verdict.kind;
        if kind::is_success(code) {
            self.ledger.succeeded(&attempt.held);
        }
        let demand = attempt.held.claim().demand;
        let (input, output) = end
            .usage
            .map_or((demand.input, demand.output), |usage| (usage.input.0, usage.output.0));
        let cell = attempt.held.slots();
        let verdict = self.taught(attempt.candidate, cell, &judged.verdict);
        let ending = limit::Ending {
            verdict,
            stage: stage_code(end.stage),
            deadline: deadline_code(end),
            blame: blame_of(end, code),
            latency: now.minus(attempt.sent).0,
            first_content: end.first_content.map(|at| at.0),
            input,
            output,
        };
        Told { cell, attempt: attempt.held.attempt(), ending }
    }

    /// What a cell of slots is told of a verdict.
    fn taught(&mut self, candidate: CandidateId, cell: CellId, verdict: &Verdict) -> Verdict {
        let neutral = plain(kind::NEUTRAL, false);
        match verdict.kind {
            kind::SUCCESS | kind::SERVER_ERROR | kind::TIMEOUT | kind::NETWORK => *verdict,
            code if kind::is_throttle(code) => {
                let target = self.ledger.target(self.now, candidate, verdict);
                let elsewhere = target.is_some_and(|target| target.known && target.cell != cell);
                if elsewhere { neutral } else { *verdict }
            }
            _ => neutral,
        }
    }

    /// Closes what the verdict is about and asks the limit policy. The slots have been given back.
    pub(super) fn learn(
        &mut self,
        io: &mut Io<'_>,
        candidate: CandidateId,
        judged: &Judged,
        told: Told,
    ) {
        let verdict = &judged.verdict;
        if kind::is_throttle(verdict.kind) {
            *self.counters.throttled.entry(self.topology.upstream(candidate)).or_default() += 1;
            if let Some(target) = self.ledger.target(self.now, candidate, verdict) {
                self.ledger.refused(io.now, target.cell);
            }
        }
        if let Some(frozen) = self.ledger.freeze(io.now, candidate, verdict)
            && frozen.lengthened
        {
            self.say_closed(io, frozen.target.cell, frozen.until, kind::name(verdict.kind));
        }
        let Some(view) = self.cell_view(io.now, told.cell) else { return };
        let answer = io.policies.ended(io.now, view, told.attempt, told.ending);
        self.take_answer(io, told.cell, answer);
        self.drifts(io);
    }

    /// A cell of slots as the limit policy is told of it, with who waits for it.
    pub(super) fn cell_view(&mut self, now: Micros, cell: CellId) -> Option<limit::Cell> {
        let waiting = self.slot_blocked(cell);
        self.ledger.set_slot_blocked(cell, waiting);
        self.ledger.view(now, cell)
    }

    /// Requests that wait for a cell's slots and for nothing else.
    ///
    /// Counted by lane, not by request: those of a lane count when at its last look the lane lacked slots
    /// and nothing else (see [`crate::group::Lane::lacks_slots`]), so a count is at most one decision old
    /// and a request whose own needs differ from its lane's head counts as its head does.
    fn slot_blocked(&self, cell: CellId) -> u32 {
        let mut waiting = 0;
        for (place, lane) in self.lanes.iter().enumerate() {
            let ours = |id: &CandidateId| self.ledger.slots_of(*id) == Some(cell);
            if lane.lacks_slots && lane.candidates.iter().any(ours) {
                let id = LaneId(place as u32);
                waiting += self.line.order.len(id) + usize::from(lane.held.is_some());
            }
        }
        u32::try_from(waiting).unwrap_or(u32::MAX)
    }

    /// Notes for each lane whether it lacks slots and nothing else.
    pub(super) fn note_lacks(&mut self, now: Micros) {
        for id in self.lane_ids() {
            let lacks = self.lacks_slots(now, id);
            if let Some(lane) = self.lane_mut(id) {
                lane.lacks_slots = lacks;
            }
        }
    }

    fn lacks_slots(&self, now: Micros, id: LaneId) -> bool {
        let Some(lane) = self.lane(id) else { return false };
        if let Some(held) = &lane.held {
            return held.blocked == crate::Blocked::Slots;
        }
        if self.line.order.len(id) == 0 {
            return false;
        }
        lane.candidates.iter().any(|candidate| {
            let room = self.free(now, *candidate);
            let open = room.closed_until.is_none() && room.requests > 0;
            room.slots == 0 && open && room.input.0 > 0 && room.output.0 > 0
        })
    }

    /// Says that a cell is closed, and lets those go who cannot wait for it.
    pub(super) fn say_closed(
        &mut self,
        io: &mut Io<'_>,
        cell: CellId,
        until: Option<Micros>,
        kind: &str,
    ) {
        let Some(until) = until else { return };
        let (upstream, model) = self.ledger.names(cell);
        let (upstream, model) = (upstream.to_owned(), model.to_owned());
        let dimension = self.ledger.cell(cell).map_or("slots", |cell| cell.dimension().name());
        let model = match self.ledger.cell(cell).map(crate::cell::Cell::scope) {
            Some(Scope::Account(_)) | None => String::new(),
            Some(_) => model,
        };
        io.out.push(said(Event::Cooldown {
            upstream,
            model,
            dimension: dimension.to_owned(),
            span: until.minus(io.now),
            kind: kind.to_owned(),
        }));
        for lane in self.lane_ids() {
            self.drop_hopeless(io, lane);
        }
    }

    /// The operator opens an upstream.
    pub(super) fn reopen(&mut self, io: &mut Io<'_>, upstream: &str) {
        self.ledger.reopen(io.now, upstream);
        self.drifts(io);
        self.stir(None);
    }
}

const fn stage_code(stage: Stage) -> u16 {
    match stage {
        Stage::Connect => stage::CONNECT,
        Stage::Headers => stage::HEADERS,
        Stage::FirstContent => stage::FIRST_CONTENT,
        Stage::Between => stage::BETWEEN,
        Stage::Total => stage::TOTAL,
    }
}

const fn deadline_code(end: &End) -> u16 {
    match &end.outcome {
        Outcome::Transport(Transport::TimedOut) => deadline::HOST,
        Outcome::Transport(Transport::CallerDeadline) | Outcome::Cancelled => deadline::CLIENT,
        _ => deadline::NONE,
    }
}

const fn blame_of(end: &End, code: u16) -> u16 {
    match &end.outcome {
        Outcome::Success => blame::NOBODY,
        Outcome::Cancelled | Outcome::Transport(Transport::CallerDeadline) => blame::CLIENT,
        Outcome::Cut => blame::HOST,
        Outcome::Transport(Transport::Connect | Transport::Reset) => blame::NETWORK,
        Outcome::Transport(Transport::TimedOut) => blame::PROVIDER,
        Outcome::Response(_) => match code {
            kind::BAD_REQUEST | kind::CONTEXT_LENGTH | kind::CONTENT_POLICY => blame::CLIENT,
            _ => blame::PROVIDER,
        },
    }
}
