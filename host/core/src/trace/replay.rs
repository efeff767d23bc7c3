//! Makes the calls of a trace again.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::io::BufRead;

use weir_sdk::{classify, fanout, lifecycle, limit, priority, retry, route, schedule};

use super::answer::{Answer, Bits};
use super::{Call, Entry, digest};
use crate::core::Core;
use crate::ids::{CellId, GroupId};
use crate::output::Output;
use crate::policies::{Fault, Feed, Policies, Slot};
use crate::units::Micros;

/// Where a replay and its trace part.
#[derive(Debug, thiserror::Error)]
pub enum Divergence {
    /// A line is no entry.
    #[error("line {line} is no entry of a trace: {source}")]
    Line {
        /// From 1.
        line: usize,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// A line could not be read.
    #[error("line {line} cannot be read: {source}")]
    Read {
        /// From 1.
        line: usize,
        /// Why.
        source: std::io::Error,
    },
    /// An entry stands where it cannot.
    #[error("line {line}: {what}")]
    Shape {
        /// From 1.
        line: usize,
        /// What is wrong.
        what: &'static str,
    },
    /// The recorded configuration is not accepted.
    #[error("the trace's configuration is not accepted: {0}")]
    Config(#[from] crate::topology::ConfigError),
    /// The core asked something else than it did then.
    #[error("the call that ends on line {line} asks {asked} where the trace has {recorded}")]
    Question {
        /// From 1.
        line: usize,
        /// What is asked now.
        asked: &'static str,
        /// What was answered then.
        recorded: &'static str,
    },
    /// The core gave something else than it did then.
    #[error(
        "the call that ends on line {line} gave {outputs} outputs with digest {digest:016x}; \
         the trace has {then} with {digest_then:016x}"
    )]
    Outputs {
        /// From 1.
        line: usize,
        /// How many now.
        outputs: usize,
        /// Their digest.
        digest: u64,
        /// How many then.
        then: usize,
        /// Their digest.
        digest_then: u64,
    },
}

/// What a replay came to.
#[derive(Debug)]
pub struct Replayed {
    /// The core as it stood at the end.
    pub core: Core,
    /// Everything it gave.
    pub outputs: Vec<Output>,
    /// Calls made.
    pub calls: usize,
}

/// Replays a trace to its end.
///
/// # Errors
/// The first line at which the replay and the trace part.
pub fn replay(reader: impl BufRead) -> Result<Replayed, Divergence> {
    let mut run: Option<Replayed> = None;
    let mut policies = Replay::default();
    let mut pending: Option<Call> = None;
    for (place, text) in reader.lines().enumerate() {
        let line = place + 1;
        let text = text.map_err(|source| Divergence::Read { line, source })?;
        let entry =
            serde_json::from_str(&text).map_err(|source| Divergence::Line { line, source })?;
        match (entry, run.as_mut()) {
            (Entry::Config(config), None) => {
                let core = Core::new(*config)?;
                run = Some(Replayed { core, outputs: Vec::new(), calls: 0 });
            }
            (Entry::Call(call), Some(_)) if pending.is_none() => pending = Some(*call),
            (Entry::Answer(answer), Some(_)) if pending.is_some() => policies.answer(answer),
            (Entry::Returned { outputs, digest }, Some(run)) => {
                let call = pending.take();
                let call = call.ok_or(Divergence::Shape { line, what: "returns from no call" })?;
                run.again(line, call, &mut policies, (outputs, digest))?;
            }
            _ => return Err(Divergence::Shape { line, what: "an entry stands out of order" }),
        }
    }
    run.ok_or(Divergence::Shape { line: 1, what: "the trace is empty" })
}

impl Replayed {
    fn again(
        &mut self,
        line: usize,
        call: Call,
        policies: &mut Replay,
        (then, digest_then): (usize, u64),
    ) -> Result<(), Divergence> {
        let before = self.outputs.len();
        call.perform(&mut self.core, policies, &mut self.outputs);
        self.calls += 1;
        if let Some((asked, recorded)) = policies.parted() {
            return Err(Divergence::Question { line, asked, recorded });
        }
        let fresh = self.outputs.get(before..).unwrap_or_default();
        let (outputs, digest) = (fresh.len(), digest(fresh));
        if (outputs, digest) == (then, digest_then) {
            return Ok(());
        }
        Err(Divergence::Outputs { line, outputs, digest, then, digest_then })
    }
}

/// Policies that answer what was recorded. When the core asks something else they say so in
/// [`Replay::parted`] and answer with a fault.
#[derive(Debug, Default)]
pub struct Replay {
    state: RefCell<State>,
}

#[derive(Debug, Default)]
struct State {
    answers: VecDeque<Answer>,
    standbys: BTreeMap<Slot, u64>,
    parted: Option<(&'static str, &'static str)>,
}

impl Replay {
    /// Adds the next recorded answer.
    pub fn answer(&mut self, answer: Answer) {
        self.state.get_mut().answers.push_back(answer);
    }

    /// The first question that differed from the record since the last call: what was asked, and what
    /// the record has (`nothing` on either side when one has more than the other).
    pub fn parted(&mut self) -> Option<(&'static str, &'static str)> {
        let state = self.state.get_mut();
        let left = state.answers.pop_front().map(|answer| ("nothing", answer.question()));
        state.answers.clear();
        state.parted.take().or(left)
    }

    /// The next answer, if it is of the kind asked for.
    fn take<T>(
        &mut self,
        asked: &'static str,
        read: impl FnOnce(Answer) -> Result<Result<T, Fault>, Answer>,
    ) -> Result<T, Fault> {
        let state = self.state.get_mut();
        let recorded = match state.answers.pop_front().map(read) {
            Some(Ok(answer)) => return answer,
            Some(Err(other)) => other.question(),
            None => "nothing",
        };
        state.parted.get_or_insert((asked, recorded));
        Err(Fault::Stale)
    }

    fn told(&mut self) -> Result<(), Fault> {
        self.take("told", |answer| match answer {
            Answer::Told(told) => Ok(told),
            other => Err(other),
        })
    }

    fn limited(&mut self) -> Result<limit::Answer, Fault> {
        self.take("limit", |answer| match answer {
            Answer::Limit(limit) => Ok(limit.map(|bits| bits.limit())),
            other => Err(other),
        })
    }
}

impl Policies for Replay {
    fn place(
        &mut self,
        _now: Micros,
        _arrival: priority::Arrival,
    ) -> Result<priority::Placement, Fault> {
        self.take("place", |answer| match answer {
            Answer::Place(placement) => Ok(placement),
            other => Err(other),
        })
    }

    fn update(
        &mut self,
        _now: Micros,
        _group: GroupId,
        events: &mut Vec<schedule::Event>,
    ) -> Result<(), Fault> {
        events.clear();
        self.told()
    }

    fn pick(
        &mut self,
        _now: Micros,
        _group: GroupId,
        _room: schedule::Room,
    ) -> Result<schedule::Choice, Fault> {
        self.take("pick", |answer| match answer {
            Answer::Pick(choice) => Ok(choice),
            other => Err(other),
        })
    }

    fn open(
        &mut self,
        _now: Micros,
        _cell: limit::Cell,
        _opening: limit::Opening,
    ) -> Result<limit::Answer, Fault> {
        self.limited()
    }

    fn accepted(
        &mut self,
        _now: Micros,
        _cell: limit::Cell,
        _attempt: limit::Attempt,
    ) -> Result<limit::Answer, Fault> {
        self.limited()
    }

    fn ended(
        &mut self,
        _now: Micros,
        _cell: limit::Cell,
        _attempt: limit::Attempt,
        _ending: limit::Ending,
    ) -> Result<limit::Answer, Fault> {
        self.limited()
    }

    fn wake(&mut self, _now: Micros, _cell: limit::Cell) -> Result<limit::Answer, Fault> {
        self.limited()
    }

    fn close(&mut self, _cell: CellId) -> Result<(), Fault> {
        self.told()
    }

    fn classify(
        &mut self,
        _now: Micros,
        _response: &classify::Response,
    ) -> Result<classify::Classification, Fault> {
        self.take("classify", |answer| match answer {
            Answer::Classify(classification) => Ok(classification),
            other => Err(other),
        })
    }

    fn retry(
        &mut self,
        _now: Micros,
        _failure: retry::Failure,
        _untried: &[retry::Untried],
        _draw: u64,
    ) -> Result<retry::Decision, Fault> {
        self.take("retry", |answer| match answer {
            Answer::Retry(decision) => Ok(decision),
            other => Err(other),
        })
    }

    fn order(
        &mut self,
        _now: Micros,
        _request: &route::Request,
        _candidates: &[route::Candidate],
        _draw: u64,
    ) -> Result<Vec<route::Choice>, Fault> {
        self.take("order", |answer| match answer {
            Answer::Order(order) => Ok(order.map(|all| all.iter().map(Bits::choice).collect())),
            other => Err(other),
        })
    }

    fn routed(&mut self, _now: Micros, _outcome: route::Outcome) -> Result<(), Fault> {
        self.told()
    }

    fn fanout(
        &mut self,
        _now: Micros,
        _tree: fanout::Tree,
        _wanted: u32,
        _children: &[fanout::Child],
    ) -> Result<fanout::Plan, Fault> {
        self.take("fanout", |answer| match answer {
            Answer::Fanout(plan) => Ok(plan),
            other => Err(other),
        })
    }

    fn names(&mut self, _entries: &[lifecycle::Named]) {}

    fn forget(&mut self, _ids: &[(u16, u64)]) {}

    fn nonsense(&mut self, _now: Micros, _slot: Slot, _words: &str) {}

    fn standby(&self, slot: Slot) -> Option<u64> {
        let mut state = self.state.borrow_mut();
        if let Some(Answer::Standby(changed, instance)) = state.answers.front().cloned()
            && changed == slot
        {
            state.answers.pop_front();
            match instance {
                Some(instance) => state.standbys.insert(slot, instance),
                None => state.standbys.remove(&slot),
            };
        }
        state.standbys.get(&slot).copied()
    }

    fn feed(&mut self, _now: Micros, _slot: Slot, _feed: Feed) -> Result<(), Fault> {
        self.told()
    }

    fn level(&mut self, _now: Micros, _slot: Slot) -> Result<(), Fault> {
        self.told()
    }
}
