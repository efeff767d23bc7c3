//! A slot's place: who answers, who waits to, who answered before.
//!
//! A policy that holds a mirror of the host's state (schedule, limit) cannot answer before it has been told
//! that state. Its new instance waits as a *standby* until the core has fed it and calls [`Seat::level`]; any
//! other takes over at once. Both go through [`takeover`], where the old instance saves, the new one restores
//! if it is of the same name, and the seat flips: between two calls, so that none is lost.
//!
//! A call that fails ends its instance. The seat then makes another of the same policy; the third fault in a
//! minute quarantines the policy and the seat goes back to the last good one, at the bottom the built-in.

mod allowance;
mod failure;
mod house;
mod row;
mod takeover;

pub(crate) use house::House;
pub use row::{Row, State};

use std::collections::VecDeque;

use wasmtime::Store;
use weir_core::units::Micros;
use weir_core::{Fault, Slot};
use weir_sdk::lifecycle::{Named, Origin};

use crate::component::Face;
use crate::instance::{Failed, Instance};
use crate::meter::Meter;
use crate::prepared::Prepared;
use crate::sandbox::Sandbox;

/// How often a policy's state is taken, in case it is lost.
const SAVE_EVERY: Micros = Micros::from_secs(10);

/// A slot's place. See the module's text.
pub(crate) struct Seat {
    pub(crate) slot: Slot,
    /// What answers, or will once an instance is ready.
    current: Option<Prepared>,
    /// What answered before, oldest first.
    earlier: Vec<Prepared>,
    active: Option<Instance>,
    standby: Option<Standby>,
    saved: Option<Saved>,
    /// When to take the state again.
    save_at: Micros,
    /// Answers nothing before this.
    rest: Option<Rest>,
    /// When it failed in the last minute.
    faults: VecDeque<Micros>,
    /// The words of the last fault.
    words: Option<String>,
    pub(crate) meter: Meter,
}

/// An instance that waits to be fed.
struct Standby {
    number: u64,
    prepared: Prepared,
    instance: Instance,
    why: Why,
}

/// Why there is a new instance.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Why {
    /// Another policy, or another version.
    Swap,
    /// The one before the current.
    Rollback,
    /// The same policy again.
    Renewal,
}

/// A policy's memory.
struct Saved {
    origin: Origin,
    state: Vec<u8>,
}

/// Why a seat with a policy gives no answer.
#[derive(Clone, Copy)]
enum Rest {
    /// It has used up its second.
    Allowance(Micros),
    /// It has failed too often and there is no other.
    Quarantine(Micros),
    /// It missed something and waits for its successor, to which it hands its state.
    Parked,
}

impl Seat {
    pub(crate) fn new(slot: Slot) -> Self {
        Self {
            slot,
            current: None,
            earlier: Vec::new(),
            active: None,
            standby: None,
            saved: None,
            save_at: Micros::ZERO,
            rest: None,
            faults: VecDeque::new(),
            words: None,
            meter: Meter::default(),
        }
    }

    /// The policy mirrors the host's state.
    fn mirrors(&self) -> bool {
        matches!(self.slot, Slot::Schedule | Slot::Limit)
    }

    /// Asks the policy.
    pub(crate) fn ask<R>(
        &mut self,
        house: &mut House,
        now: Micros,
        call: impl FnOnce(&Face, &mut Store<Sandbox>) -> wasmtime::Result<R>,
    ) -> Result<R, Fault> {
        self.wait(house, now)?;
        let active = self.active.as_mut().ok_or(Fault::Stale)?;
        let answer = active.call(now, call);
        self.meter.record(active.took);
        let used = self.meter.spend(now, active.pay());
        match answer {
            Ok(answer) => {
                self.spend(house, now, used);
                Ok(answer)
            }
            Err(failed) => Err(self.fail(house, now, &failed)),
        }
    }

    /// Tells the names of ids that the slot's calls use.
    pub(crate) fn names(&mut self, house: &mut House, entries: &[Named]) {
        let heard = self.hears(entries, |entry| entry.kind);
        if !heard.is_empty() {
            let now = house.now;
            self.tell(house, |instance| instance.names(&heard, now));
        }
    }

    /// Retires ids that the slot's calls have used.
    pub(crate) fn forget(&mut self, house: &mut House, ids: &[(u16, u64)]) {
        let heard = self.hears(ids, |(kind, _)| *kind);
        if !heard.is_empty() {
            let now = house.now;
            self.tell(house, |instance| instance.forget(&heard, now));
        }
    }

    /// Those whose kind of id occurs in the calls of the slot's interface.
    fn hears<T: Clone>(&self, all: &[T], kind: impl Fn(&T) -> u16) -> Vec<T> {
        let kinds = house::heard(self.slot);
        all.iter().filter(|one| kinds.contains(&kind(one))).cloned().collect()
    }

    /// Calls a function of the lifecycle of the active and the waiting instance.
    fn tell(
        &mut self,
        house: &mut House,
        mut call: impl FnMut(&mut Instance) -> Result<(), Failed>,
    ) {
        let now = house.now;
        // The waiting one first: if the other fails, its successor is told all when it is made.
        if let Some(standby) = &mut self.standby
            && let Err(failed) = call(&mut standby.instance)
        {
            self.dismiss(house, now, &failed);
        }
        if let Some(active) = &mut self.active {
            match call(active) {
                Ok(()) => self.settle(house, now),
                Err(failed) => {
                    self.fail(house, now, &failed);
                }
            }
        }
    }

    pub(crate) fn standby(&self) -> Option<u64> {
        self.standby.as_ref().map(|standby| standby.number)
    }

    /// Tells the standby instance a slice of the truth.
    pub(crate) fn feed(
        &mut self,
        house: &mut House,
        now: Micros,
        call: impl FnOnce(&Face, &mut Store<Sandbox>) -> wasmtime::Result<()>,
    ) -> Result<(), Fault> {
        let standby = self.standby.as_mut().ok_or(Fault::Stale)?;
        let told = standby.instance.call(now, call);
        told.map_err(|failed| self.dismiss(house, now, &failed))
    }

    /// What is due: the end of a rest, the state that is taken now and then.
    pub(crate) fn tick(&mut self, house: &mut House, now: Micros) {
        if self.wait(house, now).is_err() || now < self.save_at {
            return;
        }
        self.save_at = now.plus(SAVE_EVERY);
        match self.save(now) {
            Ok(()) => self.settle(house, now),
            Err(failed) => {
                self.fail(house, now, &failed);
            }
        }
    }

    /// When `tick` has something to do.
    pub(crate) fn due(&self) -> Option<Micros> {
        match self.rest {
            Some(Rest::Allowance(until) | Rest::Quarantine(until)) => Some(until),
            Some(Rest::Parked) => None,
            None => self.active.as_ref().map(|_| self.save_at),
        }
    }
}
