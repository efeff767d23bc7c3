//! What follows a fault: another instance, and in the end another policy.

use weir_core::Fault;
use weir_core::units::Micros;

use super::{House, Rest, Seat, Why};
use crate::event::Event;
use crate::instance::Failed;
use crate::prepared::Prepared;

/// Faults in a minute that quarantine a policy.
const STRIKES: usize = 3;
const MINUTE: Micros = Micros::from_secs(60);

impl Seat {
    /// The active instance failed: it is dropped, and another one made.
    pub(super) fn fail(&mut self, house: &mut House, now: Micros, failed: &Failed) -> Fault {
        self.active = None;
        self.rest = None;
        self.report(house, failed.fault(), failed.to_string());
        if !self.strike(house, now) {
            self.renew(house, now);
        }
        failed.fault()
    }

    /// An answer was of no use to the core.
    pub(crate) fn nonsense(&mut self, house: &mut House, now: Micros, words: &str) {
        if let Some(active) = &self.active {
            let failed = Failed::Nonsense { error: words.into(), words: active.words() };
            self.fail(house, now, &failed);
        }
    }

    /// The standby instance failed: a new policy is rejected, a renewed one made again.
    pub(super) fn dismiss(&mut self, house: &mut House, now: Micros, failed: &Failed) -> Fault {
        let Some(standby) = self.standby.take() else { return Fault::Stale };
        if standby.why == Why::Renewal {
            self.report(house, failed.fault(), failed.to_string());
            if !self.strike(house, now) {
                self.renew(house, now);
            }
        } else {
            self.reject(house, now, &standby.prepared, failed.to_string());
        }
        failed.fault()
    }

    /// A new policy is not taken. What ran before runs on, or begins again if it had failed meanwhile.
    pub(super) fn reject(&mut self, house: &mut House, now: Micros, new: &Prepared, words: String) {
        house.reject(Some(self.slot), new.file(), words);
        if self.active.is_none() || matches!(self.rest, Some(Rest::Parked)) {
            self.renew(house, now);
        }
    }

    /// Counts a fault. True when it was one too many: the policy has been replaced.
    pub(super) fn strike(&mut self, house: &mut House, now: Micros) -> bool {
        self.faults.push_back(now);
        self.faults.retain(|fault| now.minus(*fault) < MINUTE);
        if self.faults.len() < STRIKES {
            return false;
        }
        self.faults.clear();
        self.quarantine(house, now);
        true
    }

    /// Goes back to the last good policy. What the bad one saved may be what broke it, so it is not handed on.
    fn quarantine(&mut self, house: &mut House, now: Micros) {
        let Some(bad) = self.current.take() else { return };
        self.saved = None;
        self.active = None;
        self.rest = None;
        // Another instance of the bad one may wait to be fed.
        self.standby.take_if(|standby| standby.why == Why::Renewal);
        self.current = self.earlier.pop();
        let to = self.current.as_ref().map(Prepared::version);
        let (slot, version) = (self.slot, bad.version());
        let words = self.words.clone().unwrap_or_default();
        let (name, digest) = (version.name, version.digest);
        house.events.push(Event::PolicyQuarantined { slot, name, digest, to, words });
        if self.current.is_none() {
            self.current = Some(bad);
            self.rest = Some(Rest::Quarantine(now.plus(MINUTE)));
        } else {
            self.words = None;
            self.renew(house, now);
        }
    }
}
