//! What follows from an attempt that did not succeed.

use weir_sdk::codes::{kind, retry as action, sent};
use weir_sdk::retry;

use super::end::Judged;
use super::{Core, Io};
use crate::event::Event;
use crate::ids::{CandidateId, ItemId};
use crate::input::{End, Outcome, Sent, Transport};
use crate::item::{Item, Place, said};
use crate::output::{Bound, GiveUp, Next};
use crate::policies::Slot;
use crate::timers::Due;
use crate::units::Micros;

/// The longest wait before a retry that makes sense.
const MAX_AFTER: Micros = Micros::from_secs(24 * 3600);
/// The first rest of an item that a provider refused without a hint; it doubles, up to 64 times this.
const FIRST_REST: Micros = Micros::from_millis(20);

impl Core {
    /// Decides what follows, and does it.
    pub(super) fn next(
        &mut self,
        io: &mut Io<'_>,
        id: ItemId,
        candidate: CandidateId,
        end: &End,
        judged: Judged,
    ) -> Next {
        let bound = match &end.outcome {
            Outcome::Success | Outcome::Cancelled | Outcome::Cut => {
                self.drop_item(io, id);
                return Next::Finished;
            }
            Outcome::Transport(Transport::CallerDeadline) => Bound::Deadline,
            _ if end.sent != Sent::Nothing => Bound::AlreadySent,
            _ if judged.flow_control => match self.flow_control(io, id, candidate, &judged) {
                Ok(not_before) => return Next::Again { not_before },
                Err(bound) => bound,
            },
            _ if !judged.verdict.retryable => Bound::NotRetryable,
            _ => match self.retry(io, id, candidate, end, &judged) {
                Ok(not_before) => return Next::Again { not_before },
                Err(bound) => bound,
            },
        };
        self.give_up(io, id, judged, bound)
    }

    fn give_up(&mut self, io: &mut Io<'_>, id: ItemId, judged: Judged, why: Bound) -> Next {
        let lane = self.drop_item(io, id).map(|item| item.lane);
        let opens = lane.and_then(|lane| self.opens(io.now, lane)).map(|(at, _)| at.minus(io.now));
        let retry_after = opens.max(judged.verdict.wait.map(Micros));
        let (verdict, evidence) = (judged.verdict, judged.evidence);
        self.counters.given_up += 1;
        Next::GiveUp(GiveUp { verdict, evidence, retry_after, why })
    }

    /// Refused before work began: the item goes back uncharged, as often as the line allows.
    fn flow_control(
        &mut self,
        io: &mut Io<'_>,
        id: ItemId,
        candidate: CandidateId,
        judged: &Judged,
    ) -> Result<Micros, Bound> {
        let most = self.config.line.max_refusals;
        self.stays(id)?;
        let item = self.line.get_mut(id).ok_or(Bound::Deadline)?;
        item.refusals = item.refusals.saturating_add(1);
        if item.refusals > most {
            return Err(Bound::Refusals);
        }
        let (lane, deadline) = (item.lane, item.deadline);
        let doublings = u32::from(item.refusals.saturating_sub(1).min(6));
        let rest = match judged.verdict.wait {
            Some(_) => Micros::ZERO,
            None => Micros(FIRST_REST.0 << doublings),
        };
        let opens = self.opens(io.now, lane).map_or(io.now, |(at, _)| at);
        let not_before = io.now.plus(rest);
        if opens.max(not_before) >= deadline {
            return Err(Bound::Deadline);
        }
        self.counters.flow_control += 1;
        let after = opens.max(not_before).minus(io.now);
        self.say_retried(io, id, candidate, judged, (true, after));
        self.reenter(io.now, id, not_before);
        Ok(opens.max(not_before))
    }

    /// An item whose lane a new configuration dropped has nowhere to wait.
    fn stays(&self, id: ItemId) -> Result<(), Bound> {
        let lane = self.line.get(id).and_then(|item| self.lane(item.lane));
        lane.map(|_| ()).ok_or(Bound::NotRetryable)
    }

    /// A failure: the retry policy decides, the retry budget bounds.
    fn retry(
        &mut self,
        io: &mut Io<'_>,
        id: ItemId,
        candidate: CandidateId,
        end: &End,
        judged: &Judged,
    ) -> Result<Micros, Bound> {
        self.stays(id)?;
        let decision = self.ask_retry(io, id, candidate, end, judged).ok_or(Bound::Policy)?;
        if decision.action == action::GIVE_UP {
            return Err(Bound::Policy);
        }
        let item = self.line.get_mut(id).ok_or(Bound::Policy)?;
        let (tenant, not_before) = (item.tenant, io.now.plus(Micros(decision.after)));
        if not_before >= item.deadline {
            return Err(Bound::Deadline);
        }
        if !self.ledger.retry_charge(io.now, candidate, tenant) {
            return Err(Bound::Budget);
        }
        item.elsewhere = decision.action == action::ELSEWHERE;
        item.retrying = true;
        self.counters.retried += 1;
        self.say_retried(io, id, candidate, judged, (false, Micros(decision.after)));
        self.reenter(io.now, id, not_before);
        Ok(not_before)
    }

    fn ask_retry(
        &mut self,
        io: &mut Io<'_>,
        id: ItemId,
        candidate: CandidateId,
        end: &End,
        judged: &Judged,
    ) -> Option<retry::Decision> {
        let item = self.line.get(id)?;
        let failure = retry::Failure {
            item: id.0,
            verdict: judged.verdict,
            attempts: item.attempts.saturating_sub(item.refusals).max(1),
            elapsed: io.now.minus(item.arrived).0,
            deadline: Some(item.deadline.0),
            budget_left: self.ledger.retries_left(io.now, candidate, item.tenant),
            sent: match end.sent {
                Sent::Nothing => sent::NOTHING,
                Sent::Headers => sent::HEADERS,
                Sent::Content => sent::CONTENT,
            },
            idempotent: item.idempotent,
        };
        let untried = self.untried(io.now, item);
        let draw = self.draw(Slot::Retry);
        match io.policies.retry(io.now, failure, &untried, draw) {
            Ok(answer) if answer.action <= action::ELSEWHERE && answer.after <= MAX_AFTER.0 => {
                return Some(answer);
            }
            Ok(answer) => {
                let words = format!("action {} after {} us", answer.action, answer.after);
                self.nonsense(io, Slot::Retry, &words);
            }
            Err(_) => self.fell_back(Slot::Retry),
        }
        Some(crate::fallback::retry(&failure))
    }

    /// Candidates that an item has not tried, and when each could take it.
    fn untried(&self, now: Micros, item: &Item) -> Vec<retry::Untried> {
        let lane = self.lane(item.lane);
        let all = lane.map(|lane| lane.candidates.as_slice()).unwrap_or_default();
        let fresh = all.iter().filter(|candidate| item.tried(**candidate).is_none());
        fresh
            .filter_map(|candidate| {
                let (_, wait) = self.opens_for(now, item.lane, item, *candidate);
                let number = self.candidate_numbers.get(candidate.0)?;
                Some(retry::Untried { candidate: number, opens: now.plus(wait).0 })
            })
            .collect()
    }

    /// An item that was in flight waits again, with its first arrival.
    fn reenter(&mut self, now: Micros, id: ItemId, not_before: Micros) {
        self.line.place(id, Place::Resting(not_before));
        let Some(item) = self.line.get(id) else { return };
        let (lane, deadline) = (item.lane, item.deadline);
        if let Some(lane) = self.lane_mut(lane) {
            lane.deadlines.insert((deadline, id));
        }
        if not_before <= now {
            self.offer(id);
        } else {
            self.timers.set(Due::Rested(id), not_before);
        }
    }

    fn say_retried(
        &mut self,
        io: &mut Io<'_>,
        item: ItemId,
        candidate: CandidateId,
        judged: &Judged,
        (flow_control, after): (bool, Micros),
    ) {
        io.out.push(said(Event::Retried {
            item,
            upstream: self.topology.upstream(candidate),
            kind: kind::name(judged.verdict.kind).to_owned(),
            flow_control,
            after,
        }));
    }
}
