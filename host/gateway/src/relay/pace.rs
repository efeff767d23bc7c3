//! How long an attempt may take, in all and between pieces.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::time::Sleep;
use weir_core::Transport;
use weir_core::units::Micros;

use crate::clock::micros;
use crate::config::Timeouts;
use crate::host::Host;

/// The times of an attempt.
#[derive(Debug)]
pub(crate) struct Pace {
    /// When it was sent.
    pub(crate) sent: Micros,
    /// When it must be over.
    pub(crate) until: Micros,
    /// That is the caller's own deadline.
    pub(crate) callers: bool,
    pub(crate) timeouts: Timeouts,
    last: Micros,
    timer: Option<Pin<Box<Sleep>>>,
}

impl Pace {
    /// Without a deadline of the caller's own only the time-outs bound an attempt: the line's default bounds
    /// waits, and work that is under way is not thrown away for it.
    pub(crate) fn new(sent: Micros, deadline: Option<Micros>, timeouts: Timeouts) -> Self {
        let total = sent.plus(micros(timeouts.total));
        Self {
            sent,
            until: deadline.map_or(total, |deadline| deadline.min(total)),
            callers: deadline.is_some_and(|deadline| deadline <= total),
            timeouts,
            last: sent,
            timer: None,
        }
    }

    /// Something came.
    pub(super) fn heard(&mut self, now: Micros) {
        self.last = now;
    }

    /// The next piece may be due sooner than the last one was.
    pub(super) fn renew(&mut self) {
        self.timer = None;
    }

    /// What is left of the attempt's time.
    pub(crate) fn left(&self, now: Micros) -> Duration {
        Duration::from_micros(self.until.minus(now).0)
    }

    /// How it is called when its time is over.
    pub(crate) fn late(&self, now: Micros) -> Transport {
        if self.callers && now >= self.until {
            Transport::CallerDeadline
        } else {
            Transport::TimedOut
        }
    }

    /// Ready when the next piece is overdue. The timer is set once and put forward only when it fires.
    pub(super) fn poll_late(
        &mut self,
        cx: &mut Context<'_>,
        patience: Duration,
        host: &Host,
    ) -> Poll<Transport> {
        let due = self.last.plus(micros(patience)).min(self.until);
        let moment = host.clock.moment(due);
        let timer = self.timer.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(moment)));
        loop {
            ready!(timer.as_mut().poll(cx));
            let now = host.clock.now();
            if now >= due {
                return Poll::Ready(self.late(now));
            }
            timer.as_mut().reset(moment);
        }
    }
}
