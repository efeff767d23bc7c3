//! A closed loop of one cell and its provider, in virtual time.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use weir_sdk::Micros;
use weir_sdk::codes::{blame, deadline, kind};
use weir_sdk::limit::{Attempt, Ending};
use weir_sdk::native;
use weir_sdk::testing;
use weir_sdk::types::Verdict;

use crate::chance::Chance;
use crate::host::Host;
use crate::log::{Log, Moment};
use crate::provider::{Fate, Provider, REFUSAL};

/// Requests that wait for a slot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Demand {
    /// Always more than there are slots.
    Endless,
    /// So many arrive in a second, one after the other.
    Rate(f64),
    /// None arrive; those in the line stay.
    Nothing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Headers(u64),
    End(u64),
    GiveUp(u64),
    Refused(u64),
    Arrive,
    Wake,
    Opens,
}

struct Flight {
    attempt: Attempt,
    hint: Option<Micros>,
    /// It holds a slot of the provider.
    held: bool,
}

/// The loop. Change the provider and the demand between two calls of [`World::run`].
pub(crate) struct World {
    pub(crate) now: Micros,
    pub(crate) provider: Provider,
    pub(crate) log: Log,
    host: Host,
    chance: Chance,
    demand: Demand,
    waiting: u32,
    flights: HashMap<u64, Flight>,
    heap: BinaryHeap<Reverse<(Micros, u64, Event)>>,
    /// The wake and the opening that are in the heap already.
    planned: [Option<Micros>; 2],
    numbers: u64,
}

impl World {
    pub(crate) fn new(
        seed: u64,
        policy: Box<dyn native::Limit>,
        start: u32,
        provider: Provider,
    ) -> Self {
        Self {
            now: Micros::ZERO,
            provider,
            log: Log::default(),
            host: Host::new(policy, start),
            chance: Chance::new(seed),
            demand: Demand::Nothing,
            waiting: 0,
            flights: HashMap::new(),
            heap: BinaryHeap::new(),
            planned: [None; 2],
            numbers: 0,
        }
    }

    /// The policy's limit.
    pub(crate) fn limit(&self) -> u32 {
        self.host.limit()
    }

    pub(crate) fn demand(&mut self, demand: Demand) {
        self.demand = demand;
        if let Demand::Rate(_) = demand {
            self.next_arrival();
        }
        self.fill();
    }

    /// So many more wait at once.
    pub(crate) fn queue(&mut self, requests: u32) {
        self.waiting += requests;
        self.fill();
    }

    /// Lets so many seconds pass.
    pub(crate) fn run(&mut self, seconds: u64) {
        let end = self.now + Micros::from_secs(seconds);
        while let Some(Reverse((at, _, _))) = self.heap.peek()
            && *at <= end
            && let Some(Reverse((at, _, event))) = self.heap.pop()
        {
            self.now = at;
            self.happens(event);
            self.fill();
        }
        self.now = end;
    }

    fn happens(&mut self, event: Event) {
        match event {
            Event::Headers(id) => self.headers(id),
            Event::End(id) if self.provider.dead => {
                let patience = self.provider.patience;
                let Some(flight) = self.flights.get(&id) else { return };
                let at = (Micros(flight.attempt.sent) + patience).max(self.now);
                self.plan(at, Event::GiveUp(id));
            }
            Event::End(id) => self.ends(id, kind::SUCCESS),
            Event::GiveUp(id) => self.ends(id, kind::TIMEOUT),
            Event::Refused(id) => self.ends(id, kind::CONCURRENCY),
            Event::Arrive => {
                if let Demand::Rate(_) = self.demand {
                    self.waiting += 1;
                    self.next_arrival();
                }
            }
            Event::Wake if self.host.wake().is_some_and(|wake| wake <= self.now) => {
                self.host.woken(self.now, self.line());
            }
            Event::Wake | Event::Opens => {}
        }
    }

    fn headers(&mut self, id: u64) {
        let line = self.line();
        if let Some(flight) = self.flights.get(&id).filter(|_| !self.provider.dead) {
            self.host.accepted(self.now, line, &flight.attempt);
        }
    }

    fn ends(&mut self, id: u64, kind: u16) {
        let Some(flight) = self.flights.remove(&id) else { return };
        if flight.held {
            self.provider.release();
        }
        if kind == kind::CONCURRENCY {
            self.waiting += 1;
        }
        let wait = flight.hint.map(|hint| hint.0);
        let late = kind == kind::TIMEOUT;
        let ending = Ending {
            verdict: Verdict { wait, ..testing::verdict(kind) },
            deadline: if late { deadline::HOST } else { deadline::NONE },
            blame: if kind == kind::SUCCESS { blame::NOBODY } else { blame::PROVIDER },
            latency: self.now.0 - flight.attempt.sent,
            ..testing::ending(kind)
        };
        self.host.ended(self.now, self.line(), &flight.attempt, &ending);
        self.note(if kind == kind::CONCURRENCY { Moment::Refused } else { Moment::Ended });
    }

    /// Starts what fits, and plans when more may fit.
    fn fill(&mut self) {
        while self.line() > 0 && self.host.free(self.now, 0) > 0 {
            self.start();
        }
        let wanted = [self.host.wake(), self.host.opens(self.now)];
        let news = wanted.into_iter().zip(self.planned).zip([Event::Wake, Event::Opens]);
        for ((at, planned), event) in news.collect::<Vec<_>>() {
            if let Some(at) = at.filter(|_| at != planned) {
                self.plan(at.max(self.now + Micros(1)), event);
            }
        }
        self.planned = wanted;
    }

    fn start(&mut self) {
        self.waiting = self.waiting.saturating_sub(1);
        let attempt = self.host.start(self.now, 0);
        let before = self.provider.running;
        let fate = self.provider.take(self.now, &mut self.chance);
        let held = self.provider.running > before;
        self.numbers += 1;
        let id = self.numbers;
        let mut hint = None;
        match fate {
            Fate::Refused { hint: said } => {
                hint = said;
                self.plan(self.now + REFUSAL, Event::Refused(id));
            }
            Fate::Served { headers, end } if end < self.provider.patience => {
                self.plan(self.now + headers, Event::Headers(id));
                self.plan(self.now + end, Event::End(id));
            }
            Fate::Served { .. } | Fate::Silence => {
                self.plan(self.now + self.provider.patience, Event::GiveUp(id));
            }
        }
        self.flights.insert(id, Flight { attempt, hint, held });
        self.note(Moment::Started);
    }

    fn line(&self) -> u32 {
        if self.demand == Demand::Endless { 1_000 } else { self.waiting }
    }

    fn next_arrival(&mut self) {
        if let Demand::Rate(rate) = self.demand {
            let at = self.now + self.chance.exponential(1.0 / rate);
            self.plan(at, Event::Arrive);
        }
    }

    fn plan(&mut self, at: Micros, event: Event) {
        self.numbers += 1;
        self.heap.push(Reverse((at, self.numbers, event)));
    }

    fn note(&mut self, moment: Moment) {
        self.log.add(self.now, moment, self.provider.running, self.host.limit());
    }
}
