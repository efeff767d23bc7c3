//! What is to happen, in the order of time; of things at one time the one that was said first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use weir_core::ids::AttemptId;
use weir_core::units::Micros;

/// Something that happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Event {
    /// A request of a demand comes.
    Arrive { demand: u16, from: From },
    /// Many come at once.
    Burst { demand: u16, count: u32 },
    /// A provider took an attempt up.
    Accepted(Try),
    /// A stream passes what was reserved for it.
    Grow(Try),
    /// An attempt is over.
    Ended(Try),
    /// The host ends an attempt: a budget is spent.
    Cut(Try),
    /// A caller goes away.
    Gone { request: u32 },
    /// A parent has come to where it starts its children.
    Spawn(Try),
    /// Something changed for a parent's children, or it wanted to be asked again.
    Children { request: u32 },
    /// The world is looked at.
    Sample,
    /// A policy takes over.
    Swap(u32),
    /// A host dies.
    Kill(u32),
}

/// An attempt of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Try {
    pub(super) host: u16,
    pub(super) attempt: AttemptId,
}

/// Who sends a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum From {
    /// An open source, which then says when the next comes.
    Open,
    /// One of many at once.
    Burst,
    /// An agent, which sends the next when it has its answer.
    Agent(u32),
    /// A request that was answered before.
    Then(u32),
    /// A parent.
    Parent(u32),
}

/// What is to happen.
#[derive(Debug, Default)]
pub(super) struct Queue {
    heap: BinaryHeap<Reverse<(Micros, u64, Event)>>,
    said: u64,
}

impl Queue {
    pub(super) fn at(&mut self, at: Micros, event: Event) {
        self.said += 1;
        self.heap.push(Reverse((at, self.said, event)));
    }

    pub(super) fn next(&self) -> Option<Micros> {
        self.heap.peek().map(|Reverse((at, ..))| *at)
    }

    /// The next that is due.
    pub(super) fn due(&mut self, now: Micros) -> Option<Event> {
        if self.next()? > now {
            return None;
        }
        self.heap.pop().map(|Reverse((_, _, event))| event)
    }
}
