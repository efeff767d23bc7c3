//! What a policy may use in a second, and what follows when it uses more.
//!
//! Past its allowance it gives no answers for the rest of the second. A policy that mirrors the host's state
//! misses changes meanwhile; it is parked until a successor has been fed, and hands its memory over then.

use std::time::Duration;

use weir_core::Fault;
use weir_core::units::Micros;

use super::{House, Rest, Seat, Why};
use crate::event::Event;

/// A tenth of a core.
const SECOND: Duration = Duration::from_millis(100);

impl Seat {
    /// The policy has used so much of this second.
    pub(super) fn spend(&mut self, house: &mut House, now: Micros, used: Duration) {
        if used <= SECOND || self.rest.is_some() {
            return;
        }
        let next = now.0 / Micros::SECOND.0 + 1;
        self.rest = Some(Rest::Allowance(Micros::from_secs(next)));
        let words = format!(
            "its calls took {} ms in one second; {} are allowed",
            used.as_millis(),
            SECOND.as_millis()
        );
        self.report(house, Fault::OverAllowance, words);
    }

    /// Counts what calls of the lifecycle have used.
    pub(super) fn settle(&mut self, house: &mut House, now: Micros) {
        if let Some(active) = &mut self.active {
            let used = self.meter.spend(now, active.pay());
            self.spend(house, now, used);
        }
    }

    /// `Err`: it gives no answer now. Ends a rest whose time has come.
    pub(super) fn wait(&mut self, house: &mut House, now: Micros) -> Result<(), Fault> {
        house.now = house.now.max(now);
        match self.rest {
            None => Ok(()),
            Some(Rest::Parked) => Err(Fault::Stale),
            Some(Rest::Allowance(until)) if now < until => Err(Fault::OverAllowance),
            Some(Rest::Quarantine(until)) if now < until => Err(Fault::Stale),
            Some(_) => {
                self.rest = (self.mirrors() && self.active.is_some()).then_some(Rest::Parked);
                if self.rest.is_some() || self.active.is_none() {
                    self.renew(house, now);
                }
                if self.rest.is_some() { Err(Fault::Stale) } else { Ok(()) }
            }
        }
    }

    /// Says that it gave no answer.
    pub(super) fn report(&mut self, house: &mut House, fault: Fault, words: String) {
        self.meter.faults += 1;
        self.words = Some(words.clone());
        if let Some(current) = &self.current {
            let version = current.version();
            let (slot, name, digest) = (self.slot, version.name, version.digest);
            house.events.push(Event::PolicyFault { slot, name, digest, fault, words });
        }
    }

    /// It has no instance that answers or waits to, and should have.
    pub(super) fn renew(&mut self, house: &mut House, now: Micros) {
        while self.standby.is_none()
            && let Some(current) = self.current.clone()
        {
            match self.begin(house, now, current, Why::Renewal) {
                Ok(()) => return,
                Err(failed) => {
                    // It may fail on what was saved: the next one begins without.
                    self.saved = None;
                    self.report(house, failed.fault(), failed.to_string());
                    if self.strike(house, now) {
                        return;
                    }
                }
            }
        }
    }
}
