//! What the core waits for, by time.
//!
//! A timer is set and unset exactly, so that nothing stale piles up while requests come and go.

use std::collections::{BTreeMap, BTreeSet};

use crate::ids::{GroupId, ItemId, LaneId};
use crate::units::Micros;

/// What is due. The order of the cases is the order in which things of one instant happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Due {
    /// The item may be offered again, or its patience for a candidate is over.
    Rested(ItemId),
    /// The lane may have room, its held head may fit, or its schedule wanted to be asked again.
    Lane(LaneId),
    /// The group's events and charges have been gathered for long enough.
    Gathered(GroupId),
}

/// At most one time for each thing.
#[derive(Debug, Default)]
pub(crate) struct Timers {
    by_time: BTreeSet<(Micros, Due)>,
    by_due: BTreeMap<Due, Micros>,
}

impl Timers {
    /// Sets or moves a timer.
    pub(crate) fn set(&mut self, due: Due, at: Micros) {
        if let Some(old) = self.by_due.insert(due, at) {
            self.by_time.remove(&(old, due));
        }
        self.by_time.insert((at, due));
    }

    /// Sets a timer unless an earlier one is set.
    pub(crate) fn sooner(&mut self, due: Due, at: Micros) {
        if self.by_due.get(&due).is_none_or(|old| at < *old) {
            self.set(due, at);
        }
    }

    pub(crate) fn unset(&mut self, due: Due) {
        if let Some(old) = self.by_due.remove(&due) {
            self.by_time.remove(&(old, due));
        }
    }

    /// The next time at which anything is due.
    pub(crate) fn next(&self) -> Option<Micros> {
        self.by_time.first().map(|(at, _)| *at)
    }

    /// Takes one thing that is due.
    pub(crate) fn pop(&mut self, now: Micros) -> Option<Due> {
        let (at, due) = *self.by_time.first()?;
        if at > now {
            return None;
        }
        self.unset(due);
        Some(due)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moved_timer_fires_once_at_its_new_time() {
        let mut timers = Timers::default();
        timers.set(Due::Rested(ItemId(1)), Micros(5));
        timers.set(Due::Rested(ItemId(1)), Micros(9));
        timers.sooner(Due::Rested(ItemId(1)), Micros(20));
        assert_eq!(timers.pop(Micros(8)), None);
        assert_eq!(timers.pop(Micros(9)), Some(Due::Rested(ItemId(1))));
        assert_eq!(timers.next(), None);
    }

    #[test]
    fn what_is_due_at_one_instant_has_an_order() {
        let mut timers = Timers::default();
        timers.set(Due::Lane(LaneId(0)), Micros(5));
        timers.set(Due::Rested(ItemId(7)), Micros(5));
        assert_eq!(timers.pop(Micros(5)), Some(Due::Rested(ItemId(7))));
        assert_eq!(timers.pop(Micros(5)), Some(Due::Lane(LaneId(0))));
    }
}
