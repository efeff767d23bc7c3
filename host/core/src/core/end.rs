//! Attempts in flight: taken up, growing, ended.

use weir_sdk::classify;
use weir_sdk::codes::kind;
use weir_sdk::types::Verdict;

use super::{Core, Io};
use crate::attempt::Attempt;
use crate::claim::{Growth, Usage};
use crate::estimate::Lesson;
use crate::ids::{AttemptId, CandidateId};
use crate::input::{End, Facts, Outcome, Response, Sent, Transport};
use crate::ledger::LONGEST_CLOSURE;
use crate::output::{Output, Refusal};
use crate::policies::Slot;
use crate::stats::Sample;
use crate::units::{Micros, Tokens};

/// A verdict with the words that decided.
pub(super) struct Judged {
    pub(super) verdict: Verdict,
    pub(super) evidence: String,
    /// The provider refused before work began.
    pub(super) flow_control: bool,
}

impl Core {
    /// The provider took an attempt up.
    pub(super) fn accepted(
        &mut self,
        io: &mut Io<'_>,
        id: AttemptId,
        facts: &Facts,
        network: Option<Micros>,
    ) {
        let Some(attempt) = self.attempts.get_mut(id) else { return };
        if attempt.accepted {
            return;
        }
        attempt.accepted = true;
        attempt.network = network;
        self.ledger.accepted(io.now, &mut attempt.held, facts);
        let cell = attempt.held.slots();
        let told = attempt.held.attempt();
        let Some(view) = self.cell_view(io.now, cell) else { return };
        let answer = io.policies.accepted(io.now, view, told);
        self.take_answer(io, cell, answer);
    }

    /// A stream has passed its reservation.
    pub(super) fn grow(&mut self, io: &mut Io<'_>, id: AttemptId, output: Tokens) {
        let Some(attempt) = self.attempts.get_mut(id) else { return };
        match self.ledger.grow(io.now, &mut attempt.held, output) {
            Growth::Reserved(reserved) => {
                let (lane, delta) = (attempt.lane, attempt.bill.grow(reserved));
                self.charge(io.now, lane, delta);
            }
            Growth::Cut { retry_after } => {
                io.out.push(Output::Cut { attempt: id, refusal: Refusal::Budget { retry_after } });
            }
        }
        self.budget_events(io);
    }

    /// An attempt ended: settled, learned from, and its item goes on or leaves.
    pub(super) fn ended(&mut self, io: &mut Io<'_>, id: AttemptId, end: &End) {
        let Some(attempt) = self.attempts.remove(id) else { return };
        let judged = self.judge(io, &attempt, end);
        self.sample(io, &attempt, end, &judged);
        let lesson = self.lesson(io.now, &attempt, end, &judged);
        let (item, lane, candidate) = (attempt.item, attempt.lane, attempt.candidate);
        let (sent, bill) = (attempt.sent, attempt.bill);
        let usage = usage(end, judged.flow_control);
        let settled = self.ledger.settle(io.now, attempt.held, usage, &end.facts);
        self.charge(io.now, lane, bill.correction(&settled, judged.flow_control));
        self.learn(io, candidate, &judged, lesson);
        self.budget_events(io);
        self.stir(self.topology.candidate(candidate).map(|c| c.upstream));
        if let Some(item) = self.line.get_mut(item) {
            item.spent = item.spent.plus(io.now.minus(sent));
            item.note_try(candidate, judged.verdict.kind);
        }
        if let Some(tenant) = self.line.get(item).map(|item| item.tenant) {
            self.let_in(tenant);
        }
        let verdict = judged.verdict.kind;
        let next = self.next(io, item, candidate, end, judged);
        io.out.push(Output::Ended { item, attempt: id, verdict, next, settled });
    }

    /// What the end of an attempt meant.
    fn judge(&mut self, io: &mut Io<'_>, attempt: &Attempt, end: &End) -> Judged {
        let (verdict, evidence) = match &end.outcome {
            Outcome::Success => (plain(kind::SUCCESS, false), String::new()),
            Outcome::Response(response) => self.classify(io, attempt.candidate, response),
            Outcome::Transport(transport) => by_transport(*transport),
            Outcome::Cancelled => (plain(kind::CANCELLED, false), "the caller went away".into()),
            Outcome::Cut => (plain(kind::NEUTRAL, false), "ended by this gateway".into()),
        };
        let before_work = end.sent == Sent::Nothing && end.first_content.is_none();
        let refused =
            matches!(end.outcome, Outcome::Response(_)) && kind::is_throttle(verdict.kind);
        Judged { flow_control: refused && before_work && verdict.retryable, verdict, evidence }
    }

    fn classify(
        &mut self,
        io: &mut Io<'_>,
        candidate: CandidateId,
        response: &Response,
    ) -> (Verdict, String) {
        let question = classify::Response {
            status: response.status,
            headers: response.headers.clone(),
            body: response.body.clone(),
            provider: self
                .topology
                .candidate(candidate)
                .map_or_else(String::new, |c| c.kind.clone()),
            endpoint: response.endpoint.clone(),
            wall_ms: response.wall_ms,
        };
        let answer = match io.policies.classify(io.now, &question) {
            Ok(answer) if answer.verdict.kind != kind::SUCCESS => answer,
            Ok(_) => {
                self.nonsense(io, Slot::Classify, "called a failed response a success");
                crate::fallback::classify(&question)
            }
            Err(_) => {
                self.fell_back(Slot::Classify);
                crate::fallback::classify(&question)
            }
        };
        // What no cell is closed for is no wait that another policy should hear of.
        let wait = answer.verdict.wait.map(|wait| wait.min(LONGEST_CLOSURE.0));
        (Verdict { wait, ..answer.verdict }, answer.evidence)
    }

    /// Feeds the statistics of routes and the route policy.
    fn sample(&mut self, io: &mut Io<'_>, attempt: &Attempt, end: &End, judged: &Judged) {
        let code = judged.verdict.kind;
        let latency = io.now.minus(attempt.sent);
        let success = match code {
            kind::SUCCESS => Some(true),
            kind::SERVER_ERROR | kind::TIMEOUT | kind::NETWORK | kind::OVERLOADED | kind::OTHER => {
                Some(false)
            }
            _ => None,
        };
        let (network, retry) = (attempt.network, attempt.retry);
        self.stats.ended(io.now, attempt.candidate, Sample { latency, network, success, retry });
        self.tell_routed(io, attempt, end, (code, latency));
        self.learn_sizes(attempt, end, latency);
    }

    /// Teaches the estimator what a request of this kind needs.
    fn learn_sizes(&mut self, attempt: &Attempt, end: &End, latency: Micros) {
        let item = self.line.get(attempt.item);
        let (Some(item), Some(usage), Outcome::Success) = (item, end.usage, &end.outcome) else {
            return;
        };
        self.caches.note(self.now, attempt.candidate, &item.prefix, usage.input);
        self.estimator.learn(&Lesson {
            lane: item.lane,
            tenant: item.tenant,
            candidate: attempt.candidate,
            size_class: item.size_class,
            prompt_bytes: item.prompt_bytes,
            usage,
            first_content: end.first_content,
            latency,
        });
    }
}

/// How an end is settled: what the provider counted; nothing for a refusal before work; what was reserved
/// when nobody knows.
fn usage(end: &End, flow_control: bool) -> Usage {
    match (&end.outcome, end.usage) {
        (_, Some(usage)) => Usage::Exact(usage),
        (Outcome::Transport(Transport::Connect), None) => Usage::Unsent,
        (Outcome::Response(response), None) if flow_control || refused_whole(response, end) => {
            Usage::Refused
        }
        _ => Usage::Unknown { output_seen: end.output_seen },
    }
}

/// A 4xx without content: the provider did no work for it.
fn refused_whole(response: &Response, end: &End) -> bool {
    (400..500).contains(&response.status) && end.first_content.is_none()
}

fn by_transport(transport: Transport) -> (Verdict, String) {
    let (code, retryable, words) = match transport {
        Transport::Connect => (kind::NETWORK, true, "no connection"),
        Transport::Reset => (kind::NETWORK, true, "the connection broke"),
        Transport::TimedOut => (kind::TIMEOUT, true, "a time-out of this gateway passed"),
        Transport::CallerDeadline => (kind::TIMEOUT, false, "the caller's deadline passed"),
    };
    (plain(code, retryable), words.to_owned())
}

pub(super) fn plain(kind: u16, retryable: bool) -> Verdict {
    Verdict { kind, scope: 0, retryable, wait: None, shrink: false, needs_person: false }
}
