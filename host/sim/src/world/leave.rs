//! Requests leave, and what comes of it.

use weir_core::units::Micros;

use super::World;
use super::queue::{Event, From, Try};
use crate::record::{Fate, Happening, Outcome, What};

/// How long an agent whose request was not served waits at least before its next; or all that refuses would be asked
/// again at once, without end.
const SULK: Micros = Micros::from_millis(100);

impl World<'_> {
    /// A request leaves; it is written down, and whoever waited for it goes on.
    pub(super) fn leave(&mut self, request: u32, outcome: Outcome) {
        let Some(live) = self.live.remove(&request) else { return };
        if let Some(written) = self.record.requests.get_mut(request as usize) {
            written.left = Some(self.now);
            written.outcome = outcome;
            written.waited = self.now.minus(written.arrived).minus(live.busy);
        }
        let demand = live.demand;
        if let Some(session) = live.body.session
            && self.merging.get(&(demand, session)) == Some(&request)
        {
            self.merging.remove(&(demand, session));
        }
        match live.from {
            From::Agent(_) => self.next_of_agent(demand, live.from, outcome),
            From::Parent(parent) => self.child_left(parent, request, outcome, live.spent),
            From::Open | From::Burst | From::Then(_) => {}
        }
        let then = self.sources.get(usize::from(demand)).and_then(|source| source.plan.then);
        if let Some(then) = then.filter(|_| outcome == Outcome::Done) {
            let from = From::Then(request);
            self.queue.at(self.now, Event::Arrive { demand: then as u16, from });
        }
    }

    fn next_of_agent(&mut self, demand: u16, from: From, outcome: Outcome) {
        let Some(source) = self.sources.get_mut(usize::from(demand)) else { return };
        let thinks = source.think();
        let waits = if outcome == Outcome::Done { thinks } else { thinks.max(SULK) };
        self.queue.at(self.now.plus(waits), Event::Arrive { demand, from });
    }

    /// A host dies with all that it has.
    pub(super) fn kill(&mut self, place: usize) {
        let host = place as u16;
        let Some(dead) = self.hosts.get_mut(place).filter(|host| host.alive) else { return };
        dead.alive = false;
        dead.out.clear();
        self.unsettled.retain(|ended, _| ended.host != host);
        self.note(Happening { at: self.now, instance: host, what: What::Killed });
        let tries: Vec<Try> = self.flights.keys().filter(|key| key.host == host).copied().collect();
        for try_ in tries {
            if let Some(flight) = self.flights.remove(&try_) {
                self.release(host, &flight, 0, Fate::Lost, 0);
            }
        }
        let lost = self.live.iter().filter(|(_, live)| live.host == host);
        for request in lost.map(|(request, _)| *request).collect::<Vec<_>>() {
            self.leave(request, Outcome::Lost);
        }
    }
}
