//! The seven slots, as the core asks them.

mod ask;

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};

use weir_core::Slot;
use weir_core::units::Micros;

use crate::event::Event;
use crate::folder::Delivery;
use crate::instance::Failed;
use crate::meter::Meter;
use crate::prepared::Prepared;
use crate::seat::{House, Row, Seat};

/// The operator's policies, one instance a slot, with the core's trait
/// [`Policies`](weir_core::Policies) over them.
///
/// It lives on the scheduler's thread, which is a plain thread with at least 2 MiB of stack, and never a worker
/// of an asynchronous runtime. A component that serves several slots has an instance in each, so that a fault in
/// one leaves the others alone.
pub struct Slots {
    seats: [Seat; 7],
    house: House,
}

impl Default for Slots {
    fn default() -> Self {
        Self { seats: Slot::ALL.map(Seat::new), house: House::default() }
    }
}

impl Slots {
    /// Puts a policy into its slot. One that mirrors the host's state (schedule, limit) waits until the core has
    /// fed it; any other answers from the next call on. The first policy of a slot is put in the same way. What
    /// runs already, with the same settings, goes on: there would be nothing for a rollback to go back to.
    ///
    /// # Errors
    ///
    /// It failed while it started or took over. What ran before runs on, and the event
    /// [`PolicyRejected`](Event::PolicyRejected) says why.
    pub fn swap(&mut self, now: Micros, new: Prepared) -> Result<(), Failed> {
        let (seat, house) = self.seat(new.slot());
        if seat.has(&new) && seat.answers() {
            return Ok(());
        }
        seat.swap(house, now, new)
    }

    /// Goes back to the policy before the current one, as [`swap`](Self::swap) goes forward. False when there
    /// is none.
    ///
    /// # Errors
    ///
    /// As of [`swap`](Self::swap).
    pub fn rollback(&mut self, now: Micros, slot: Slot) -> Result<bool, Failed> {
        let (seat, house) = self.seat(slot);
        seat.rollback(house, now)
    }

    /// News of the directory: swaps what is ready and does not run already, and says what was not taken or is
    /// gone.
    pub fn deliver(&mut self, now: Micros, delivery: Delivery) {
        match delivery {
            Delivery::Ready(new) if self.seat(new.slot()).0.has(&new) => {
                // It may have been overwritten by a bad one and come back.
                if let Some(file) = new.file() {
                    self.house.accept(&file);
                }
            }
            // When it fails here, the event says so.
            Delivery::Ready(new) => drop(self.swap(now, new)),
            Delivery::Rejected { slot, file, words } => self.house.reject(slot, Some(file), words),
            Delivery::Removed { file } => self.removed(&file),
        }
    }

    /// For each slot that runs the file, the event says that it runs on.
    fn removed(&mut self, file: &Path) {
        self.house.accept(file);
        for seat in &self.seats {
            if let Some(policy) = seat.runs(file) {
                let (slot, name) = (seat.slot, policy.version().name);
                self.house.events.push(Event::PolicyKept { slot, name, file: file.to_owned() });
            }
        }
    }

    /// Does what is due: takes states, ends rests. Called before each step, and when [`due`](Self::due) says.
    pub fn tick(&mut self, now: Micros) {
        for seat in &mut self.seats {
            seat.tick(&mut self.house, now);
        }
    }

    /// When to call [`tick`](Self::tick) next, if nothing else happens.
    #[must_use]
    pub fn due(&self) -> Option<Micros> {
        self.seats.iter().filter_map(Seat::due).min()
    }

    /// What has happened since the last time, oldest first.
    pub fn events(&mut self) -> VecDeque<Event> {
        self.house.events.take()
    }

    /// Events that were dropped because nobody took them.
    #[must_use]
    pub fn events_dropped(&self) -> u64 {
        self.house.events.dropped()
    }

    /// How each slot stands.
    #[must_use]
    pub fn list(&self) -> Vec<Row> {
        self.seats.iter().map(Seat::row).collect()
    }

    /// Files that were not taken, with the words why; each until it is taken or gone.
    #[must_use]
    pub fn rejected(&self) -> &BTreeMap<PathBuf, String> {
        self.house.rejected()
    }

    /// What the calls of each slot cost.
    pub fn meters(&self) -> impl Iterator<Item = (Slot, &Meter)> {
        self.seats.iter().map(|seat| (seat.slot, &seat.meter))
    }

    fn seat(&mut self, slot: Slot) -> (&mut Seat, &mut House) {
        // In the order of `Slot::ALL`, which is the order of the enum.
        (&mut self.seats[slot as usize], &mut self.house)
    }
}
