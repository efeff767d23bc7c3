//! How a new instance comes to answer.

use weir_core::Fault;
use weir_core::units::Micros;
use weir_sdk::lifecycle::Origin;

use super::{House, Saved, Seat, Standby, Why};
use crate::event::Event;
use crate::instance::{Failed, Instance};
use crate::prepared::Prepared;

/// Earlier policies kept for a rollback. The oldest, which is the built-in where there is one, stays.
const EARLIER: usize = 8;

impl Seat {
    /// Another policy for the slot. When it mirrors the host's state it waits to be fed.
    ///
    /// # Errors
    ///
    /// It failed while it started or took over; the event says the same.
    pub(crate) fn swap(
        &mut self,
        house: &mut House,
        now: Micros,
        new: Prepared,
    ) -> Result<(), Failed> {
        self.replace(house, now, new, Why::Swap)
    }

    /// Back to the policy before the current. False when there is none.
    pub(crate) fn rollback(&mut self, house: &mut House, now: Micros) -> Result<bool, Failed> {
        match self.earlier.last().cloned() {
            Some(earlier) => self.replace(house, now, earlier, Why::Rollback).map(|()| true),
            None => Ok(false),
        }
    }

    fn replace(
        &mut self,
        house: &mut House,
        now: Micros,
        new: Prepared,
        why: Why,
    ) -> Result<(), Failed> {
        self.standby = None;
        self.begin(house, now, new.clone(), why).inspect_err(|failed| {
            self.reject(house, now, &new, failed.to_string());
        })
    }

    /// Makes an instance, tells it all names, and lets it wait or take over.
    pub(super) fn begin(
        &mut self,
        house: &mut House,
        now: Micros,
        prepared: Prepared,
        why: Why,
    ) -> Result<(), Failed> {
        let mut instance = prepared.born(now)?.map_err(Failed::Settings)?;
        instance.names(&house.names(self.slot), now)?;
        let number = house.number();
        let standby = Standby { number, prepared, instance, why };
        if self.mirrors() {
            self.standby = Some(standby);
            return Ok(());
        }
        self.take_over(house, now, standby)
    }

    /// The standby instance has been fed: it takes over.
    pub(crate) fn level(&mut self, house: &mut House, now: Micros) -> Result<(), Fault> {
        let standby = self.standby.take().ok_or(Fault::Stale)?;
        let (prepared, why) = (standby.prepared.clone(), standby.why);
        self.take_over(house, now, standby).map_err(|failed| {
            if why == Why::Renewal {
                // It fails on what was saved: the next one begins without.
                self.saved = None;
                self.report(house, failed.fault(), failed.to_string());
                if !self.strike(house, now) {
                    self.renew(house, now);
                }
            } else {
                self.reject(house, now, &prepared, failed.to_string());
            }
            failed.fault()
        })
    }

    /// In one step: the old instance saves, the new one restores, the seat flips.
    fn take_over(
        &mut self,
        house: &mut House,
        now: Micros,
        mut standby: Standby,
    ) -> Result<(), Failed> {
        if let Err(failed) = self.save(now) {
            self.active = None;
            self.report(house, failed.fault(), failed.to_string());
        }
        let restored = self.hand_over(&mut standby.instance, &standby.prepared, now)?;
        // What it cost to feed it is not its own doing.
        standby.instance.pay();
        if let Some(old) = self.active.replace(standby.instance) {
            old.retire();
        }
        self.rest = None;
        self.save_at = now.plus(super::SAVE_EVERY);
        if standby.why != Why::Renewal {
            self.seat(house, standby.prepared, standby.why, restored);
        }
        Ok(())
    }

    /// Whether the new instance took the old one's memory over.
    fn hand_over(
        &self,
        new: &mut Instance,
        prepared: &Prepared,
        now: Micros,
    ) -> Result<bool, Failed> {
        match &self.saved {
            Some(saved) if saved.origin.name == prepared.component().name => {
                new.restore(&saved.state, &saved.origin, now)?.map_err(Failed::Restore)?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// The policy is now this one.
    fn seat(&mut self, house: &mut House, new: Prepared, why: Why, restored: bool) {
        self.faults.clear();
        self.words = None;
        if let Some(file) = new.file() {
            house.accept(&file);
        }
        let (slot, to) = (self.slot, new.version());
        let Some(old) = self.current.replace(new.clone()) else { return };
        let (name, from) = (to.name.clone(), old.version());
        house.events.push(Event::PolicySwapped { slot, name, from, to, restored });
        match why {
            Why::Rollback => drop(self.earlier.pop_if(|earlier| earlier.is(&new))),
            Why::Swap | Why::Renewal => {
                if self.earlier.len() >= EARLIER {
                    self.earlier.remove(1);
                }
                self.earlier.push(old);
            }
        }
    }

    /// Takes the active instance's memory.
    pub(super) fn save(&mut self, now: Micros) -> Result<(), Failed> {
        let (Some(active), Some(current)) = (&mut self.active, &self.current) else {
            return Ok(());
        };
        let state = active.save(now)?;
        let component = current.component();
        let (name, version) = (component.name.clone(), component.version.clone());
        self.saved = Some(Saved { origin: Origin { name, version, saved_at: now.0 }, state });
        Ok(())
    }
}
