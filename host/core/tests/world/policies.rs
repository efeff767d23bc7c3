//! Policies for tests: an additive limit, and one that misbehaves by a seed.

use weir_core::ids::{CellId, GroupId};
use weir_core::units::Micros;
use weir_core::{Fallback, Fault, Feed, Policies, Slot};
use weir_sdk::codes::{kind, reason};
use weir_sdk::{classify, fanout, lifecycle, limit, priority, retry, route, schedule};

/// On a refusal three quarters, after four successes with somebody waiting one more; an epoch mark.
#[derive(Debug, Default)]
pub(crate) struct Aimd {
    streak: u32,
    mark: u64,
}

impl Aimd {
    fn ended(
        &mut self,
        cell: &limit::Cell,
        attempt: &limit::Attempt,
        verdict: u16,
    ) -> limit::Answer {
        let mut answer = weir_core::fallback::keep(cell);
        answer.mark = self.mark;
        if kind::teaches_slots(verdict) && attempt.mark == self.mark {
            self.mark += 1;
            self.streak = 0;
            answer.limit = (cell.limit * 3 / 4).max(1);
            answer.reason = reason::RATE_LIMITED;
            answer.mark = self.mark;
        } else if kind::is_success(verdict) {
            self.streak += 1;
            if self.streak >= 4 && cell.slot_blocked > 0 {
                self.streak = 0;
                answer.limit = cell.limit + 1;
                answer.reason = reason::RECOVERED;
            }
        }
        answer
    }
}

/// How a misbehaving policy misbehaves: one answer in `one_in` is a fault, absurd, or swallows an item.
#[derive(Debug)]
pub(crate) struct Mischief {
    seed: u64,
    one_in: u64,
}

impl Mischief {
    pub(crate) fn new(seed: u64, one_in: u64) -> Self {
        Self { seed, one_in }
    }

    /// Which mischief now, of three; mostly none.
    fn strike(&mut self) -> Option<u64> {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let draw = self.seed >> 33;
        draw.is_multiple_of(self.one_in).then_some((draw / self.one_in) % 3)
    }
}

/// The fallback's answers, with an additive limit or mischief in their place.
#[derive(Debug, Default)]
pub(crate) struct Staged {
    pub(crate) fallback: Fallback,
    pub(crate) aimd: Option<Aimd>,
    pub(crate) mischief: Option<Mischief>,
    pub(crate) nonsense: Vec<(Slot, String)>,
    pub(crate) standby: Option<u64>,
    /// Everything that the standby instance of the schedule was told.
    pub(crate) told: Vec<schedule::Event>,
    /// A standby instance of the limit.
    pub(crate) limit_standby: Option<u64>,
    /// Cells that it was told, and the limit that each starts with.
    pub(crate) cells: Vec<(limit::Cell, u32)>,
    /// The candidate that is always first, and the patience for it.
    pub(crate) prefers: Option<(u32, Micros)>,
    pub(crate) fed: Fallback,
    /// Waiting items, when the newest is to be offered first.
    pub(crate) newest: Option<Vec<u64>>,
    /// Added to every placement.
    pub(crate) longest_wait: Micros,
    /// Everything that the schedule was told.
    pub(crate) heard: Option<Vec<schedule::Event>>,
}

impl Staged {
    fn strike(&mut self) -> Option<u64> {
        self.mischief.as_mut().and_then(Mischief::strike)
    }

    /// An instance of the schedule that must be fed before it takes over.
    pub(crate) fn renew(&mut self) {
        self.standby = Some(self.standby.unwrap_or(0) + 1);
        self.fed = Fallback::new();
        self.told.clear();
    }

    /// Output tokens of all sessions, as the standby instance of the schedule was told.
    pub(crate) fn told_output(&self) -> i64 {
        let session = |flow: &schedule::Flow| flow.level == weir_sdk::codes::level::SESSION;
        let output = self.told.iter().map(|event| match event {
            schedule::Event::Flow(flow) if session(flow) => flow.served.output as i64,
            schedule::Event::Started(started) => started.charge.output as i64,
            schedule::Event::Charged(charged) => charged.output,
            _ => 0,
        });
        output.sum()
    }
}

impl Policies for Staged {
    fn place(
        &mut self,
        now: Micros,
        arrival: priority::Arrival,
    ) -> Result<priority::Placement, Fault> {
        let mut good = self.fallback.place(now, arrival)?;
        good.longest_wait = self.longest_wait.0;
        match self.strike() {
            Some(0) => Err(Fault::Trap),
            Some(1) => Ok(priority::Placement { weight: 0, ..good }),
            Some(_) => Ok(priority::Placement { longest_wait: 1_000_000, class: 9, ..good }),
            None => Ok(good),
        }
    }

    fn update(
        &mut self,
        now: Micros,
        group: GroupId,
        events: &mut Vec<schedule::Event>,
    ) -> Result<(), Fault> {
        if let Some(heard) = &mut self.heard {
            heard.extend(events.iter().cloned());
        }
        if let Some(newest) = &mut self.newest {
            for event in events.iter() {
                match event {
                    schedule::Event::Item(item) => newest.push(item.id),
                    schedule::Event::Left(left) => newest.retain(|id| *id != left.item),
                    _ => {}
                }
            }
        }
        self.fallback.update(now, group, events)
    }

    fn pick(
        &mut self,
        now: Micros,
        group: GroupId,
        room: schedule::Room,
    ) -> Result<schedule::Choice, Fault> {
        if let Some(newest) = &mut self.newest {
            return Ok(schedule::Choice { item: newest.pop(), wake: 0 });
        }
        match self.strike() {
            Some(0) => Err(Fault::Deadline),
            Some(1) => Ok(schedule::Choice { item: Some(u64::MAX), wake: u64::MAX }),
            // Picks an item and says nothing of it: it is swallowed.
            Some(_) => self
                .fallback
                .pick(now, group, room)
                .map(|_| schedule::Choice { item: None, wake: u64::MAX }),
            None => self.fallback.pick(now, group, room),
        }
    }

    fn open(
        &mut self,
        now: Micros,
        cell: limit::Cell,
        opening: limit::Opening,
    ) -> Result<limit::Answer, Fault> {
        self.fallback.open(now, cell, opening)
    }

    fn accepted(
        &mut self,
        _now: Micros,
        cell: limit::Cell,
        _attempt: limit::Attempt,
    ) -> Result<limit::Answer, Fault> {
        let mut answer = weir_core::fallback::keep(&cell);
        answer.mark = self.aimd.as_ref().map_or(0, |aimd| aimd.mark);
        Ok(answer)
    }

    fn ended(
        &mut self,
        now: Micros,
        cell: limit::Cell,
        attempt: limit::Attempt,
        ending: limit::Ending,
    ) -> Result<limit::Answer, Fault> {
        let strike = self.strike();
        let good = match &mut self.aimd {
            Some(aimd) => aimd.ended(&cell, &attempt, ending.verdict.kind),
            None => weir_core::fallback::keep(&cell),
        };
        match strike {
            Some(0) => Err(Fault::Memory),
            Some(1) => Ok(limit::Answer { request_rate: Some(f64::NAN), ..good }),
            Some(_) => Ok(limit::Answer { closed_until: now.0 + 500_000, ..good }),
            None => Ok(good),
        }
    }

    fn wake(&mut self, now: Micros, cell: limit::Cell) -> Result<limit::Answer, Fault> {
        self.fallback.wake(now, cell)
    }

    fn close(&mut self, cell: CellId) -> Result<(), Fault> {
        self.fallback.close(cell)
    }

    fn classify(
        &mut self,
        now: Micros,
        response: &classify::Response,
    ) -> Result<classify::Classification, Fault> {
        let mut good = self.fallback.classify(now, response)?;
        match self.strike() {
            Some(0) => Err(Fault::Trap),
            Some(1) => {
                good.verdict.kind = kind::SUCCESS;
                Ok(good)
            }
            Some(_) => {
                good.verdict.wait = Some(u64::MAX);
                Ok(good)
            }
            None => Ok(good),
        }
    }

    fn retry(
        &mut self,
        now: Micros,
        failure: retry::Failure,
        untried: &[retry::Untried],
        draw: u64,
    ) -> Result<retry::Decision, Fault> {
        match self.strike() {
            Some(0) => Err(Fault::Trap),
            Some(1) => Ok(retry::Decision { action: 77, after: 0, reason: 0 }),
            Some(_) => Ok(retry::Decision { action: 2, after: u64::MAX, reason: 0 }),
            None => self.fallback.retry(now, failure, untried, draw),
        }
    }

    fn order(
        &mut self,
        now: Micros,
        request: &route::Request,
        candidates: &[route::Candidate],
        draw: u64,
    ) -> Result<Vec<route::Choice>, Fault> {
        let mut good = self.fallback.order(now, request, candidates, draw)?;
        if let Some((first, patience)) = self.prefers {
            good.sort_by_key(|choice| choice.candidate != first);
            good[0].patience = patience.0;
        }
        match self.strike() {
            Some(0) => Ok(Vec::new()),
            Some(1) => {
                good[0].score = f64::NAN;
                Ok(good)
            }
            Some(_) => {
                good[0].patience = 2_000_000;
                Ok(good)
            }
            None => Ok(good),
        }
    }

    fn routed(&mut self, now: Micros, outcome: route::Outcome) -> Result<(), Fault> {
        self.fallback.routed(now, outcome)
    }

    fn fanout(
        &mut self,
        now: Micros,
        tree: fanout::Tree,
        wanted: u32,
        children: &[fanout::Child],
    ) -> Result<fanout::Plan, Fault> {
        let mut good = self.fallback.fanout(now, tree, wanted, children)?;
        if self.strike().is_some() {
            good.start = u32::MAX;
        }
        Ok(good)
    }

    fn names(&mut self, _entries: &[lifecycle::Named]) {}

    fn forget(&mut self, _ids: &[(u16, u64)]) {}

    fn nonsense(&mut self, _now: Micros, slot: Slot, words: &str) {
        self.nonsense.push((slot, words.to_owned()));
    }

    fn standby(&self, slot: Slot) -> Option<u64> {
        match slot {
            Slot::Schedule => self.standby,
            Slot::Limit => self.limit_standby,
            _ => None,
        }
    }

    fn feed(&mut self, now: Micros, _slot: Slot, feed: Feed) -> Result<(), Fault> {
        match feed {
            Feed::Group(group, mut events) => {
                self.told.extend(events.iter().copied());
                self.fed.update(now, group, &mut events)
            }
            Feed::Cell(cell, opening) => {
                self.cells.push((*cell, opening.start));
                Ok(())
            }
        }
    }

    fn level(&mut self, _now: Micros, slot: Slot) -> Result<(), Fault> {
        if slot == Slot::Limit {
            self.limit_standby = None;
            self.aimd = None;
            return Ok(());
        }
        self.fallback = std::mem::take(&mut self.fed);
        self.standby = None;
        Ok(())
    }
}
