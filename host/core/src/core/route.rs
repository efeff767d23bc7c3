//! The order of candidates for an item.

use weir_sdk::route;

use super::{Core, Io};
use crate::attempt::Attempt;
use crate::claim::{Room, Short};
use crate::hold::Choice;
use crate::ids::{CandidateId, ItemId, LaneId};
use crate::input::End;
use crate::item::Item;
use crate::policies::Slot;
use crate::units::{Micros, Tokens};

/// The longest patience that makes sense.
const MAX_PATIENCE: Micros = Micros::from_secs(3600);

impl Core {
    /// Candidates in the order in which they are tried. The policy is asked only when there are several.
    pub(super) fn choices(&mut self, io: &mut Io<'_>, lane: LaneId, id: ItemId) -> Vec<Choice> {
        let Some(item) = self.line.get(id) else { return Vec::new() };
        let usable = self.usable(lane, item);
        if usable.len() < 2 {
            return usable.into_iter().map(alone).collect();
        }
        let request = item.request();
        let table: Vec<_> = usable.iter().map(|c| self.stand(io.now, lane, item, *c)).collect();
        let draw = self.draw(Slot::Route);
        match io.policies.order(io.now, &request, &table, draw) {
            Ok(answer) => match wrong(&answer, &table) {
                None => return choices(&answer, &table, &usable),
                Some(words) => self.nonsense(io, Slot::Route, &words),
            },
            Err(_) => self.fell_back(Slot::Route),
        }
        choices(&crate::fallback::order(&table), &table, &usable)
    }

    /// The lane's candidates; without those already tried when another is wanted and there is one.
    fn usable(&self, lane: LaneId, item: &Item) -> Vec<CandidateId> {
        let all = self.lane(lane).map(|lane| lane.candidates.clone()).unwrap_or_default();
        if !item.elsewhere {
            return all;
        }
        let untried: Vec<_> = all.iter().copied().filter(|c| item.tried(*c).is_none()).collect();
        if untried.is_empty() { all } else { untried }
    }

    /// A candidate as it stands for an item.
    fn stand(&self, now: Micros, lane: LaneId, item: &Item, id: CandidateId) -> route::Candidate {
        let (fits, wait) = self.opens_for(now, lane, item, id);
        let stat = self.stats.get(id);
        let cell = self.ledger.slots_of(id).and_then(|cell| self.ledger.view(now, cell));
        let tokens = |count: u64| self.ledger.price(id, Tokens(count), Tokens(0), Tokens(count)).0;
        let (input, output) = (Tokens(item.demand.input), Tokens(item.demand.output));
        let cached = self.caches.hold(now, id, &item.prefix).min(input);
        let tried = item.tried(id);
        route::Candidate {
            id: self.candidate_numbers.get(id.0).unwrap_or(u32::MAX),
            fits,
            wait: wait.0,
            in_flight: cell.map_or(0, |cell| cell.in_flight),
            limit: cell.map_or(0, |cell| cell.effective),
            queued: self.queued(id),
            base_weight: self.topology.candidate(id).map_or(1.0, |c| c.base_weight),
            cost: self.ledger.price(id, input, cached, output).0,
            cost_per_1k: tokens(500),
            network_latency: stat.network as u64,
            latency: stat.latency as u64,
            peak_latency: stat.peak(now) as u64,
            success: stat.success(now),
            retries: stat.retries(now),
            cached: cached.0,
            tries: tried.map_or(0, |tried| tried.times),
            last_verdict: tried.map_or(0, |tried| tried.last_kind),
        }
    }

    /// Whether a candidate could take an item now, and how long until it could.
    pub(super) fn opens_for(
        &self,
        now: Micros,
        lane: LaneId,
        item: &Item,
        id: CandidateId,
    ) -> (bool, Micros) {
        let Some(claim) = self.claim(item, id) else { return (false, Micros::MAX) };
        match self.fits(now, lane, item, &claim) {
            Ok(()) => (true, Micros::ZERO),
            Err(Short::Never(_)) => (false, Micros::MAX),
            Err(short) => (false, self.eta(now, &claim, &short).minus(now)),
        }
    }

    /// Requests that wait in lanes with a candidate.
    fn queued(&self, id: CandidateId) -> u32 {
        let lanes = self.lane_ids().filter(|lane| {
            self.lane(*lane).is_some_and(|lane| lane.candidates.binary_search(&id).is_ok())
        });
        u32::try_from(lanes.map(|lane| self.line.lane(lane)).sum::<usize>()).unwrap_or(u32::MAX)
    }

    /// What is free at a candidate, whoever asks.
    pub(super) fn free(&self, now: Micros, id: CandidateId) -> Room {
        self.ledger.room_of_any(now, id).unwrap_or(Room {
            slots: 0,
            requests: 0,
            input: Tokens::ZERO,
            output: Tokens::ZERO,
            cost: crate::units::NanoDollars::ZERO,
            closed_until: None,
        })
    }

    /// Tells the route policy how an attempt ended, when it chose among several.
    pub(super) fn tell_routed(
        &self,
        io: &mut Io<'_>,
        attempt: &Attempt,
        end: &End,
        (verdict, latency): (u16, Micros),
    ) {
        if self.lane(attempt.lane).is_none_or(|lane| lane.candidates.len() < 2) {
            return;
        }
        let Some(candidate) = self.candidate_numbers.get(attempt.candidate.0) else { return };
        let usage = end.usage.unwrap_or_default();
        let outcome = route::Outcome {
            candidate,
            verdict,
            latency: latency.0,
            first_content: end.first_content.map(|at| at.0),
            input: usage.input.0,
            cached: usage.cached.0,
            output: usage.output.0,
        };
        // A fault costs the policy this lesson; the next question goes to its successor.
        let _: Result<(), crate::Fault> = io.policies.routed(io.now, outcome);
    }
}

fn alone(candidate: CandidateId) -> Choice {
    Choice { candidate, score: None, reason: 0, patience: Micros::ZERO }
}

/// A policy's order, its numbers taken back to the candidates that stand in `usable` as in `table`.
fn choices(
    answer: &[route::Choice],
    table: &[route::Candidate],
    usable: &[CandidateId],
) -> Vec<Choice> {
    let candidate =
        |number| table.iter().position(|c| c.id == number).and_then(|at| usable.get(at));
    answer
        .iter()
        .filter_map(|choice| {
            Some(Choice {
                candidate: *candidate(choice.candidate)?,
                score: Some(choice.score),
                reason: choice.reason,
                patience: Micros(choice.patience),
            })
        })
        .collect()
}

/// Why an answer cannot be used.
fn wrong(answer: &[route::Choice], table: &[route::Candidate]) -> Option<String> {
    if answer.is_empty() {
        return Some("named no candidate".to_owned());
    }
    for (place, choice) in answer.iter().enumerate() {
        let id = choice.candidate;
        if table.iter().all(|candidate| candidate.id != id) {
            return Some(format!("named candidate {id}, which was not offered"));
        }
        if answer[..place].iter().any(|earlier| earlier.candidate == id) {
            return Some(format!("named candidate {id} twice"));
        }
        if !choice.score.is_finite() {
            return Some(format!("the score of candidate {id} is no number"));
        }
        if choice.patience > MAX_PATIENCE.0 {
            return Some(format!("the patience for candidate {id} is above an hour"));
        }
    }
    None
}
