//! Attempts: sent to a provider, taken up, growing, until what was foreseen for them comes.

use weir_core::ids::CandidateId;
use weir_core::units::{Micros, Tokens};
use weir_core::{Admit, Input, Transport};

use super::World;
use super::arrive::{item, row};
use super::queue::{Event, Try};
use crate::provider::{Asked, Refusal, Reply, Taken};
use crate::record::{Attempt, Fate, Outcome};

/// A stream's reservation grows in steps of a quarter, or of so many tokens where that is less.
const GROWTH: u64 = 256;

/// An attempt in flight.
pub(super) struct Flight {
    pub(super) request: u32,
    /// Its row in the record.
    pub(super) row: u32,
    pub(super) upstream: usize,
    pub(super) model: usize,
    pub(super) taken: Taken,
    pub(super) sent: Micros,
    pub(super) accepted: Option<Micros>,
    /// When it will have made all its output.
    pub(super) ends: Micros,
    /// What will come of it.
    how: How,
    /// Output tokens that are reserved for it.
    reserved: u64,
    /// The time that it will still take when its children are done.
    pub(super) rest: Micros,
    /// Parked since then.
    pub(super) parked: Option<Micros>,
}

/// What comes of an attempt.
#[derive(Clone, Copy, Debug)]
pub(super) enum How {
    Success,
    Refused(Refusal, Fate),
    Broken(Transport),
    Cancelled,
    Cut,
}

impl World<'_> {
    /// A host admitted a request: it goes to its provider.
    pub(super) fn send(&mut self, host: u16, admit: &Admit) {
        let request = row(admit.item);
        let Some(asked) = self.asked(request, admit.candidate) else { return };
        let (upstream, asked) = asked;
        let Some(provider) = self.providers.get_mut(upstream) else { return };
        let hidden = provider.hidden(self.now);
        let in_flight = provider.in_flight() + 1;
        let (reply, taken) = provider.ask(self.now, asked);
        let try_ = Try { host, attempt: admit.attempt };
        let row = self.write_attempt(host, admit, upstream, asked.model, in_flight, hidden);
        let mut flight = Flight {
            request,
            row,
            upstream,
            model: asked.model,
            taken,
            sent: self.now,
            accepted: None,
            ends: self.now,
            how: How::Success,
            reserved: admit.output_reserved.0,
            rest: Micros::ZERO,
            parked: None,
        };
        self.foresee(try_, &mut flight, reply, admit.deadline);
        self.flights.insert(try_, flight);
    }

    /// What a request is to a candidate's provider.
    fn asked(&self, request: u32, candidate: CandidateId) -> Option<(usize, Asked)> {
        let live = self.live.get(&request)?;
        let host = self.hosts.get(usize::from(live.host))?;
        let candidate = host.core.candidates().get(candidate.0 as usize)?;
        let source = self.sources.get(usize::from(live.demand))?;
        let body = &live.body;
        let asked = Asked {
            model: candidate.model,
            input: body.input,
            output: body.output,
            allowed: body.max_output.map_or(body.output, |most| most.0),
            luck: body.luck,
            service: source.service(body),
        };
        Some((candidate.upstream, asked))
    }

    fn write_attempt(
        &mut self,
        host: u16,
        admit: &Admit,
        upstream: usize,
        model: usize,
        in_flight: u32,
        hidden: u32,
    ) -> u32 {
        let request = row(admit.item);
        let (own, limit) = self.count(host, upstream, 1);
        if let Some(live) = self.live.get_mut(&request) {
            live.attempt = Some(admit.attempt);
            live.fresh = false;
        }
        if let Some(written) = self.record.requests.get_mut(request as usize) {
            written.first_sent.get_or_insert(self.now);
            written.attempts = written.attempts.saturating_add(1);
        }
        self.record.sums.sent += 1;
        self.record.attempts.push(Attempt {
            request,
            instance: host,
            upstream: upstream as u16,
            model: model as u16,
            number: admit.number,
            sent: self.now,
            accepted: None,
            ended: None,
            fate: Fate::Open,
            parked: Micros::ZERO,
            input: 0,
            output: 0,
            reserved: u32::try_from(admit.output_reserved.0).unwrap_or(u32::MAX),
            settled: None,
            in_flight,
            own_in_flight: own,
            limit,
            hidden,
            told_wait: None,
        });
        (self.record.attempts.len() - 1) as u32
    }

    /// Says when what happens to an attempt.
    fn foresee(&mut self, try_: Try, flight: &mut Flight, reply: Reply, deadline: Micros) {
        let timeouts = self.providers[flight.upstream].plan.timeouts;
        let timed_out = How::Broken(Transport::TimedOut);
        let (after, how) = match reply {
            Reply::Works { accepted, .. } if accepted > timeouts.headers => {
                (timeouts.headers, timed_out)
            }
            Reply::Works { accepted, ended } => {
                self.queue.at(flight.sent.plus(accepted), Event::Accepted(try_));
                if self.wants_children(flight.request) {
                    return self.foresee_children(try_, flight, accepted, ended);
                }
                flight.ends = flight.sent.plus(ended);
                let bound = timeouts.total.max(timeouts.headers);
                if ended > bound { (bound, timed_out) } else { (ended, How::Success) }
            }
            Reply::Silent => (timeouts.headers.min(timeouts.total), timed_out),
            Reply::Refuses { refusal, after, fate } => (after, How::Refused(refusal, fate)),
            Reply::Breaks { after } => (after, How::Broken(Transport::Reset)),
            Reply::Unreachable { after } => (after, How::Broken(Transport::Connect)),
        };
        let at = flight.sent.plus(after);
        let late = at > deadline && self.has_deadline(flight.request);
        flight.how = if late { How::Broken(Transport::CallerDeadline) } else { how };
        self.queue.at(if late { deadline } else { at }, Event::Ended(try_));
    }

    fn has_deadline(&self, request: u32) -> bool {
        let demand = self.live.get(&request).map(|live| usize::from(live.demand));
        demand
            .and_then(|demand| self.sources.get(demand))
            .is_some_and(|s| s.plan.deadline.is_some())
    }

    /// A parent works up to where its children start; its end comes after theirs.
    fn foresee_children(
        &mut self,
        try_: Try,
        flight: &mut Flight,
        accepted: Micros,
        ended: Micros,
    ) {
        let live = self.live.get(&flight.request);
        let plan = live.and_then(|l| self.sources[usize::from(l.demand)].plan.children.as_ref());
        let after = ended.scale(plan.map_or(0.0, |children| children.after)).max(accepted);
        flight.rest = ended.minus(after);
        flight.ends = Micros::MAX;
        self.queue.at(flight.sent.plus(after), Event::Spawn(try_));
    }

    /// The provider took an attempt up.
    pub(super) fn accepted(&mut self, try_: Try) {
        let Some(flight) = self.flights.get_mut(&try_) else { return };
        flight.accepted = Some(self.now);
        if let Some(written) = self.record.attempts.get_mut(flight.row as usize) {
            written.accepted = Some(self.now);
        }
        let facts = self.providers[flight.upstream].facts(self.now, flight.model);
        self.tell(try_.host, Input::Accepted { attempt: try_.attempt, facts, network: None });
        self.foresee_growth(try_);
    }

    /// When a stream will pass what is reserved for it.
    fn foresee_growth(&mut self, try_: Try) {
        let Some(flight) = self.flights.get(&try_) else { return };
        let output = self.live.get(&flight.request).map_or(0, |live| live.body.output);
        let (Some(accepted), true) = (flight.accepted, output > flight.reserved) else { return };
        if flight.ends == Micros::MAX || flight.ends <= self.now {
            return;
        }
        let span = flight.ends.minus(accepted);
        let at = accepted.plus(span.scale(flight.reserved as f64 / output as f64));
        self.queue.at(at.max(self.now), Event::Grow(try_));
    }

    /// A stream passes what is reserved for it: more is.
    pub(super) fn grow(&mut self, try_: Try) {
        let Some(flight) = self.flights.get_mut(&try_) else { return };
        let step = GROWTH.max(flight.reserved / 4);
        flight.reserved = flight.reserved.saturating_add(step);
        let output = Tokens(flight.reserved);
        self.tell(try_.host, Input::Grow { attempt: try_.attempt, output });
        self.foresee_growth(try_);
    }

    /// What was foreseen for an attempt comes.
    pub(super) fn ended(&mut self, try_: Try) {
        if let Some(how) = self.flights.get(&try_).map(|flight| flight.how) {
            self.end(try_, how);
        }
    }

    pub(super) fn cut(&mut self, try_: Try) {
        self.end(try_, How::Cut);
    }

    /// A caller goes away, or a newer request takes its place.
    pub(super) fn gone(&mut self, request: u32, outcome: Outcome) {
        let Some(live) = self.live.get_mut(&request) else { return };
        live.leaving = outcome;
        let host = live.host;
        match live.attempt {
            Some(attempt) => self.end(Try { host, attempt }, How::Cancelled),
            None => {
                self.tell(host, Input::Cancel { item: item(request) });
                self.leave(request, outcome);
            }
        }
    }

    pub(super) fn tell(&mut self, host: u16, input: Input) {
        if let Some(host) = self.hosts.get_mut(usize::from(host)) {
            host.tell(self.now, input);
        }
    }

    /// An attempt more or less of a host is in flight at an upstream: how many now, and its effective limit.
    pub(super) fn count(&mut self, host: u16, upstream: usize, change: i32) -> (u32, u32) {
        let now = self.now;
        let host = self.hosts.get_mut(usize::from(host));
        host.map_or((0, 0), |host| host.count(now, upstream, change))
    }

    /// A parked parent's attempt goes on.
    pub(super) fn unparked(&mut self, try_: Try) {
        let Some(flight) = self.flights.get_mut(&try_) else { return };
        let Some(since) = flight.parked.take() else { return };
        self.providers[flight.upstream].unpark(flight.taken);
        if let Some(written) = self.record.attempts.get_mut(flight.row as usize) {
            written.parked = written.parked.plus(self.now.minus(since));
        }
        let upstream = flight.upstream;
        self.count(try_.host, upstream, 1);
    }
}
