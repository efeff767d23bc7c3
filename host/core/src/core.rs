//! The step: inputs in, decisions out.
//!
//! A request is in exactly one place at any time ([`crate::item::Place`]): offered to the schedule policy,
//! held at the head of its lane, resting until a time, or in flight. It leaves once, by a refusal
//! or by an end after which nothing follows.
//!
//! [`Core::apply`] takes one thing that happened and moves items between places; it admits nothing.
//! [`Core::decide`] then does all that a change makes possible, in this order: what is due, parents that
//! resume, held heads in the order of holding, and picks, lane by lane, each group's first lane in turn. A
//! policy's answer only ever chooses among items and candidates that the core already has; what it answers
//! wrong is replaced by the fallback's answer, so that no answer can lose, double or hurry a request.

mod admit;
mod again;
mod arrive;
mod configure;
mod due;
mod end;
mod fanout;
mod feed;
mod flow;
mod held;
mod learn;
mod leave;
mod nest;
mod numbers;
mod parent;
mod pick;
mod route;
mod soft;
mod sound;
mod view;

use std::collections::{BTreeMap, BTreeSet};

use crate::attempt::Attempts;
use crate::caches::Caches;
use crate::config::Config;
use crate::draw::draw;
use crate::estimate::Estimator;
use crate::group::{Group, Lane};
use crate::hold::Holds;
use crate::ids::{CandidateId, FlowId, GroupId, ItemId, LaneId};
use crate::input::Input;
use crate::ledger::Ledger;
use crate::line::Line;
use crate::names::Names;
use crate::output::Output;
use crate::policies::{Policies, Slot};
use crate::stats::Stats;
use crate::timers::Timers;
use crate::topology::{Candidate, ConfigError, Topology};
use crate::units::Micros;

pub use view::{Counters, LaneView, TenantView, UpstreamView, View};

use feed::Feeding;
use nest::Nest;
use numbers::Numbers;
use parent::Parents;

/// Proposals that one step looks at.
const MAX_PROPOSALS: u32 = 16;

/// The scheduler. See the module's text.
#[derive(Debug)]
pub struct Core {
    config: Config,
    topology: Topology,
    ledger: Ledger,
    estimator: Estimator,
    now: Micros,
    line: Line,
    lanes: Vec<Lane>,
    groups: BTreeMap<GroupId, Group>,
    holds: Holds,
    timers: Timers,
    attempts: Attempts,
    nest: Nest,
    anew: soft::Anew,
    parents: Parents,
    kept: leave::Kept,
    /// What policies call lanes and candidates.
    lane_numbers: Numbers,
    candidate_numbers: Numbers,
    tenant_flows: Vec<FlowId>,
    sessions: Names,
    tasks: Names,
    stats: Stats,
    caches: Caches,
    /// Calls that took a draw, by slot.
    draws: BTreeMap<Slot, u64>,
    counters: Counters,
    feeding: BTreeMap<Slot, Feeding>,
    /// What the last instance that was fed knew, until that is let go.
    known: BTreeSet<ItemId>,
    opened: bool,
    /// Groups of earlier configurations.
    group_base: u32,
    /// Work is left over for the next step.
    more: bool,
    /// When the next free slot is expected, smoothed: what an arrival is told of its wait.
    pace: Pace,
}

/// How fast the line moves.
#[derive(Debug, Default)]
struct Pace {
    last: Micros,
    gap: f64,
}

/// What a step works with.
pub(crate) struct Io<'a> {
    pub(crate) now: Micros,
    pub(crate) policies: &'a mut dyn Policies,
    pub(crate) out: &'a mut Vec<Output>,
}

impl Core {
    /// A core with nothing in it.
    ///
    /// # Errors
    /// The configuration contradicts itself; the error says what and where.
    pub fn new(config: Config) -> Result<Self, ConfigError> {
        let topology = Topology::new(&config)?;
        let tenants = config.tenants.len() as u64;
        let mut core = Self {
            ledger: Ledger::new(Micros::ZERO, &config),
            estimator: Estimator::new(&config),
            now: Micros::ZERO,
            line: Line::default(),
            lanes: Vec::new(),
            groups: BTreeMap::new(),
            holds: Holds::default(),
            timers: Timers::default(),
            attempts: Attempts::default(),
            nest: Nest::default(),
            anew: soft::Anew::default(),
            parents: Parents::default(),
            kept: leave::Kept::default(),
            lane_numbers: Numbers::new(config.lanes.len()),
            candidate_numbers: Numbers::new(topology.candidates.len()),
            tenant_flows: (1..=tenants).map(FlowId).collect(),
            sessions: Names::new(tenants + 1, config.line.max_sessions),
            tasks: Names::new(1, config.line.max_sessions),
            stats: Stats::default(),
            caches: Caches::default(),
            draws: BTreeMap::new(),
            counters: Counters::default(),
            feeding: BTreeMap::new(),
            known: BTreeSet::new(),
            opened: false,
            group_base: 0,
            more: false,
            pace: Pace::default(),
            topology,
            config,
        };
        core.build_lanes();
        Ok(core)
    }

    /// Applies one input and does all that it makes possible. Outputs are appended.
    pub fn step(
        &mut self,
        now: Micros,
        input: Input,
        policies: &mut dyn Policies,
        out: &mut Vec<Output>,
    ) {
        self.apply(now, input, policies, out);
        self.decide(now, policies, out);
    }

    /// Applies one input; admits nothing. A driver that has several calls [`Self::decide`] once after them.
    pub fn apply(
        &mut self,
        now: Micros,
        input: Input,
        policies: &mut dyn Policies,
        out: &mut Vec<Output>,
    ) {
        let io = &mut Io { now: self.advance(now), policies, out };
        self.open_cells(io);
        match input {
            Input::Arrive(arrival) => self.arrive(io, &arrival),
            Input::Accepted { attempt, facts, network } => {
                self.accepted(io, attempt, &facts, network);
            }
            Input::Grow { attempt, output } => self.grow(io, attempt, output),
            Input::Ended { attempt, end } => self.ended(io, attempt, &end),
            Input::Cancel { item } => self.cancel(io, item),
            Input::Timer => {}
            Input::Configure(config) => self.configure(io, config),
            Input::Yield { attempt } => self.park(io, attempt),
            Input::Resume { item } => self.resume(io, item),
            Input::Reopen { upstream } => self.reopen(io, &upstream),
        }
    }

    /// Does what is due and what has become possible: at most sixteen proposals. When more is left,
    /// [`Self::next_wake`] is now.
    pub fn decide(&mut self, now: Micros, policies: &mut dyn Policies, out: &mut Vec<Output>) {
        let io = &mut Io { now: self.advance(now), policies, out };
        self.open_cells(io);
        self.fire(io);
        self.expire(io);
        self.more = false;
        self.more |= self.ask_anew(io);
        self.resume_parents(io);
        self.start_held(io);
        self.picks(io);
        self.set_timers(io);
        self.note_lacks(io.now);
    }

    /// When the core must be given [`Input::Timer`] at the latest. `None`: only an input changes anything.
    #[must_use]
    pub fn next_wake(&self) -> Option<Micros> {
        if self.more {
            return Some(self.now);
        }
        let deadline =
            self.lanes.iter().filter_map(|lane| lane.deadlines.first()).map(|d| d.0).min();
        let times = [self.timers.next(), deadline, self.ledger.next_open(self.now)];
        times.into_iter().flatten().min().map(|at| at.max(self.now))
    }

    /// The candidates, by id: ids are places in this list.
    #[must_use]
    pub fn candidates(&self) -> &[Candidate] {
        &self.topology.candidates
    }

    /// The configuration in force.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// What happened since the start, counted.
    #[must_use]
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Time as the core knows it. It never goes back, whatever it is told.
    fn advance(&mut self, now: Micros) -> Micros {
        self.now = self.now.max(now);
        self.now
    }

    /// The next draw of a slot.
    fn draw(&mut self, slot: Slot) -> u64 {
        let calls = self.draws.entry(slot).or_default();
        let number = *calls;
        *calls += 1;
        draw(self.config.seed, slot, number)
    }

    fn lane(&self, id: LaneId) -> Option<&Lane> {
        self.lanes.get(id.0 as usize)
    }

    fn lane_mut(&mut self, id: LaneId) -> Option<&mut Lane> {
        self.lanes.get_mut(id.0 as usize)
    }

    fn lane_ids(&self) -> impl Iterator<Item = LaneId> + use<> {
        (0..self.lanes.len() as u32).map(LaneId)
    }

    /// Lanes and groups of the configuration, empty.
    fn build_lanes(&mut self) {
        let specs = self.config.lanes.iter().zip(&self.topology.group_of);
        self.lanes = specs
            .map(|(spec, group)| {
                Lane::new(spec.name.clone(), self.group_name(*group), spec.candidates.clone())
            })
            .collect();
        self.groups.clear();
        for (place, lane) in self.lanes.iter().enumerate() {
            let group = self.groups.entry(lane.group).or_default();
            group.lanes.push(LaneId(place as u32));
        }
    }

    /// Every lane with this candidate may have room again: its schedule is asked again.
    fn stir(&mut self, upstream: Option<usize>) {
        for lane in &mut self.lanes {
            let touches = |id: &CandidateId| {
                upstream.is_none() || self.topology.candidate(*id).map(|c| c.upstream) == upstream
            };
            if lane.candidates.iter().any(touches) {
                lane.asleep = false;
                lane.stirred = true;
            }
        }
    }

    /// Counts an answer that the fallback gave.
    fn fell_back(&mut self, slot: Slot) {
        *self.counters.fallbacks.entry(slot).or_default() += 1;
    }

    /// The policy's answer makes no sense; the fallback answers.
    fn nonsense(&mut self, io: &mut Io<'_>, slot: Slot, words: &str) {
        io.policies.nonsense(io.now, slot, words);
        self.fell_back(slot);
    }
}
