//! A stream of events, paced as tokens are generated and broken where the script says.
//!
//! Every step has a due time counted from the first token, so that a slow reader finds what was generated
//! meanwhile and the pace does not drift.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use tokio::time::Sleep;

use crate::body::Cut;
use crate::clock::{Clock, Micros, millis};
use crate::dialect::{Dialect, Step};
use crate::fault::{Effect, ErrorKind};
use crate::gate::Permit;
use crate::plan::Plan;
use crate::stats::Outcome;

/// The state of one streamed answer.
pub(crate) struct Stream {
    plan: Plan,
    dialect: &'static dyn Dialect,
    clock: Clock,
    /// When the first token was due.
    start: Micros,
    /// The next step; none after the last.
    next: Option<Step>,
    interruption: Option<Interruption>,
    /// Whether the connection is to be closed as soon as what was handed over is on its way.
    cutting: bool,
    timer: Option<Pin<Box<Sleep>>>,
    permit: Option<Permit>,
}

/// What happens once so many chunks are out.
#[derive(Debug, Clone, Copy)]
struct Interruption {
    after_chunks: u64,
    what: What,
}

#[derive(Debug, Clone, Copy)]
enum What {
    Rest(Micros),
    Cut,
    Error(ErrorKind),
}

impl Stream {
    /// A stream whose first token is due at `start`.
    pub(crate) fn new(
        plan: Plan,
        dialect: &'static dyn Dialect,
        permit: Permit,
        effect: Option<Effect>,
        start: Micros,
        clock: Clock,
    ) -> Self {
        Self {
            interruption: effect.and_then(Interruption::of),
            plan,
            dialect,
            clock,
            start,
            next: Some(Step::Open),
            cutting: false,
            timer: None,
            permit: Some(permit),
        }
    }

    pub(crate) fn is_done(&self) -> bool {
        self.next.is_none()
    }

    pub(crate) fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, Cut>>> {
        let Some(step) = self.next else { return Poll::Ready(None) };
        if self.cutting {
            self.end(Outcome::Broken);
            return Poll::Ready(Some(Err(Cut)));
        }
        let step = match self.interrupted(step) {
            Some(What::Cut) => {
                // The server flushes when a body has nothing yet, and drops its buffer when a body fails.
                self.cutting = true;
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            Some(What::Error(kind)) => Step::Error(kind),
            Some(What::Rest(rest)) => {
                self.start = self.start.saturating_add(rest);
                step
            }
            None => step,
        };
        ready!(self.wait(self.due(step), context));
        let bytes = self.dialect.event(&self.plan, step);
        self.advance(step);
        Poll::Ready(Some(Ok(bytes)))
    }

    /// What interrupts before `step`; told once.
    fn interrupted(&mut self, step: Step) -> Option<What> {
        let interruption = self.interruption?;
        let after = interruption.after_chunks.min(self.plan.chunks());
        let due = match step {
            Step::Chunk(chunk) => chunk == after,
            Step::Close => after == self.plan.chunks(),
            Step::Open | Step::Error(_) => false,
        };
        due.then(|| self.interruption = None)?;
        Some(interruption.what)
    }

    fn due(&self, step: Step) -> Micros {
        let tokens = match step {
            Step::Open | Step::Error(_) => return self.start,
            Step::Chunk(chunk) => self.plan.tokens_after(chunk + 1),
            Step::Close => self.plan.output,
        };
        self.start.saturating_add(self.plan.generation(tokens))
    }

    fn wait(&mut self, due: Micros, context: &mut Context<'_>) -> Poll<()> {
        if self.clock.now() >= due {
            return Poll::Ready(());
        }
        let at = self.clock.instant(due);
        let timer = self.timer.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(at)));
        if timer.deadline() != at {
            timer.as_mut().reset(at);
        }
        timer.as_mut().poll(context)
    }

    fn advance(&mut self, step: Step) {
        match step {
            Step::Open => self.next = Some(self.content(0)),
            Step::Chunk(chunk) => {
                if let Some(permit) = &mut self.permit {
                    permit.generated(self.plan.tokens_after(chunk + 1));
                }
                self.next = Some(self.content(chunk + 1));
            }
            Step::Close => self.end(Outcome::Finished),
            Step::Error(_) => self.end(Outcome::Broken),
        }
    }

    fn content(&self, chunk: u64) -> Step {
        if chunk < self.plan.chunks() { Step::Chunk(chunk) } else { Step::Close }
    }

    fn end(&mut self, outcome: Outcome) {
        self.next = None;
        if let Some(permit) = self.permit.take() {
            permit.end(outcome);
        }
    }
}

impl Interruption {
    fn of(effect: Effect) -> Option<Self> {
        let (after_chunks, what) = match effect {
            Effect::StallStream(stall) => (stall.after_chunks, What::Rest(millis(stall.ms))),
            Effect::CutStream(cut) => (cut.after_chunks, What::Cut),
            Effect::ErrorEvent(event) => (event.after_chunks, What::Error(event.kind)),
            _ => return None,
        };
        Some(Self { after_chunks, what })
    }
}

impl std::fmt::Debug for Stream {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Stream")
            .field("plan", &self.plan)
            .field("next", &self.next)
            .finish()
    }
}
