//! What time alone brings.

use super::{Core, Io};
use crate::event::Event;
use crate::ids::{CellId, ItemId};
use crate::item::{Place, said};
use crate::policies::Slot;
use crate::slots::Change;
use crate::timers::Due;
use crate::units::Micros;

impl Core {
    /// Fires what is due.
    pub(super) fn fire(&mut self, io: &mut Io<'_>) {
        while let Some(due) = self.timers.pop(io.now) {
            match due {
                Due::Rested(item) => self.rested(item),
                Due::Lane(lane) => {
                    if let Some(lane) = self.lane_mut(lane) {
                        lane.asleep = false;
                    }
                }
                Due::Gathered(group) => self.hand_over(io, group),
            }
        }
        for cell in self.ledger.due_wakes(io.now) {
            self.wake_limit(io, cell);
        }
        self.drifts(io);
    }

    /// A resting item may be offered; a held one is looked at in any case.
    fn rested(&mut self, id: ItemId) {
        let Some(item) = self.line.get(id) else { return };
        if !matches!(item.place, Place::Resting(_)) {
            return;
        }
        self.let_item_in(id);
    }

    fn wake_limit(&mut self, io: &mut Io<'_>, cell: CellId) {
        let Some(view) = self.cell_view(io.now, cell) else { return };
        let answer = io.policies.wake(io.now, view);
        self.take_answer(io, cell, answer);
    }

    /// Ramps and openings change what holds without anybody's answer.
    pub(super) fn drifts(&mut self, io: &mut Io<'_>) {
        for cell in self.ledger.slot_cells().collect::<Vec<_>>() {
            if let Some(change) = self.ledger.drift(io.now, cell) {
                self.say_change(io, &change);
            }
        }
    }

    pub(super) fn say_change(&mut self, io: &mut Io<'_>, change: &Change) {
        let (upstream, _) = self.ledger.names(change.cell);
        let reason = Self::reason_name(change.reason, change.effective > change.before);
        io.out.push(said(Event::ConcurrencyChanged {
            upstream: upstream.to_owned(),
            limit: change.limit,
            effective: change.effective,
            reason: reason.to_owned(),
        }));
        self.stir(None);
    }

    /// Sets timers for lanes that wait for time alone.
    pub(super) fn set_timers(&mut self, io: &mut Io<'_>) {
        self.gather(io.now);
        for id in self.lane_ids() {
            let Some(lane) = self.lane(id) else { continue };
            if lane.held.is_some() || self.line.order.len(id) == 0 {
                continue;
            }
            if let Some(at) = self.next_room(io.now, id) {
                self.timers.sooner(Due::Lane(id), at);
            }
        }
    }

    /// When a request window of a lane that has slots, but no request to give, gives one.
    fn next_room(&self, now: Micros, id: crate::ids::LaneId) -> Option<Micros> {
        let lane = self.lane(id)?;
        let overdue = lane.overdue.first().map(|(at, _)| *at).filter(|at| *at > now);
        let item = self.line.order.first(id).and_then(|id| self.line.get(id))?;
        let waits = lane.candidates.iter().filter_map(|candidate| {
            let room = self.free(now, *candidate);
            if room.requests > 0 && room.closed_until.is_none() {
                return None;
            }
            let mut one = item.demand;
            (one.slots, one.input, one.output, one.cost) = (0, 0, 0, 0);
            let claim = self.ledger.claim(*candidate, item.tenant, &one, item.size_class)?;
            match self.ledger.check(now, &claim) {
                Err(crate::claim::Short::NotUntil(short)) => short.until,
                _ => room.closed_until,
            }
        });
        waits.chain(overdue).min().map(|at| at.max(now.plus(Micros(1))))
    }

    /// Every cell of slots is told to the limit policy before its first attempt.
    pub(super) fn open_cells(&mut self, io: &mut Io<'_>) {
        if self.opened {
            return;
        }
        self.opened = true;
        self.tell_names(io);
        for cell in self.ledger.slot_cells().collect::<Vec<_>>() {
            self.open_cell(io, cell);
        }
    }

    pub(super) fn open_cell(&mut self, io: &mut Io<'_>, cell: CellId) {
        let Some(view) = self.cell_view(io.now, cell) else { return };
        let Some(opening) = self.ledger.opening(cell) else { return };
        let answer = io.policies.open(io.now, view, opening);
        self.take_answer(io, cell, answer);
    }

    /// Tells the policies what tenants, lanes, candidates and cells are called.
    pub(super) fn tell_names(&mut self, io: &mut Io<'_>) {
        use weir_sdk::codes::names;
        let mut all = Vec::new();
        let mut name = |kind, id: u64, name: String| {
            all.push(weir_sdk::lifecycle::Named { kind, id, name });
        };
        for (flow, tenant) in self.tenant_flows.iter().zip(&self.config.tenants) {
            name(names::FLOW, flow.0, tenant.name.clone());
        }
        for (place, lane) in (0..).zip(&self.lanes) {
            if let Some(number) = self.lane_numbers.get(place) {
                name(names::LANE, u64::from(number), lane.name.clone());
            }
        }
        for (place, candidate) in (0..).zip(&self.topology.candidates) {
            let full = format!("{}/{}", candidate.upstream_name, candidate.model_name);
            if let Some(number) = self.candidate_numbers.get(place) {
                name(names::CANDIDATE, u64::from(number), full);
            }
        }
        for cell in self.ledger.slot_cells() {
            name(names::CELL, u64::from(cell.0), self.ledger.names(cell).0.to_owned());
        }
        io.policies.names(&all);
    }

    /// Takes a limit policy's answer over, or keeps the limit.
    pub(super) fn take_answer(
        &mut self,
        io: &mut Io<'_>,
        cell: CellId,
        answer: Result<weir_sdk::limit::Answer, crate::Fault>,
    ) {
        let Ok(answer) = answer else { return self.fell_back(Slot::Limit) };
        let before = self.ledger.closed_until(io.now, cell);
        match self.ledger.apply(io.now, cell, &answer) {
            Ok(Some(change)) => self.say_change(io, &change),
            Ok(None) => {}
            Err(wrong) => return self.nonsense(io, Slot::Limit, &wrong.to_string()),
        }
        let after = self.ledger.closed_until(io.now, cell);
        if after > before {
            self.say_closed(io, cell, after, "limit");
        }
    }
}
