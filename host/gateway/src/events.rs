//! The ring of events, and those who read it.
//!
//! The scheduler must never wait for a reader, so the ring drops its oldest when it is full, and a reader
//! that was too slow, or comes back after a pause, is told how many it missed. Numbers start at 1 and have
//! no gaps. Readers share the events; nothing is copied or written out before somebody reads it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use tokio::sync::watch;
use weir_core::Event;
use weir_core::units::Micros;

/// Events that are kept for readers.
const KEPT: usize = 8_192;

/// Something that a person would ask about.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Happened {
    /// Its number.
    pub id: u64,
    /// When, since the host started.
    pub at: Micros,
    /// What.
    #[serde(flatten)]
    pub what: What,
}

/// What happened: in the core, or to a policy.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum What {
    /// The core said so.
    Core(Event),
    /// A policy was swapped, rejected, faulted or quarantined.
    Policy(weir_policy::Event),
}

/// The ring.
#[derive(Debug)]
pub(crate) struct Ring {
    kept: Mutex<VecDeque<Arc<Happened>>>,
    newest: watch::Sender<u64>,
}

impl Ring {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self { kept: Mutex::default(), newest: watch::Sender::new(0) })
    }

    /// Adds events, oldest first, and wakes readers once.
    pub(crate) fn add(&self, at: Micros, events: impl Iterator<Item = What>) {
        let mut id = *self.newest.borrow();
        let before = id;
        {
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            for what in events {
                id += 1;
                if kept.len() == KEPT {
                    kept.pop_front();
                }
                kept.push_back(Arc::new(Happened { id, at, what }));
            }
        }
        if id != before {
            self.newest.send_replace(id);
        }
    }

    /// A reader of what follows on an event; 0 for all that are kept, `None` for what is still to come.
    pub(crate) fn read_after(self: &Arc<Self>, last: Option<u64>) -> Events {
        let newest = self.newest.subscribe();
        let now = *newest.borrow();
        // A number from the time before a restart is not known here: begin with the oldest.
        let last = last.map_or(now, |last| if last > now { 0 } else { last });
        Events { ring: Arc::clone(self), newest, last, ready: VecDeque::new() }
    }

    fn after(&self, last: u64, most: usize) -> VecDeque<Arc<Happened>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let from = kept.partition_point(|event| event.id <= last);
        kept.iter().skip(from).take(most).cloned().collect()
    }
}

/// A reader's place in the events.
#[derive(Debug)]
pub struct Events {
    ring: Arc<Ring>,
    newest: watch::Receiver<u64>,
    last: u64,
    ready: VecDeque<Arc<Happened>>,
}

/// What a reader gets.
#[derive(Clone, Debug, PartialEq)]
pub enum Read {
    /// The next event.
    Event(Arc<Happened>),
    /// So many were dropped before this reader came to them.
    Lost(u64),
}

impl Events {
    /// Events that are taken from the ring at once.
    const BATCH: usize = 256;

    /// Waits for the next event; `None` when the gateway is gone.
    pub async fn next(&mut self) -> Option<Read> {
        loop {
            if let Some(read) = self.try_next() {
                return Some(read);
            }
            self.newest.changed().await.ok()?;
        }
    }

    /// The next event, if there is one.
    pub fn try_next(&mut self) -> Option<Read> {
        if self.ready.is_empty() {
            self.newest.mark_unchanged();
            self.ready = self.ring.after(self.last, Self::BATCH);
        }
        let next = self.ready.front()?;
        let lost = next.id - self.last - 1;
        if lost > 0 {
            self.last += lost;
            return Some(Read::Lost(lost));
        }
        self.last = next.id;
        self.ready.pop_front().map(Read::Event)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_core::units::Tokens;

    fn add(ring: &Ring, count: usize) {
        let event = Event::BudgetSoft {
            tenant: "acme".into(),
            tokens_left: Some(Tokens(1)),
            cost_left: None,
        };
        ring.add(Micros(5), std::iter::repeat_n(What::Core(event), count));
    }

    fn ids(events: &mut Events) -> Vec<u64> {
        std::iter::from_fn(|| events.try_next())
            .map(|read| match read {
                Read::Event(event) => event.id,
                Read::Lost(lost) => 1_000_000 + lost,
            })
            .collect()
    }

    #[test]
    fn readers_go_on_where_they_were() {
        let ring = Ring::new();
        let mut late = ring.read_after(None);
        add(&ring, 3);
        assert_eq!(ids(&mut late), [1, 2, 3]);
        assert_eq!(ids(&mut ring.read_after(Some(1))), [2, 3]);
        assert_eq!(ids(&mut ring.read_after(Some(99))), [1, 2, 3], "from before a restart");
        assert!(ids(&mut ring.read_after(None)).is_empty());
    }

    #[test]
    fn the_oldest_are_dropped_and_counted() {
        let ring = Ring::new();
        let mut slow = ring.read_after(Some(0));
        add(&ring, KEPT + 2);
        let read = ids(&mut slow);
        assert_eq!((read.len(), read[0], read[1]), (KEPT + 1, 1_000_002, 3));
    }

    #[tokio::test]
    async fn a_reader_waits_for_the_next() {
        let ring = Ring::new();
        let mut events = ring.read_after(None);
        let (read, ()) = tokio::join!(events.next(), async { add(&ring, 1) });
        assert!(matches!(read, Some(Read::Event(event)) if event.id == 1));
    }

    #[test]
    fn an_event_is_flat_json() {
        let ring = Ring::new();
        add(&ring, 1);
        let Some(Read::Event(event)) = ring.read_after(Some(0)).try_next() else { panic!("none") };
        let json = serde_json::to_value(&*event).unwrap();
        assert_eq!(json["event"], "budget-soft");
        assert_eq!((json["id"].as_u64(), json["at"].as_u64()), (Some(1), Some(5)));
    }
}
