//! An answer on its way from the provider to the caller.
//!
//! Bytes pass through as they come, a stream's event by event; the only thing ever taken out is the count that
//! the caller did not ask for. The relay pulls the next chunk when the caller has taken the last, so a slow
//! reader slows the provider and nothing piles up here.
//!
//! It has two lives. While it is *opened*, headers and everything before the first content are held back, so
//! that a failure can still be answered by another attempt, unseen. Once it is the *body* of the response, a
//! failure can only be said: as an error event in the API's own shape if it is a stream, else by breaking the
//! connection off, so that half an answer is never taken for a whole one.
//!
//! The guard is settled as soon as the answer is complete by its own words, which is before the connection to
//! the provider is; if the relay is dropped before that, the guard's drop says that the caller went away.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use weir_core::units::Tokens;
use weir_core::{Outcome, Response, Sent, Stage, Transport};

use crate::complaint::Complaint;
use crate::config::Kind;
use crate::driver::{Guard, Halt, Message};
use crate::host::Host;
use crate::ingress::Connection;
use crate::record::Record;

mod pace;
mod scan;
mod sse;

pub(crate) use pace::Pace;
pub(crate) use scan::{Scan, excerpt};

/// The most that is held back before the first content.
const MAX_HOLD: usize = 256 << 10;
/// A stream that outgrew its reservation says so in steps of this at least, or a quarter of what it has.
const GROW_STEP: u64 = 256;

/// An answer under way.
pub(crate) struct Relay {
    host: Arc<Host>,
    kind: Kind,
    /// `None` once nothing more is wanted of the provider.
    provider: Option<Incoming>,
    scan: Scan,
    out: VecDeque<Bytes>,
    /// `None` once settled.
    guard: Option<Guard>,
    record: Record,
    pace: Pace,
    /// Where the answer goes, once it does.
    connection: Option<Connection>,
    /// The reservation that has been told.
    reserved: Tokens,
    broken: bool,
}

/// How an answer ended.
#[derive(Debug)]
enum End {
    /// The provider has sent its last byte.
    Complete,
    Broken(Transport),
    Cut(Halt),
}

/// An answer that failed before its first content.
pub(crate) struct Unopened {
    pub(crate) guard: Guard,
    pub(crate) record: Record,
    pub(crate) why: Why,
}

/// What an unopened answer failed of.
#[derive(Debug)]
pub(crate) enum Why {
    /// The provider said so in an event.
    Event(String),
    Broken(Transport),
    Cut(Halt),
}

impl Relay {
    pub(crate) fn new(
        host: Arc<Host>,
        kind: Kind,
        provider: Incoming,
        scan: Scan,
        guard: Guard,
        record: Record,
        pace: Pace,
    ) -> Self {
        let reserved = guard.admit.output_reserved;
        let out = VecDeque::new();
        Self {
            host,
            kind,
            provider: Some(provider),
            scan,
            out,
            guard: Some(guard),
            record,
            pace,
            connection: None,
            reserved,
            broken: false,
        }
    }

    /// Holds the answer back until its first content, its end, or more than can be held.
    pub(crate) async fn open(mut self) -> Result<Self, Box<Unopened>> {
        self.pace.heard(self.host.clock.now());
        loop {
            let end = poll_fn(|cx| self.advance(cx)).await;
            let opened = self.scan.tally.content || self.scan.tally.done;
            let why = match end {
                None if self.scan.tally.error.is_none() => {
                    if opened || self.held() > MAX_HOLD {
                        return Ok(self);
                    }
                    continue;
                }
                // An error before any content: whatever follows it, it is a failure.
                None => End::Complete,
                Some(end) => end,
            };
            match self.failure(why) {
                None => return Ok(self),
                Some(why) if opened => {
                    self.say(why);
                    return Ok(self);
                }
                Some(why) => return self.unopened(why),
            }
        }
    }

    fn held(&self) -> usize {
        self.out.iter().map(Bytes::len).sum()
    }

    fn unopened(mut self, why: Why) -> Result<Self, Box<Unopened>> {
        match self.guard.take() {
            Some(guard) => Err(Box::new(Unopened { guard, record: self.record.take(), why })),
            // Settled already: it was complete.
            None => Ok(self),
        }
    }

    /// Takes the next piece. `None`: something came, there may be bytes to send.
    fn advance(&mut self, cx: &mut Context<'_>) -> Poll<Option<End>> {
        if let Some(guard) = &mut self.guard
            && let Poll::Ready(halt) = guard.poll_cut(cx)
        {
            return Poll::Ready(Some(End::Cut(halt)));
        }
        let Some(provider) = &mut self.provider else { return Poll::Ready(Some(End::Complete)) };
        match Pin::new(&mut *provider).poll_frame(cx) {
            Poll::Ready(Some(Ok(frame))) => {
                let ended = provider.is_end_stream();
                if let Some(end) = self.overdue() {
                    return Poll::Ready(Some(end));
                }
                if let Ok(chunk) = frame.into_data() {
                    self.take(chunk);
                }
                Poll::Ready(ended.then_some(End::Complete))
            }
            Poll::Ready(Some(Err(_))) => Poll::Ready(Some(End::Broken(Transport::Reset))),
            Poll::Ready(None) => Poll::Ready(Some(End::Complete)),
            Poll::Pending => {
                let patience = self.patience();
                self.pace.poll_late(cx, patience, &self.host).map(|late| Some(End::Broken(late)))
            }
        }
    }

    /// The attempt's time is over although the provider has more: nobody took it in time.
    fn overdue(&self) -> Option<End> {
        let now = self.host.clock.now();
        let over = self.guard.is_some() && now >= self.pace.until;
        over.then(|| match self.pace.late(now) {
            Transport::CallerDeadline => End::Broken(Transport::CallerDeadline),
            _ => End::Cut(Halt::Unread),
        })
    }

    fn patience(&self) -> Duration {
        let timeouts = &self.pace.timeouts;
        if self.scan.tally.content { timeouts.between } else { timeouts.first_content }
    }

    fn take(&mut self, chunk: Bytes) {
        let before = self.scan.tally.content;
        let now = self.host.clock.now();
        self.scan.pass(chunk, &mut self.out);
        let tally = &self.scan.tally;
        // What comes before the first content, such as pings, is no sign that it will come.
        if tally.content {
            self.pace.heard(now);
        }
        let Some(guard) = &mut self.guard else { return };
        if tally.content && !before {
            guard.report.stage = Stage::Between;
            self.pace.renew();
            guard.report.first_content = Some(now.minus(self.pace.sent));
        }
        guard.report.output_seen = tally.output();
        if guard.report.output_seen > self.reserved {
            let output = guard.report.output_seen;
            self.reserved = output.plus(Tokens(GROW_STEP.max(output.0 / 4)));
            self.host.inbox.mention(Message::Grow { attempt: guard.admit.attempt, output });
        }
        if tally.done && tally.error.is_none() && self.scan.needs_end_marker() {
            self.settle(Outcome::Success);
        }
    }

    /// What went wrong, if something did. A complete answer is settled here.
    fn failure(&mut self, end: End) -> Option<Why> {
        let complete = matches!(end, End::Complete);
        match end {
            End::Cut(halt) => return Some(Why::Cut(halt)),
            End::Broken(how) if self.guard.is_some() => return Some(Why::Broken(how)),
            // What breaks after the answer's last word breaks nothing.
            End::Broken(_) | End::Complete => {}
        }
        self.provider = None;
        self.scan.end(&mut self.out);
        if let Some(error) = self.scan.tally.error.clone() {
            return Some(Why::Event(error));
        }
        if complete && !self.scan.tally.done {
            return Some(Why::Broken(Transport::Reset));
        }
        self.settle(Outcome::Success);
        None
    }

    /// The body's own end: says what went wrong to the caller, and settles.
    fn say(&mut self, why: Why) {
        self.provider = None;
        if !self.scan.needs_end_marker() {
            self.broken = true;
        } else if let Some(complaint) = why.complaint() {
            let event = self.kind.error_event(&complaint, &self.record.request());
            self.out.push_back(event);
        }
        let outcome = why.outcome(self.kind, &self.host);
        self.settle(outcome);
    }

    /// Only of a complete answer the count is whole: Anthropic's begins with one output token. Of any other the
    /// reservation stands.
    fn settle(&mut self, outcome: Outcome) {
        if let Some(mut guard) = self.guard.take() {
            if outcome == Outcome::Success {
                guard.report.stage = Stage::Total;
                guard.report.usage = self.scan.tally.usage();
            }
            self.record.ended(&outcome, guard.report.usage);
            guard.end(outcome, None);
        }
        // The slot is given back; what is left may be read at leisure.
        if let Some(connection) = self.connection.take() {
            connection.answer_by(None);
        }
    }

    /// The response begins: from here on nothing can be taken back.
    pub(crate) fn sent(&mut self, sent: Sent, connection: Connection) {
        if let Some(guard) = &mut self.guard {
            guard.report.sent = sent;
            connection.answer_by(Some(self.host.clock.moment(self.pace.until)));
            self.connection = Some(connection);
        }
    }

    /// Something may be taken out on the way, or an error put at the end.
    pub(crate) fn alters(&self) -> bool {
        self.scan.needs_end_marker()
    }

    pub(crate) fn record(&mut self) -> &mut Record {
        &mut self.record
    }
}

impl Why {
    /// What the caller is told in a stream that has begun; an error event of the provider's has been passed on.
    fn complaint(&self) -> Option<Complaint> {
        match self {
            Self::Event(_) => None,
            Self::Broken(how) => Some(Complaint::broken(*how, "in the middle of its answer")),
            Self::Cut(halt) => Some((*halt).into()),
        }
    }

    pub(crate) fn outcome(self, kind: Kind, host: &Host) -> Outcome {
        match self {
            Self::Event(body) => Outcome::Response(Response {
                status: 0,
                headers: Vec::new(),
                body,
                endpoint: kind.endpoint().into(),
                wall_ms: host.clock.wall_ms(),
            }),
            Self::Broken(how) => Outcome::Transport(how),
            Self::Cut(_) => Outcome::Cut,
        }
    }
}

impl Body for Relay {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        loop {
            if let Some(bytes) = self.out.pop_front() {
                return Poll::Ready(Some(Ok(Frame::data(bytes))));
            }
            if std::mem::take(&mut self.broken) {
                return Poll::Ready(Some(Err(io::ErrorKind::ConnectionReset.into())));
            }
            if self.provider.is_none() {
                return Poll::Ready(None);
            }
            if let Some(end) = ready!(self.advance(cx))
                && let Some(why) = self.failure(end)
            {
                self.say(why);
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.provider.is_none() && self.out.is_empty() && !self.broken
    }

    fn size_hint(&self) -> SizeHint {
        if self.provider.is_none() && !self.broken {
            SizeHint::with_exact(self.held() as u64)
        } else {
            SizeHint::default()
        }
    }
}
