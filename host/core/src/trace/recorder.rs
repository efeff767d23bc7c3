//! Writes a trace down.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::Write;

use weir_sdk::{classify, fanout, lifecycle, limit, priority, retry, route, schedule};

use super::answer::{Answer, Bits};
use super::{Call, Entry, Given, digest};
use crate::config::Config;
use crate::core::Core;
use crate::ids::{CellId, GroupId};
use crate::output::Output;
use crate::policies::{Fault, Feed, Policies, Slot};
use crate::units::Micros;

/// Where entries go. It cannot refuse one: a sink that fails remembers that and says so at its end.
pub trait Sink {
    /// Takes an entry.
    fn entry(&mut self, entry: &Entry);
}

/// One JSON object a line.
#[derive(Debug)]
pub struct Lines<W> {
    writer: W,
    failed: Option<std::io::Error>,
}

impl<W: Write> Lines<W> {
    /// Writes to `writer`, which should be buffered.
    pub const fn new(writer: W) -> Self {
        Self { writer, failed: None }
    }

    /// Ends the trace.
    ///
    /// # Errors
    /// The first write that failed; the trace is cut off there.
    pub fn finish(mut self) -> std::io::Result<W> {
        match self.failed {
            Some(error) => Err(error),
            None => self.writer.flush().map(|()| self.writer),
        }
    }
}

impl<W: Write> Sink for Lines<W> {
    fn entry(&mut self, entry: &Entry) {
        if self.failed.is_none() {
            let line = serde_json::to_writer(&mut self.writer, entry).map_err(Into::into);
            self.failed = line.and_then(|()| self.writer.write_all(b"\n")).err();
        }
    }
}

/// Stands before the policies and writes down what they answer.
pub struct Recorder<'a> {
    policies: &'a mut dyn Policies,
    sink: RefCell<&'a mut dyn Sink>,
    standbys: &'a RefCell<Standbys>,
}

/// Which standby instances the trace says there are. Lives as long as the trace.
#[derive(Debug, Default)]
pub struct Standbys(BTreeMap<Slot, u64>);

impl std::fmt::Debug for Recorder<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recorder").finish_non_exhaustive()
    }
}

impl<'a> Recorder<'a> {
    /// Records into `sink`. `standbys` starts empty with the trace and is kept through it.
    pub fn new(
        policies: &'a mut dyn Policies,
        sink: &'a mut dyn Sink,
        standbys: &'a RefCell<Standbys>,
    ) -> Self {
        Self { policies, sink: RefCell::new(sink), standbys }
    }

    /// Begins a trace: what the core was made from.
    pub fn begin(&self, config: &Config) {
        self.write(Entry::Config(Box::new(config.clone())));
    }

    /// Makes a call of the core and writes it down with all that it asked and gave.
    pub fn perform(&mut self, core: &mut Core, call: Call, out: &mut Vec<Output>) -> Given {
        self.write(Entry::Call(Box::new(call.clone())));
        let before = out.len();
        let given = call.perform(core, self, out);
        let fresh = out.get(before..).unwrap_or_default();
        self.write(Entry::Returned { outputs: fresh.len(), digest: digest(fresh) });
        given
    }

    fn write(&self, entry: Entry) {
        self.sink.borrow_mut().entry(&entry);
    }

    fn told(&self, answer: Result<(), Fault>) -> Result<(), Fault> {
        self.write(Entry::Answer(Answer::Told(answer)));
        answer
    }

    fn limited(&self, answer: Result<limit::Answer, Fault>) -> Result<limit::Answer, Fault> {
        let bits = answer.as_ref().map(Bits::of_limit).map_err(|fault| *fault);
        self.write(Entry::Answer(Answer::Limit(bits)));
        answer
    }
}

impl Policies for Recorder<'_> {
    fn place(
        &mut self,
        now: Micros,
        arrival: priority::Arrival,
    ) -> Result<priority::Placement, Fault> {
        let answer = self.policies.place(now, arrival);
        self.write(Entry::Answer(Answer::Place(answer)));
        answer
    }

    fn update(
        &mut self,
        now: Micros,
        group: GroupId,
        events: &mut Vec<schedule::Event>,
    ) -> Result<(), Fault> {
        let answer = self.policies.update(now, group, events);
        self.told(answer)
    }

    fn pick(
        &mut self,
        now: Micros,
        group: GroupId,
        room: schedule::Room,
    ) -> Result<schedule::Choice, Fault> {
        let answer = self.policies.pick(now, group, room);
        self.write(Entry::Answer(Answer::Pick(answer)));
        answer
    }

    fn open(
        &mut self,
        now: Micros,
        cell: limit::Cell,
        opening: limit::Opening,
    ) -> Result<limit::Answer, Fault> {
        let answer = self.policies.open(now, cell, opening);
        self.limited(answer)
    }

    fn accepted(
        &mut self,
        now: Micros,
        cell: limit::Cell,
        attempt: limit::Attempt,
    ) -> Result<limit::Answer, Fault> {
        let answer = self.policies.accepted(now, cell, attempt);
        self.limited(answer)
    }

    fn ended(
        &mut self,
        now: Micros,
        cell: limit::Cell,
        attempt: limit::Attempt,
        ending: limit::Ending,
    ) -> Result<limit::Answer, Fault> {
        let answer = self.policies.ended(now, cell, attempt, ending);
        self.limited(answer)
    }

    fn wake(&mut self, now: Micros, cell: limit::Cell) -> Result<limit::Answer, Fault> {
        let answer = self.policies.wake(now, cell);
        self.limited(answer)
    }

    fn close(&mut self, cell: CellId) -> Result<(), Fault> {
        let answer = self.policies.close(cell);
        self.told(answer)
    }

    fn classify(
        &mut self,
        now: Micros,
        response: &classify::Response,
    ) -> Result<classify::Classification, Fault> {
        let answer = self.policies.classify(now, response);
        self.write(Entry::Answer(Answer::Classify(answer.clone())));
        answer
    }

    fn retry(
        &mut self,
        now: Micros,
        failure: retry::Failure,
        untried: &[retry::Untried],
        draw: u64,
    ) -> Result<retry::Decision, Fault> {
        let answer = self.policies.retry(now, failure, untried, draw);
        self.write(Entry::Answer(Answer::Retry(answer)));
        answer
    }

    fn order(
        &mut self,
        now: Micros,
        request: &route::Request,
        candidates: &[route::Candidate],
        draw: u64,
    ) -> Result<Vec<route::Choice>, Fault> {
        let answer = self.policies.order(now, request, candidates, draw);
        let bits = answer.as_ref().map(|all| all.iter().map(Bits::of_choice).collect());
        self.write(Entry::Answer(Answer::Order(bits.map_err(|fault| *fault))));
        answer
    }

    fn routed(&mut self, now: Micros, outcome: route::Outcome) -> Result<(), Fault> {
        let answer = self.policies.routed(now, outcome);
        self.told(answer)
    }

    fn fanout(
        &mut self,
        now: Micros,
        tree: fanout::Tree,
        wanted: u32,
        children: &[fanout::Child],
    ) -> Result<fanout::Plan, Fault> {
        let answer = self.policies.fanout(now, tree, wanted, children);
        self.write(Entry::Answer(Answer::Fanout(answer.clone())));
        answer
    }

    fn names(&mut self, entries: &[lifecycle::Named]) {
        self.policies.names(entries);
    }

    fn forget(&mut self, ids: &[(u16, u64)]) {
        self.policies.forget(ids);
    }

    fn nonsense(&mut self, now: Micros, slot: Slot, words: &str) {
        self.policies.nonsense(now, slot, words);
    }

    fn standby(&self, slot: Slot) -> Option<u64> {
        let instance = self.policies.standby(slot);
        let mut known = self.standbys.borrow_mut();
        if known.0.get(&slot).copied() != instance {
            match instance {
                Some(instance) => known.0.insert(slot, instance),
                None => known.0.remove(&slot),
            };
            self.write(Entry::Answer(Answer::Standby(slot, instance)));
        }
        instance
    }

    fn feed(&mut self, now: Micros, slot: Slot, feed: Feed) -> Result<(), Fault> {
        let answer = self.policies.feed(now, slot, feed);
        self.told(answer)
    }

    fn level(&mut self, now: Micros, slot: Slot) -> Result<(), Fault> {
        let answer = self.policies.level(now, slot);
        self.told(answer)
    }
}
