//! Requests come.

use weir_core::ids::ItemId;
use weir_core::units::Micros;
use weir_core::{Arrival, Input};

use super::queue::{Event, From};
use super::source::Body;
use super::{Live, World};
use crate::record::{Outcome, Request};

/// A class that was not declared, in the record.
const NO_CLASS: u8 = 255;

impl World<'_> {
    /// A demand's first arrivals.
    pub(super) fn begin_source(&mut self, place: usize) {
        let demand = place as u16;
        let Some(source) = self.sources.get_mut(place) else { return };
        if let Some(at) = source.next_open(Micros::ZERO) {
            self.queue.at(at, Event::Arrive { demand, from: From::Open });
        }
        for agent in 0..source.plan.agents {
            self.queue.at(source.plan.from, Event::Arrive { demand, from: From::Agent(agent) });
        }
        for (at, count) in source.plan.bursts.clone() {
            self.queue.at(at, Event::Burst { demand, count });
        }
    }

    pub(super) fn burst(&mut self, demand: u16, count: u32) {
        for _ in 0..count {
            self.arrive(demand, From::Burst);
        }
    }

    /// A request comes, if one may.
    pub(super) fn arrive(&mut self, demand: u16, from: From) {
        let Some(source) = self.sources.get_mut(usize::from(demand)) else { return };
        let own = matches!(from, From::Open | From::Burst | From::Agent(_));
        if own && !source.sends(self.now) {
            return;
        }
        if from == From::Open
            && let Some(at) = source.next_open(self.now)
        {
            self.queue.at(at, Event::Arrive { demand, from });
        }
        let mut body = source.body();
        if let (From::Agent(agent), Some(_)) = (from, body.session) {
            body.session = Some(agent % source.plan.sessions.max(1));
        }
        let Some(host) = self.host_for(from) else { return };
        let row = self.enter(host, demand, from, body);
        self.merge(demand, body.session, row);
        let arrival = self.arrival(row, demand, from, &body);
        if let Some(host) = self.hosts.get_mut(usize::from(host)) {
            host.tell(self.now, Input::Arrive(arrival));
        }
    }

    /// The host that takes a request: a parent's own for its children, else those that live in turn.
    fn host_for(&mut self, from: From) -> Option<u16> {
        if let From::Parent(parent) = from {
            return self.live.get(&parent).map(|parent| parent.host);
        }
        for _ in 0..self.hosts.len() {
            self.dealt = (self.dealt + 1) % self.hosts.len();
            if self.hosts[self.dealt].alive {
                return Some(self.dealt as u16);
            }
        }
        None
    }

    /// Writes a request down.
    fn enter(&mut self, host: u16, demand: u16, from: From, body: Body) -> u32 {
        let row = self.record.requests.len() as u32;
        let plan = &self.sources[usize::from(demand)].plan;
        let parent = match from {
            From::Parent(parent) => Some(parent),
            _ => None,
        };
        let above = parent.and_then(|parent| self.record.requests.get(parent as usize));
        self.record.requests.push(Request {
            demand,
            tenant: plan.tenant.0 as u16,
            instance: host,
            class: plan.class.unwrap_or(NO_CLASS),
            depth: above.map_or(0, |above| above.depth.saturating_add(1)),
            parent,
            arrived: self.now,
            first_sent: None,
            left: None,
            outcome: Outcome::Open,
            attempts: 0,
            waited: Micros::ZERO,
        });
        self.record.sums.arrived += 1;
        if let Some(patience) = body.patience {
            self.queue.at(self.now.plus(patience), Event::Gone { request: row });
        }
        let live = Live {
            host,
            demand,
            from,
            body,
            attempt: None,
            fresh: true,
            busy: Micros::ZERO,
            spent: 0,
            leaving: Outcome::Done,
            tree: None,
        };
        self.live.insert(row, live);
        row
    }

    /// A newer request takes the place of one of its session that was never sent.
    fn merge(&mut self, demand: u16, session: Option<u32>, row: u32) {
        let merges = self.sources[usize::from(demand)].plan.merge;
        let Some(session) = session.filter(|_| merges) else { return };
        if let Some(older) = self.merging.insert((demand, session), row)
            && self.live.get(&older).is_some_and(|older| older.fresh)
        {
            self.gone(older, Outcome::Merged);
        }
    }

    fn arrival(&self, row: u32, demand: u16, from: From, body: &Body) -> Arrival {
        let source = &self.sources[usize::from(demand)];
        let session = body.session.and_then(|session| source.names.get(session as usize));
        let arrival = Arrival {
            item: item(row),
            tenant: source.plan.tenant,
            session: session.cloned().unwrap_or_default(),
            task: String::new(),
            parent: match from {
                From::Parent(parent) => Some(item(parent)),
                _ => None,
            },
            lane: source.plan.lane,
            class: source.plan.class,
            deadline: source.plan.deadline.map(|span| self.now.plus(span)),
            prompt_bytes: body.prompt_bytes,
            body_bytes: body.prompt_bytes.saturating_add(100),
            max_output: body.max_output,
            prefix: Vec::new(),
            idempotent: source.plan.idempotent,
        };
        match source.recorded(body) {
            Some(one) => Arrival {
                session: named(one.session),
                deadline: one.deadline.map(|span| self.now.plus(span)),
                body_bytes: one.body_bytes,
                prefix: one.prefix.clone(),
                idempotent: one.idempotent,
                ..arrival
            },
            None => arrival,
        }
    }
}

/// A name for a session that a journal has as a number; 0 is none.
fn named(session: u64) -> String {
    if session == 0 { String::new() } else { format!("{session:016x}") }
}

/// The core's name of a request.
pub(super) const fn item(row: u32) -> ItemId {
    ItemId(row as u64 + 1)
}

/// The request of the core's name.
pub(super) const fn row(item: ItemId) -> u32 {
    (item.0 - 1) as u32
}
