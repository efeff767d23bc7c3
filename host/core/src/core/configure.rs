//! From one configuration to the next, with requests waiting and in flight.
//!
//! Upstreams, models, tenants and lanes are matched by name. Cells that stay keep their state (the ledger
//! sees to that); waiting requests of a lane or tenant that is gone are refused; attempts in flight end as
//! they would have. When lanes and candidates stay as they are, schedules notice nothing but new weights;
//! otherwise every group is a new one, and what waits is offered to it anew.

use std::collections::BTreeMap;

use weir_sdk::codes::{left, names};

use super::nest::Nest;
use super::{Core, Io};
use crate::config::Config;
use crate::ids::{CandidateId, FlowId, GroupId, ItemId, LaneId, TenantId};
use crate::item::Place;
use crate::output::Refusal;
use crate::topology::{ConfigError, Topology};

/// What stays, by place before and after.
struct Moves {
    candidates: BTreeMap<CandidateId, CandidateId>,
    lanes: BTreeMap<LaneId, LaneId>,
    tenants: BTreeMap<TenantId, TenantId>,
}

/// A place that no configuration has.
const NOWHERE: u32 = u32::MAX;

impl Moves {
    fn candidate(&self, id: CandidateId) -> CandidateId {
        self.candidates.get(&id).copied().unwrap_or(CandidateId(NOWHERE))
    }

    fn lane(&self, id: LaneId) -> LaneId {
        self.lanes.get(&id).copied().unwrap_or(LaneId(NOWHERE))
    }

    fn tenant(&self, id: TenantId) -> TenantId {
        self.tenants.get(&id).copied().unwrap_or(TenantId(NOWHERE))
    }
}

impl Core {
    /// Whether a configuration can be used: what [`Core::new`] would say. The core ignores an
    /// [`crate::Input::Configure`] that cannot.
    ///
    /// # Errors
    /// It contradicts itself; the error says what and where.
    pub fn check(config: &Config) -> Result<(), ConfigError> {
        Topology::new(config).map(|_| ())
    }

    pub(super) fn configure(&mut self, io: &mut Io<'_>, config: Config) {
        let Ok(topology) = Topology::new(&config) else { return };
        let moves = self.moves(&config, &topology);
        let same = self.topology.candidates == topology.candidates
            && self.config.lanes == config.lanes
            && self
                .config
                .tenants
                .iter()
                .map(|t| &t.name)
                .eq(config.tenants.iter().map(|t| &t.name));
        let changes = self.ledger.configure(io.now, &config);
        self.estimator.configure(&config);
        self.sessions.set_max_idle(config.line.max_sessions);
        self.tasks.set_max_idle(config.line.max_sessions);
        if same {
            self.config = config;
            self.reweigh();
        } else {
            self.rebuild(io, config, topology, &moves);
        }
        for cell in changes.retired {
            // A policy that faults here forgets the cell when it is renewed.
            let _: Result<(), crate::Fault> = io.policies.close(cell);
            io.policies.forget(&[(names::CELL, u64::from(cell.0))]);
        }
        self.tell_names(io);
        for cell in changes.opened {
            if self.ledger.view(io.now, cell).is_some() {
                self.open_cell(io, cell);
            }
        }
        self.drifts(io);
        self.stir(None);
    }

    fn moves(&self, config: &Config, topology: &Topology) -> Moves {
        let new = topology.candidates.iter().enumerate();
        let by_name: BTreeMap<_, _> = new
            .map(|(place, c)| ((&c.upstream_name, &c.model_name), CandidateId(place as u32)))
            .collect();
        let old = self.topology.candidates.iter().enumerate();
        let candidates = old
            .filter_map(|(place, c)| {
                let new = by_name.get(&(&c.upstream_name, &c.model_name))?;
                Some((CandidateId(place as u32), *new))
            })
            .collect();
        let lanes = places(
            self.config.lanes.iter().map(|lane| &lane.name),
            config.lanes.iter().map(|lane| &lane.name),
        );
        let tenants = places(
            self.config.tenants.iter().map(|tenant| &tenant.name),
            config.tenants.iter().map(|tenant| &tenant.name),
        );
        Moves {
            candidates,
            lanes: lanes.map(|(a, b)| (LaneId(a), LaneId(b))).collect(),
            tenants: tenants.map(|(a, b)| (TenantId(a), TenantId(b))).collect(),
        }
    }

    /// Tells every schedule the tenants' new weights.
    fn reweigh(&mut self) {
        for (flow, tenant) in self.tenant_flows.iter().zip(&self.config.tenants) {
            for group in self.groups.values_mut().filter(|group| group.knows(*flow)) {
                group.know(*flow, FlowId(0), weir_sdk::codes::level::TENANT, tenant.weight);
            }
        }
    }

    fn rebuild(&mut self, io: &mut Io<'_>, config: Config, topology: Topology, moves: &Moves) {
        let waiting = self.empty_lanes();
        for group in self.groups.values_mut() {
            group.end();
        }
        for group in self.groups.keys().copied().collect::<Vec<_>>() {
            self.hand_over(io, group);
        }
        self.group_base += self.lanes.len() as u32;
        self.config = config;
        self.topology = topology;
        self.move_tenants(moves);
        self.renumber(io, moves);
        self.stats.renumber(&moves.candidates);
        self.caches.renumber(&moves.candidates);
        self.line.remap(|item| {
            item.lane = moves.lane(item.lane);
            item.tenant = moves.tenant(item.tenant);
            item.last = item.last.map(|id| moves.candidate(id));
            item.tries.iter_mut().for_each(|t| t.candidate = moves.candidate(t.candidate));
        });
        self.attempts.remap(|attempt| {
            attempt.lane = moves.lane(attempt.lane);
            attempt.candidate = moves.candidate(attempt.candidate);
        });
        self.build_lanes();
        self.feeding.clear();
        self.renest();
        for id in waiting {
            self.settle_in(io, id);
        }
    }

    /// Takes every waiting item out of its lane; schedules are told.
    fn empty_lanes(&mut self) -> Vec<ItemId> {
        let all = self.line.after(None).filter(|item| item.waits());
        let waiting: Vec<_> = all.map(|item| item.id).collect();
        for id in &waiting {
            if self.line.get(*id).is_some_and(|item| item.place == Place::Offered) {
                self.tell_left(*id, left::TAKEN);
            }
            let rest = match self.line.get(*id).map(|item| &item.place) {
                Some(Place::Resting(until)) => *until,
                _ => self.now,
            };
            self.line.place(*id, Place::Resting(rest));
        }
        for lane in &mut self.lanes {
            if let Some(held) = lane.held.take() {
                self.holds.remove(held.place);
            }
        }
        self.kept.clear();
        waiting
    }

    /// A waiting item finds its place in the new lanes, or goes.
    fn settle_in(&mut self, io: &mut Io<'_>, id: ItemId) {
        let Some(item) = self.line.get(id) else { return };
        let (lane, tenant, deadline) = (item.lane, item.tenant, item.deadline);
        let rests = matches!(item.place, Place::Resting(until) if until > io.now);
        if tenant.0 == NOWHERE || self.lane(lane).is_none() {
            return self.refuse(io, id, Refusal::NoCandidate);
        }
        if let Some(lane) = self.lane_mut(lane) {
            lane.deadlines.insert((deadline, id));
        }
        if !rests {
            self.offer(id);
        }
    }

    fn move_tenants(&mut self, moves: &Moves) {
        let old = std::mem::take(&mut self.tenant_flows);
        let back: BTreeMap<_, _> = moves.tenants.iter().map(|(a, b)| (*b, *a)).collect();
        for place in 0..self.config.tenants.len() as u32 {
            let before = back.get(&TenantId(place)).and_then(|old_id| old.get(old_id.0 as usize));
            let flow = before.copied().unwrap_or_else(|| FlowId(self.sessions.fresh()));
            self.tenant_flows.push(flow);
        }
        self.sessions.remap(|tenant| moves.tenant(tenant));
        self.tasks.remap(|tenant| moves.tenant(tenant));
    }

    /// Policies keep the numbers of what stays, and forget what is gone.
    fn renumber(&mut self, io: &mut Io<'_>, moves: &Moves) {
        let lanes = moves.lanes.iter().map(|(old, new)| (old.0, new.0));
        let candidates = moves.candidates.iter().map(|(old, new)| (old.0, new.0));
        let lanes = self.lane_numbers.rearrange(self.config.lanes.len(), lanes);
        let gone = self.candidate_numbers.rearrange(self.topology.candidates.len(), candidates);
        let lanes = lanes.into_iter().map(|number| (names::LANE, u64::from(number)));
        let gone = gone.into_iter().map(|number| (names::CANDIDATE, u64::from(number)));
        io.policies.forget(&lanes.chain(gone).collect::<Vec<_>>());
    }

    fn renest(&mut self) {
        self.nest = Nest::default();
        let nested: Vec<_> = self.line.after(None).filter(|i| i.depth > 0).cloned().collect();
        for item in nested {
            self.nest_enter(&item);
        }
    }

    /// The name of a group that is never used again: groups count on through configurations.
    pub(super) fn group_name(&self, place: GroupId) -> GroupId {
        GroupId(self.group_base.saturating_add(place.0))
    }
}

/// Places of equal names before and after.
fn places<'a>(
    old: impl Iterator<Item = &'a String>,
    new: impl Iterator<Item = &'a String>,
) -> impl Iterator<Item = (u32, u32)> {
    let new: BTreeMap<_, _> = new.enumerate().map(|(place, name)| (name, place as u32)).collect();
    old.enumerate().filter_map(move |(place, name)| Some((place as u32, *new.get(name)?)))
}
