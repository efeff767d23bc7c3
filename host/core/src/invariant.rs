//! What always holds, as predicates that tests, debug builds and drivers share.

use std::collections::{BTreeMap, BTreeSet};

use crate::ids::{AttemptId, ItemId};
use crate::input::Input;
use crate::output::{Next, Output};

/// A rule that does not hold: a defect of this program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Broken {
    /// The ledger's sums.
    #[error(transparent)]
    Ledger(#[from] crate::ledger::Broken),
    /// The core's own counts differ.
    #[error("{what}: {found}, expected {expected}")]
    Count {
        /// Which count.
        what: &'static str,
        /// What it is.
        found: usize,
        /// What it should be; at most, for a bound.
        expected: usize,
    },
    /// An item came or left in a way that it must not.
    #[error("item {item} {what}")]
    Item {
        /// Which.
        item: ItemId,
        /// What it did.
        what: &'static str,
    },
}

/// Follows inputs and outputs: each item that arrives leaves exactly once, each attempt ends exactly once,
/// and nothing is sent for an item that has left.
#[derive(Clone, Debug, Default)]
pub struct Leaving {
    inside: BTreeSet<ItemId>,
    in_flight: BTreeMap<AttemptId, ItemId>,
}

impl Leaving {
    /// Nothing seen yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// To be told every input before the core is.
    pub fn input(&mut self, input: &Input) {
        match input {
            Input::Arrive(arrival) => {
                self.inside.insert(arrival.item);
            }
            Input::Cancel { item } if !self.in_flight.values().any(|other| other == item) => {
                self.inside.remove(item);
            }
            _ => {}
        }
    }

    /// To be told every output.
    ///
    /// # Errors
    /// What the output breaks.
    pub fn output(&mut self, output: &Output) -> Result<(), Broken> {
        match output {
            Output::Admit(admit) => {
                self.expect(admit.item, "was admitted after it had left")?;
                let twice = self.in_flight.values().any(|item| *item == admit.item);
                let again = self.in_flight.get(&admit.attempt) == Some(&admit.item);
                self.in_flight.insert(admit.attempt, admit.item);
                broken(twice && !again, admit.item, "was admitted while it was in flight")
            }
            Output::Refuse { item, .. } => {
                let flying = self.in_flight.values().any(|other| other == item);
                broken(flying, *item, "was refused while it was in flight")?;
                broken(!self.inside.remove(item), *item, "was refused after it had left")
            }
            Output::Ended { item, attempt, next, .. } => {
                let known = self.in_flight.remove(attempt).is_some();
                broken(!known, *item, "ended an attempt that was not in flight")?;
                if !matches!(next, Next::Again { .. }) {
                    broken(!self.inside.remove(item), *item, "left twice")?;
                }
                Ok(())
            }
            Output::Cut { .. } | Output::Event(_) => Ok(()),
        }
    }

    /// Items that have not left.
    #[must_use]
    pub fn inside(&self) -> usize {
        self.inside.len()
    }

    /// Attempts that have not ended.
    #[must_use]
    pub fn in_flight(&self) -> usize {
        self.in_flight.len()
    }

    fn expect(&self, item: ItemId, what: &'static str) -> Result<(), Broken> {
        broken(!self.inside.contains(&item), item, what)
    }
}

fn broken(is: bool, item: ItemId, what: &'static str) -> Result<(), Broken> {
    if is { Err(Broken::Item { item, what }) } else { Ok(()) }
}

/// Two counts that must be equal.
pub(crate) fn equal(what: &'static str, found: usize, expected: usize) -> Result<(), Broken> {
    if found == expected { Ok(()) } else { Err(Broken::Count { what, found, expected }) }
}

/// A count that must not be above another.
pub(crate) fn at_most(what: &'static str, found: usize, bound: usize) -> Result<(), Broken> {
    if found <= bound { Ok(()) } else { Err(Broken::Count { what, found, expected: bound }) }
}
