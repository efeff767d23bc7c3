//! One request, from its place in line to the head of its answer: as many attempts as the core allows.
//!
//! The same bytes are sent at each attempt. What an attempt brings stays unseen until its first content, so
//! a refusal or failure of the provider's reaches the caller only when the core gives the request up.

use std::future::poll_fn;
use std::sync::Arc;

use axum::response::Response;
use http::{HeaderMap, Uri, header};
use weir_core::units::Micros;
use weir_core::{Arrival, Sent, Stage, Transport};

use crate::complaint::Complaint;
use crate::dialect::Endpoint;
use crate::driver::{Answer, Guard, Message, Waiter};
use crate::facts;
use crate::host::{Host, Room};
use crate::ingress::Connection;
use crate::record::Record;
use crate::relay::{Pace, Relay, Scan, Unopened};
use crate::respond::{self, Head};
use crate::upstream::{self, Payload, Unanswered, Upstream};

mod failure;

pub(crate) use failure::Failure;

/// A request that may be sent.
pub(crate) struct Call {
    pub(crate) host: Arc<Host>,
    pub(crate) endpoint: Endpoint,
    /// What the caller sent; hop-by-hop headers and its key are taken out for the provider.
    pub(crate) headers: HeaderMap,
    /// What the caller asked; its query goes to the provider.
    pub(crate) uri: Uri,
    /// When the caller wants to have been answered, if it said so.
    pub(crate) deadline: Option<Micros>,
    pub(crate) payload: Payload,
    /// The payload's share of memory.
    pub(crate) _room: Room,
    /// An answer comes as a stream.
    pub(crate) stream: bool,
    /// The count in the stream is not for the caller.
    pub(crate) swallow: bool,
    pub(crate) connection: Connection,
    pub(crate) record: Record,
}

/// An attempt that came to nothing and owes its end.
struct Failed {
    guard: Guard,
    failure: Failure,
}

impl Call {
    /// Serves the request.
    pub(crate) async fn answer(mut self, arrival: Box<Arrival>) -> Response {
        let Ok(mut waiter) = self.host.inbox.arrive(self.host.ticket(), arrival) else {
            let complaint = Complaint::overfull();
            self.host.metrics.turned_away.count(complaint.code);
            return self.complain(&complaint);
        };
        let mut last = None;
        loop {
            let give_up = match waiter.answer().await {
                None => return self.complain(&Complaint::draining()),
                Some(Answer::Refuse { item, refusal }) => {
                    self.record.refused(item);
                    return self.complain(&refusal.into());
                }
                Some(Answer::Admit(guard)) => match self.attempt(guard).await {
                    Ok((head, relay)) => return respond::answer(head, relay, &self.host),
                    Err(failed) => {
                        last = Some(failed.failure);
                        if self.again(&mut waiter, failed.guard, last.as_ref()).is_ok() {
                            continue;
                        }
                        None
                    }
                },
                Some(Answer::GiveUp(give_up)) => Some(give_up),
                Some(Answer::Finished) => None,
            };
            return match last {
                Some(failure) => self.fail(failure, give_up.as_ref()),
                None => self.complain(&Complaint::draining()),
            };
        }
    }

    fn again(
        &mut self,
        waiter: &mut Waiter,
        guard: Guard,
        failure: Option<&Failure>,
    ) -> Result<(), crate::driver::NoRoom> {
        let Some(failure) = failure else { return Ok(()) };
        let outcome = failure.outcome(self.endpoint.kind(), &self.host);
        self.record.ended(&outcome, None);
        waiter.again(guard, outcome)
    }

    async fn attempt(&mut self, mut guard: Guard) -> Result<(Head, Relay), Failed> {
        self.record.admitted(&guard.admit);
        guard.report.stalled = Some(Arc::clone(&self.connection.stalled));
        let host = Arc::clone(&self.host);
        let Some((upstream, _)) = host.upstreams.candidate(guard.admit.candidate) else {
            let failure = Failure::Broken(Transport::Connect, "no such candidate".into());
            return Err(Failed { guard, failure });
        };
        guard.report.stage = Stage::Headers;
        let pace = Pace::new(host.clock.now(), self.deadline, upstream.timeouts);
        let left = pace.left(pace.sent);
        let (query, body) = (self.uri.query(), self.payload.body());
        let sent = tokio::select! {
            sent = upstream.send(self.endpoint, &self.headers, query, body, left) => sent,
            halt = poll_fn(|cx| guard.poll_cut(cx)) => {
                return Err(Failed { guard, failure: Failure::Cut(halt) });
            }
        };
        match sent {
            Err(unanswered) => Err(self.unanswered(guard, unanswered, &pace)),
            Ok(answer) if answer.status().is_success() => {
                self.open(guard, upstream, answer, pace).await
            }
            Ok(answer) => Err(self.refused(guard, answer, &pace).await),
        }
    }

    fn unanswered(&self, mut guard: Guard, unanswered: Unanswered, pace: &Pace) -> Failed {
        let how = match unanswered.how {
            Transport::TimedOut => pace.late(self.host.clock.now()),
            how => how,
        };
        if how == Transport::Connect {
            guard.report.stage = Stage::Connect;
        }
        Failed { guard, failure: Failure::Broken(how, unanswered.words) }
    }

    /// The provider said no: the start of its words is read for the core and the rest for the caller.
    async fn refused(
        &self,
        mut guard: Guard,
        answer: http::Response<hyper::body::Incoming>,
        pace: &Pace,
    ) -> Failed {
        let (parts, body) = answer.into_parts();
        guard.report.facts =
            facts::read(self.endpoint.kind(), &parts.headers, self.host.clock.wall_ms());
        guard.report.stage = Stage::FirstContent;
        let left = pace.left(self.host.clock.now()).min(pace.timeouts.between);
        let body = failure::read(body, left).await;
        let failure = Failure::Response { status: parts.status, headers: parts.headers, body };
        Failed { guard, failure }
    }

    /// The provider took the request up.
    async fn open(
        &mut self,
        mut guard: Guard,
        upstream: &Upstream,
        answer: http::Response<hyper::body::Incoming>,
        pace: Pace,
    ) -> Result<(Head, Relay), Failed> {
        let network = upstream::network(&answer);
        let (parts, body) = answer.into_parts();
        guard.report.stage = Stage::FirstContent;
        let facts = facts::read(upstream.kind, &parts.headers, self.host.clock.wall_ms());
        let attempt = guard.admit.attempt;
        self.host.inbox.mention(Message::Accepted { attempt, facts: Box::new(facts), network });
        let scan = if self.stream && is_stream(&parts.headers) {
            Scan::stream(self.endpoint.kind(), self.swallow)
        } else {
            Scan::whole(self.endpoint.kind())
        };
        let record = self.record.take();
        let host = Arc::clone(&self.host);
        let relay = Relay::new(host, self.endpoint.kind(), body, scan, guard, record, pace);
        match relay.open().await {
            Ok(mut relay) => {
                relay.sent(Sent::Content, self.connection.clone());
                Ok((Head { status: parts.status, headers: parts.headers }, relay))
            }
            Err(unopened) => {
                let Unopened { guard, record, why } = *unopened;
                self.record = record;
                Err(Failed { guard, failure: why.into() })
            }
        }
    }

    fn complain(&mut self, complaint: &Complaint) -> Response {
        self.record.declined();
        respond::complaint(self.endpoint.kind(), complaint, &mut self.record, &self.host)
    }

    fn fail(&mut self, failure: Failure, give_up: Option<&weir_core::GiveUp>) -> Response {
        respond::failure(self.endpoint.kind(), failure, give_up, &mut self.record, &self.host)
    }
}

/// Events that can be read as they pass. A coded answer, which nobody asked for, can only be passed on.
fn is_stream(headers: &HeaderMap) -> bool {
    let text = |name| headers.get(name).map_or("", |value| value.to_str().unwrap_or("?")).trim();
    let plain = matches!(text(header::CONTENT_ENCODING), "" | "identity");
    plain && text(header::CONTENT_TYPE).starts_with("text/event-stream")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_events_that_can_be_read_are_a_stream() {
        let is = |pairs: &[(&str, &str)]| {
            let headers =
                pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
            is_stream(&headers.collect())
        };
        let events = ("content-type", "text/event-stream; charset=utf-8");
        assert!(is(&[events]) && is(&[events, ("content-encoding", "identity")]));
        assert!(!is(&[events, ("content-encoding", "gzip")]));
        assert!(!is(&[("content-type", "application/json")]) && !is(&[]));
    }
}
