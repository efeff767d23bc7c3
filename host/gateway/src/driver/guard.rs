//! The permit of an attempt.
//!
//! A guard is made by the scheduler when it admits, travels to the request, and lives inside the response's
//! body. However the response ends, the guard says so exactly once: with [`Guard::end`], or by its drop when
//! the caller went away, the connection broke or a task panicked. It speaks with a permit that was reserved
//! before the request arrived, so its word cannot wait or be lost.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::mpsc::OwnedPermit;
use tokio::sync::oneshot;
use weir_core::units::{Micros, Tokens};
use weir_core::{Admit, End, Facts, Outcome, Refusal, Sent, Stage, Usage};

use super::inbox::{Message, Seat};

/// An admission that owes its end.
#[derive(Debug)]
pub(crate) struct Guard {
    /// What was admitted.
    pub(crate) admit: Admit,
    /// What is known of the attempt so far; the end tells it.
    pub(crate) report: Report,
    /// The order to stop. Nothing can come once the sender is gone.
    pub(super) cut: Option<oneshot::Receiver<Halt>>,
    permit: Option<OwnedPermit<Message>>,
}

/// An order to stop an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Halt {
    /// The core's: a hard budget is spent.
    Refused(Refusal),
    /// This host goes down, and the time to end in is over.
    Draining,
    /// The attempt's time is over, and the caller has not read what has come.
    Unread,
}

/// How an attempt stands.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) sent: Sent,
    pub(crate) stage: Stage,
    pub(crate) first_content: Option<Micros>,
    pub(crate) usage: Option<Usage>,
    pub(crate) output_seen: Tokens,
    pub(crate) facts: Facts,
    /// Set by the caller's connection when it gave up on a reader that does not read.
    pub(crate) stalled: Option<Arc<AtomicBool>>,
}

impl Guard {
    pub(super) fn new(
        admit: Admit,
        permit: OwnedPermit<Message>,
        cut: oneshot::Receiver<Halt>,
    ) -> Self {
        let report = Report {
            sent: Sent::Nothing,
            stage: Stage::Connect,
            first_content: None,
            usage: None,
            output_seen: Tokens::ZERO,
            facts: Facts::default(),
            stalled: None,
        };
        Self { admit, report, cut: Some(cut), permit: Some(permit) }
    }

    /// Says how the attempt ended. With a seat, the request waits for what follows.
    pub(crate) fn end(mut self, outcome: Outcome, seat: Option<Seat>) {
        self.say(outcome, seat);
    }

    /// Waits for an order to stop.
    pub(crate) fn poll_cut(&mut self, cx: &mut std::task::Context<'_>) -> std::task::Poll<Halt> {
        use std::future::Future;
        use std::pin::Pin;
        use std::task::Poll;
        let Some(cut) = &mut self.cut else { return Poll::Pending };
        match Pin::new(cut).poll(cx) {
            Poll::Ready(Ok(halt)) => Poll::Ready(halt),
            Poll::Ready(Err(_)) => {
                self.cut = None;
                Poll::Pending
            }
            Poll::Pending => Poll::Pending,
        }
    }

    fn say(&mut self, outcome: Outcome, seat: Option<Seat>) {
        let Some(permit) = self.permit.take() else { return };
        let report = &mut self.report;
        let end = End {
            outcome,
            sent: report.sent,
            stage: report.stage,
            first_content: report.first_content,
            usage: report.usage,
            output_seen: report.output_seen,
            facts: std::mem::take(&mut report.facts),
        };
        permit.send(Message::Ended { ended: Box::new((self.admit, end)), seat });
    }

    fn stalled(&self) -> bool {
        self.report.stalled.as_ref().is_some_and(|stalled| stalled.load(Ordering::Relaxed))
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let outcome = if self.stalled() { Outcome::Cut } else { Outcome::Cancelled };
        self.say(outcome, None);
    }
}
