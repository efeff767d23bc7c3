//! Waiting for the inbox or a time, on a plain thread.
//!
//! The scheduler is no task: policies must not run inside a runtime. It polls its channel by hand and parks.

use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Duration;

use tokio::sync::mpsc::Receiver;
use weir_core::units::Micros;

use crate::clock::Clock;

/// Why the wait is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Woken {
    /// Messages came.
    Messages,
    /// The time came.
    Time,
    /// No sender is left.
    Closed,
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Parks the thread that made it.
pub(super) struct Parking {
    waker: Waker,
}

impl Parking {
    pub(super) fn here() -> Self {
        Self { waker: Arc::new(Unpark(thread::current())).into() }
    }

    /// Takes up to `most` messages, waiting for the first until a time.
    pub(super) fn receive<T>(
        &self,
        inbox: &mut Receiver<T>,
        into: &mut Vec<T>,
        most: usize,
        clock: &Clock,
        until: Option<Micros>,
    ) -> Woken {
        loop {
            match inbox.poll_recv_many(&mut Context::from_waker(&self.waker), into, most) {
                Poll::Ready(0) => return Woken::Closed,
                Poll::Ready(_) => return Woken::Messages,
                Poll::Pending => {}
            }
            match until.map(|until| until.minus(clock.now())) {
                None => thread::park(),
                Some(Micros::ZERO) => return Woken::Time,
                Some(left) => thread::park_timeout(Duration::from_micros(left.0)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_before_time() {
        let (sender, mut inbox) = tokio::sync::mpsc::channel(4);
        let (clock, parking, mut got) = (Clock::start(), Parking::here(), Vec::new());
        sender.try_send(7).unwrap();
        let woken = parking.receive(&mut inbox, &mut got, 8, &clock, Some(Micros::ZERO));
        assert_eq!((woken, got.as_slice()), (Woken::Messages, &[7][..]));
        let woken = parking.receive(&mut inbox, &mut got, 8, &clock, Some(clock.now()));
        assert_eq!(woken, Woken::Time);
        drop(sender);
        assert_eq!(parking.receive(&mut inbox, &mut got, 8, &clock, None), Woken::Closed);
    }

    #[test]
    fn a_sender_wakes_the_thread() {
        let (sender, mut inbox) = tokio::sync::mpsc::channel(4);
        let other = thread::spawn(move || sender.blocking_send(1));
        let (clock, mut got) = (Clock::start(), Vec::new());
        let woken = Parking::here().receive(&mut inbox, &mut got, 8, &clock, None);
        assert_eq!((woken, got.as_slice()), (Woken::Messages, &[1][..]));
        other.join().unwrap().unwrap();
    }
}
