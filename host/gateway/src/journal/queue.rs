//! Lines on their way to the writer: bounded, and the oldest make room.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use metrics::Counter;
use weir_core::journal::Line;

/// Lines that wait for the writer at most.
const MOST: usize = 8_192;

/// The queue.
pub(super) struct Queue {
    state: Mutex<State>,
    filled: Condvar,
    lost: Counter,
}

#[derive(Default)]
struct State {
    lines: VecDeque<Line>,
    /// Dropped since the writer last took some.
    lost: u64,
    closed: bool,
}

/// What the writer takes at once.
#[derive(Debug)]
pub(super) struct Batch {
    /// Lines that are missing before these.
    pub(super) lost: u64,
    pub(super) lines: VecDeque<Line>,
}

impl Queue {
    pub(super) fn new(lost: Counter) -> Self {
        Self { state: Mutex::default(), filled: Condvar::new(), lost }
    }

    /// Adds lines. It holds the lock for no longer than that, and so does the writer.
    pub(super) fn push(&self, lines: impl Iterator<Item = Line>) {
        let mut state = self.state();
        let before = state.lost;
        for line in lines {
            if state.closed {
                state.lost += 1;
                continue;
            }
            if state.lines.len() == MOST {
                state.lines.pop_front();
                state.lost += 1;
            }
            state.lines.push_back(line);
        }
        let lost = state.lost - before;
        drop(state);
        self.lost.increment(lost);
        self.filled.notify_one();
    }

    /// All that is there, once there is something; `None` when nothing comes any more.
    pub(super) fn take(&self) -> Option<Batch> {
        let state = self.state();
        let idle = |state: &mut State| state.lines.is_empty() && !state.closed;
        let mut state = self.filled.wait_while(state, idle).unwrap_or_else(PoisonError::into_inner);
        if state.lines.is_empty() {
            return None;
        }
        let lost = std::mem::take(&mut state.lost);
        Some(Batch { lost, lines: std::mem::take(&mut state.lines) })
    }

    /// Nothing is taken in any more; what is there can still be taken out.
    pub(super) fn close(&self) {
        self.state().closed = true;
        self.filled.notify_one();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use weir_core::ids::ItemId;
    use weir_core::journal::Left;
    use weir_core::units::Micros;

    use super::*;

    fn lines(items: std::ops::Range<u64>) -> impl Iterator<Item = Line> {
        items.map(|item| {
            Line::Left(Left { at: Micros::ZERO, item: ItemId(item), why: String::new() })
        })
    }

    fn first(batch: &Batch) -> u64 {
        match &batch.lines[0] {
            Line::Left(left) => left.item.0,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_oldest_make_room_and_are_counted() {
        let queue = Queue::new(Counter::noop());
        queue.push(lines(0..MOST as u64 + 3));
        let batch = queue.take().unwrap();
        assert_eq!((batch.lost, batch.lines.len(), first(&batch)), (3, MOST, 3));
        queue.push(lines(7..8));
        assert_eq!(queue.take().unwrap().lost, 0);
    }

    #[test]
    fn what_is_there_at_the_end_is_taken_and_nothing_more() {
        let queue = Queue::new(Counter::noop());
        queue.push(lines(1..2));
        queue.close();
        queue.push(lines(2..3));
        assert_eq!(first(&queue.take().unwrap()), 1);
        assert!(queue.take().is_none());
    }

    #[test]
    fn a_writer_that_waits_is_woken() {
        let queue = Queue::new(Counter::noop());
        std::thread::scope(|scope| {
            let writer = scope.spawn(|| queue.take().map(|batch| batch.lines.len()));
            queue.push(lines(0..2));
            assert!(matches!(writer.join().unwrap(), Some(1..=2)));
        });
    }
}
