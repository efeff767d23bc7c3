//! The world: events in the order of time around real cores.
//!
//! One loop. Everything that happens at one time is told to the hosts it concerns, then each of them decides once, as a
//! live driver does with a batch of messages, and its outputs are carried out: an admission goes to its provider,
//! which says what comes of it and when. What an output brings about at once (a parent resumes, an agent sends
//! its next request) becomes an event of the same time, so that a host is never told of anything while its
//! outputs are being carried out.
//!
//! What must hold: every admission is followed by exactly one end; every request leaves once; everything is kept in
//! the order of arrival or in ordered maps, so that a seed gives the same bytes everywhere.

mod arrive;
mod attempt;
mod end;
mod host;
mod leave;
mod look;
mod output;
mod queue;
mod source;
#[cfg(test)]
mod tests;
mod tree;

use std::collections::BTreeMap;

use weir_core::Output;
use weir_core::ids::AttemptId;
use weir_core::units::Micros;

use self::attempt::Flight;
use self::host::Host;
use self::queue::{Event, From, Queue, Try};
use self::source::{Body, Source};
use self::tree::Tree;
use crate::Progress;
use crate::decide::{Mind, Prepared};
use crate::provider::Provider;
use crate::record::{Outcome, Record};
use crate::scenario::Plan;

/// Events that one decision follows at most; as many as a live driver takes at once.
const BATCH: usize = 256;
/// Decisions at one time after which nothing comes of more.
const SPINS: u32 = 1_000_000;

/// A run as it stands. See the module's text.
pub(crate) struct World<'a> {
    plan: &'a Plan,
    now: Micros,
    queue: Queue,
    hosts: Vec<Host>,
    /// The host that was dealt a request last.
    dealt: usize,
    providers: Vec<Provider>,
    sources: Vec<Source>,
    /// Requests that have not left, by their place in the record.
    live: BTreeMap<u32, Live>,
    /// Attempts in flight.
    flights: BTreeMap<Try, Flight>,
    /// Rows of attempts that have ended and that their hosts have not settled.
    unsettled: BTreeMap<Try, u32>,
    /// The request of a session that still waits, where newer ones take its place: by demand and session.
    merging: BTreeMap<(u16, u32), u32>,
    swaps: Vec<Vec<Prepared>>,
    record: Record,
    spare: Vec<Output>,
}

/// A request that has not left.
struct Live {
    host: u16,
    demand: u16,
    from: From,
    body: Body,
    /// Its attempt in flight.
    attempt: Option<AttemptId>,
    /// It was never sent.
    fresh: bool,
    /// The time that it spent in attempts.
    busy: Micros,
    /// Tokens that its attempts took.
    spent: u64,
    /// What will have come of it once its attempt has ended.
    leaving: Outcome,
    tree: Option<Box<Tree>>,
}

impl<'a> World<'a> {
    /// A world in which nothing has happened. `minds` has one for each host, `swaps` for each swap one policy for
    /// each host.
    pub(crate) fn new(
        plan: &'a Plan,
        seed: u64,
        minds: Vec<Mind>,
        swaps: Vec<Vec<Prepared>>,
    ) -> Result<Self, weir_core::ConfigError> {
        let hosts = minds.into_iter().map(|mind| Host::new(plan, seed, mind));
        let providers = plan.providers.iter().enumerate();
        Ok(Self {
            plan,
            now: Micros::ZERO,
            queue: Queue::default(),
            hosts: hosts.collect::<Result<_, _>>()?,
            dealt: 0,
            providers: providers.map(|(place, one)| Provider::new(one, place, seed)).collect(),
            sources: look::sources(plan, seed),
            live: BTreeMap::new(),
            flights: BTreeMap::new(),
            unsettled: BTreeMap::new(),
            merging: BTreeMap::new(),
            swaps,
            record: look::blank(plan, seed),
            spare: Vec::new(),
        })
    }

    /// Runs to the end.
    pub(crate) fn run(mut self, progress: &mut dyn FnMut(Progress)) -> Record {
        self.begin();
        let end = self.plan.duration.plus(self.plan.drain);
        let mut spins = 0;
        while let Some(at) = self.next().filter(|at| *at <= end) {
            spins = if at > self.now { 0 } else { spins + 1 };
            self.now = self.now.max(at);
            if self.now >= self.plan.duration && self.is_over() {
                break;
            }
            if spins > SPINS {
                let words = format!("nothing comes of deciding at {}", self.now.0);
                self.record.sums.unsound.push(words);
                break;
            }
            self.step(progress);
        }
        self.now = self.now.max(self.plan.duration);
        self.finish()
    }

    /// What happens at the start of every run.
    fn begin(&mut self) {
        for place in 0..self.hosts.len() {
            self.decide(place);
        }
        for place in 0..self.sources.len() {
            self.begin_source(place);
        }
        for (place, swap) in (0_u32..).zip(&self.plan.swaps) {
            self.queue.at(swap.at, Event::Swap(place));
        }
        let kills = self.plan.instances.iter().flat_map(|instances| &instances.kills);
        for kill in kills {
            self.queue.at(kill.at, Event::Kill(kill.instance));
        }
        self.queue.at(Micros::ZERO, Event::Sample);
    }

    /// When something happens next.
    fn next(&self) -> Option<Micros> {
        let wakes = self.hosts.iter().filter_map(Host::wake);
        self.queue.next().into_iter().chain(wakes).min()
    }

    /// No request is there, and none follows at once on one that has just left.
    fn is_over(&self) -> bool {
        self.live.is_empty() && self.queue.next().is_none_or(|at| at > self.now)
    }

    /// Everything that happens now, as much as fits a batch, and what the hosts make of it.
    fn step(&mut self, progress: &mut dyn FnMut(Progress)) {
        for host in &mut self.hosts {
            host.tick(self.now);
        }
        for _ in 0..BATCH {
            let Some(event) = self.queue.due(self.now) else { break };
            self.happen(event, progress);
        }
        for place in 0..self.hosts.len() {
            self.decide(place);
        }
    }

    fn happen(&mut self, event: Event, progress: &mut dyn FnMut(Progress)) {
        match event {
            Event::Arrive { demand, from } => self.arrive(demand, from),
            Event::Burst { demand, count } => self.burst(demand, count),
            Event::Accepted(try_) => self.accepted(try_),
            Event::Grow(try_) => self.grow(try_),
            Event::Ended(try_) => self.ended(try_),
            Event::Cut(try_) => self.cut(try_),
            Event::Gone { request } => self.gone(request, Outcome::Cancelled),
            Event::Spawn(try_) => self.spawn(try_),
            Event::Children { request } => self.children_changed(request),
            Event::Sample => self.sample(progress),
            Event::Swap(place) => self.swap(place as usize),
            Event::Kill(place) => self.kill(place as usize),
        }
    }

    /// One host decides, if anything is due there, and its outputs are carried out.
    fn decide(&mut self, place: usize) {
        let Some(host) = self.hosts.get_mut(place) else { return };
        if !host.is_due(self.now) {
            return;
        }
        host.decide(self.now);
        std::mem::swap(&mut host.out, &mut self.spare);
        let mut out = std::mem::take(&mut self.spare);
        for output in out.drain(..) {
            self.carry_out(place as u16, output);
        }
        self.spare = out;
        self.hear_policies(place);
    }

    /// A policy takes over.
    fn swap(&mut self, place: usize) {
        let Some(policies) = self.swaps.get_mut(place) else { return };
        for (host, policy) in self.hosts.iter_mut().zip(std::mem::take(policies)) {
            host.swap(self.now, policy);
        }
    }
}
