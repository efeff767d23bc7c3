//! Hosts that share accounts through leases.
//!
//! A modelled coordinator, after Doorman: one limit policy learns for an account from what all hosts tell, and each host
//! holds a lease of a part of what it answers. A lease is renewed with every report and at each `refresh`,
//! holds for `term`, and lapses by the coordinator's clock: the slots of a host that died are back within one term.
//!
//! Leases of hosts that live never sum to more than what was learned, as long as each can have one slot: a
//! share is max-min fair among what hosts want (what they have in flight and what waits for slots), what
//! nobody wants is dealt out evenly, and nobody is given what another's lease still holds, nor what another has in
//! flight beyond its lease.
//!
//! The learner is no host's: each one that lives keeps it going, so that it outlives any. When it gives no answer the
//! limit stays, which is counted, and its policy's faults are told, as of a policy that a host asks itself.

mod pool;

use std::cell::RefCell;
use std::rc::Rc;

use weir_core::ids::{CellId, GroupId};
use weir_core::units::Micros;
use weir_core::{Fault, Feed, Policies, Slot};
use weir_sdk::lifecycle::Named;
use weir_sdk::{classify, fanout, limit, priority, retry, route, schedule};

use self::pool::Pool;
use super::{Deciding, Mind, Prepared};
use crate::record::What;
use crate::scenario::Instances;

/// What all hosts share. See the module's text.
struct Coordinator {
    plan: Instances,
    learner: Mind,
    /// By upstream: cells open in their order.
    pools: Vec<Pool>,
    /// Answers that the learner owed and did not give, since anybody asked for their number.
    owed: u64,
    /// Policies that it was given to swap to.
    swaps: usize,
}

/// The minds of hosts that share a coordinator.
pub(super) fn share(plan: &Instances, learner: Mind, minds: Vec<Mind>) -> Vec<Mind> {
    let coordinator =
        Coordinator { plan: plan.clone(), learner, pools: Vec::new(), owed: 0, swaps: 0 };
    let shared = Rc::new(RefCell::new(coordinator));
    let leased = minds.into_iter().enumerate().map(|(instance, inner)| {
        let shared = Rc::clone(&shared);
        Box::new(Leased { instance, inner, shared, said: Vec::new(), swaps: 0 }) as Mind
    });
    leased.collect()
}

/// A host whose limits are leases.
struct Leased {
    instance: usize,
    inner: Mind,
    shared: Rc<RefCell<Coordinator>>,
    said: Vec<What>,
    /// Policies for limits that it was given to swap to.
    swaps: usize,
}

/// What a host tells of a cell.
enum Told {
    Accepted(limit::Attempt),
    Ended(limit::Attempt, limit::Ending),
    Nothing,
}

impl Coordinator {
    fn pool(&mut self, cell: u32) -> Option<&mut Pool> {
        self.pools.iter_mut().find(|pool| pool.cell == cell)
    }

    /// A new instance of the learner's policy is told all cells before it answers.
    fn level(&mut self, now: Micros) {
        if self.learner.standby(Slot::Limit).is_none() {
            return;
        }
        for pool in &self.pools {
            let opening = limit::Opening { start: pool.capacity(), ceiling: 0 };
            let cell = Feed::Cell(Box::new(pool.whole(now)), opening);
            // One that fails is gone and has said so; the next is told all in its turn.
            if self.learner.feed(now, Slot::Limit, cell).is_err() {
                return;
            }
        }
        let _: Result<(), Fault> = self.learner.level(now, Slot::Limit);
    }

    /// Every host is given a policy that takes over; the first to be given it hands it on.
    fn swap(&mut self, now: Micros, swaps: usize, policy: &Prepared) {
        if swaps > self.swaps {
            self.swaps = swaps;
            self.learner.swap(now, policy.clone());
        }
    }

    /// What the learner answered last makes no sense to a host.
    fn nonsense(&mut self, now: Micros, words: &str) {
        self.learner.nonsense(now, Slot::Limit, words);
        for pool in &mut self.pools {
            pool.keep(now);
        }
    }

    fn open(
        &mut self,
        now: Micros,
        cell: limit::Cell,
        opening: limit::Opening,
    ) -> Result<(), Fault> {
        self.level(now);
        if self.pool(cell.id).is_some() {
            return Ok(());
        }
        let mut pool = Pool::new(&self.plan, cell, opening.start);
        match self.learner.open(now, pool.whole(now), opening) {
            Ok(answer) => pool.learn(now, answer),
            Err(_) => {
                pool.keep(now);
                self.owed += 1;
            }
        }
        self.pools.push(pool);
        Ok(())
    }

    /// Hears a host, learns, and answers with its lease.
    fn hear(
        &mut self,
        now: Micros,
        instance: usize,
        cell: limit::Cell,
        told: Told,
    ) -> Result<limit::Answer, Fault> {
        self.level(now);
        let Self { learner, pools, owed, .. } = self;
        let pool = pools.iter_mut().find(|pool| pool.cell == cell.id).ok_or(Fault::Stale)?;
        pool.report(now, instance, &cell);
        let whole = pool.whole(now);
        let answer = match told {
            Told::Accepted(attempt) => Some(learner.accepted(now, whole, pool.seen(now, attempt))),
            Told::Ended(attempt, ending) => {
                Some(learner.ended(now, whole, pool.seen(now, attempt), ending))
            }
            Told::Nothing if pool.is_due(now) => Some(learner.wake(now, whole)),
            Told::Nothing => None,
        };
        match answer {
            Some(Ok(answer)) => pool.learn(now, answer),
            Some(Err(_)) => {
                pool.keep(now);
                *owed += 1;
            }
            None => {}
        }
        Ok(pool.lease(now, instance))
    }
}

impl Leased {
    fn hear(&mut self, now: Micros, cell: limit::Cell, told: Told) -> Result<limit::Answer, Fault> {
        self.shared.borrow_mut().hear(now, self.instance, cell, told)
    }
}

impl Deciding for Leased {
    fn policies(&mut self) -> &mut dyn Policies {
        self
    }

    fn tick(&mut self, now: Micros) {
        self.inner.tick(now);
        self.shared.borrow_mut().learner.tick(now);
    }

    fn due(&self) -> Option<Micros> {
        let learner = self.shared.borrow().learner.due();
        self.inner.due().into_iter().chain(learner).min()
    }

    fn feeds(&self) -> bool {
        self.inner.feeds()
    }

    fn swap(&mut self, now: Micros, policy: Prepared) {
        if policy.slot() == Slot::Limit {
            self.swaps += 1;
            self.shared.borrow_mut().swap(now, self.swaps, &policy);
        }
        self.inner.swap(now, policy);
    }

    fn said(&mut self) -> Vec<What> {
        let mut said = std::mem::take(&mut self.said);
        said.extend(self.inner.said());
        said.extend(self.shared.borrow_mut().learner.said());
        said
    }

    fn owed(&mut self) -> u64 {
        std::mem::take(&mut self.shared.borrow_mut().owed)
    }

    fn in_flight(&mut self, now: Micros, upstream: usize, count: u32) {
        if let Some(pool) = self.shared.borrow_mut().pools.get_mut(upstream) {
            pool.in_flight(now, self.instance, count);
        }
    }
}

impl Policies for Leased {
    fn open(
        &mut self,
        now: Micros,
        cell: limit::Cell,
        opening: limit::Opening,
    ) -> Result<limit::Answer, Fault> {
        self.shared.borrow_mut().open(now, cell, opening)?;
        self.hear(now, cell, Told::Nothing)
    }

    fn accepted(
        &mut self,
        now: Micros,
        cell: limit::Cell,
        attempt: limit::Attempt,
    ) -> Result<limit::Answer, Fault> {
        self.hear(now, cell, Told::Accepted(attempt))
    }

    fn ended(
        &mut self,
        now: Micros,
        cell: limit::Cell,
        attempt: limit::Attempt,
        ending: limit::Ending,
    ) -> Result<limit::Answer, Fault> {
        self.hear(now, cell, Told::Ended(attempt, ending))
    }

    fn wake(&mut self, now: Micros, cell: limit::Cell) -> Result<limit::Answer, Fault> {
        let before = cell.limit;
        let answer = self.hear(now, cell, Told::Nothing)?;
        if answer.limit != before {
            let mut shared = self.shared.borrow_mut();
            let until = now.plus(shared.plan.term);
            let upstream = shared.pools.iter_mut().position(|pool| pool.cell == cell.id);
            let upstream = upstream.map_or(u16::MAX, |place| place as u16);
            self.said.push(What::Lease { upstream, slots: answer.limit, until });
        }
        Ok(answer)
    }

    fn close(&mut self, cell: CellId) -> Result<(), Fault> {
        self.inner.close(cell)
    }

    fn place(
        &mut self,
        now: Micros,
        arrival: priority::Arrival,
    ) -> Result<priority::Placement, Fault> {
        self.inner.place(now, arrival)
    }

    fn update(
        &mut self,
        now: Micros,
        group: GroupId,
        events: &mut Vec<schedule::Event>,
    ) -> Result<(), Fault> {
        self.inner.update(now, group, events)
    }

    fn pick(
        &mut self,
        now: Micros,
        group: GroupId,
        room: schedule::Room,
    ) -> Result<schedule::Choice, Fault> {
        self.inner.pick(now, group, room)
    }

    fn classify(
        &mut self,
        now: Micros,
        response: &classify::Response,
    ) -> Result<classify::Classification, Fault> {
        self.inner.classify(now, response)
    }

    fn retry(
        &mut self,
        now: Micros,
        failure: retry::Failure,
        untried: &[retry::Untried],
        draw: u64,
    ) -> Result<retry::Decision, Fault> {
        self.inner.retry(now, failure, untried, draw)
    }

    fn order(
        &mut self,
        now: Micros,
        request: &route::Request,
        candidates: &[route::Candidate],
        draw: u64,
    ) -> Result<Vec<route::Choice>, Fault> {
        self.inner.order(now, request, candidates, draw)
    }

    fn routed(&mut self, now: Micros, outcome: route::Outcome) -> Result<(), Fault> {
        self.inner.routed(now, outcome)
    }

    fn fanout(
        &mut self,
        now: Micros,
        tree: fanout::Tree,
        wanted: u32,
        children: &[fanout::Child],
    ) -> Result<fanout::Plan, Fault> {
        self.inner.fanout(now, tree, wanted, children)
    }

    fn names(&mut self, entries: &[Named]) {
        self.inner.names(entries);
    }

    fn forget(&mut self, ids: &[(u16, u64)]) {
        self.inner.forget(ids);
    }

    fn nonsense(&mut self, now: Micros, slot: Slot, words: &str) {
        if slot == Slot::Limit {
            self.shared.borrow_mut().nonsense(now, words);
        } else {
            self.inner.nonsense(now, slot, words);
        }
    }

    fn standby(&self, slot: Slot) -> Option<u64> {
        self.inner.standby(slot)
    }

    fn feed(&mut self, now: Micros, slot: Slot, feed: Feed) -> Result<(), Fault> {
        self.inner.feed(now, slot, feed)
    }

    fn level(&mut self, now: Micros, slot: Slot) -> Result<(), Fault> {
        self.inner.level(now, slot)
    }
}
