//! Flows: what each schedule is told of tenants and sessions.

use weir_sdk::codes::{level, names};
use weir_sdk::schedule::{Charged, Event};

use super::{Core, Io};
use crate::ids::{FlowId, GroupId, LaneId, TenantId};
use crate::item::Item;
use crate::timers::Due;
use crate::units::Micros;

/// How long events and charges are gathered when nothing is picked.
const GATHER: Micros = Micros::from_millis(100);

impl Core {
    /// Makes sure that the group's schedule knows a tenant and a session of it.
    pub(super) fn know_flows(
        &mut self,
        group: GroupId,
        tenant: TenantId,
        session: FlowId,
        weight: u32,
    ) {
        let place = tenant.0 as usize;
        let share = self.config.tenants.get(place).map_or(1, |t| t.weight);
        let Some(flow) = self.tenant_flows.get(place).copied() else { return };
        if let Some(group) = self.groups.get_mut(&group) {
            group.know(flow, FlowId(0), level::TENANT, share);
            group.know(session, flow, level::SESSION, weight);
        }
    }

    /// Says something to a lane's schedule.
    pub(super) fn say(&mut self, lane: LaneId, event: Event) {
        let Some(group) = self.lane(lane).map(|lane| lane.group) else { return };
        if let Some(group) = self.groups.get_mut(&group) {
            group.events.push(event);
        }
    }

    /// Gathers a correction for a flow.
    pub(super) fn charge(&mut self, now: Micros, lane: LaneId, delta: Charged) {
        if (delta.requests, delta.input, delta.output, delta.cost) == (0, 0, 0, 0) {
            return;
        }
        let Some(id) = self.lane(lane).map(|lane| lane.group) else { return };
        if self.groups.get_mut(&id).is_some_and(|group| group.charge(delta)) {
            self.timers.sooner(Due::Gathered(id), now.plus(GATHER));
        }
    }

    /// Events that no pick has called for are handed over soon.
    pub(super) fn gather(&mut self, now: Micros) {
        for (id, group) in &self.groups {
            if !group.events.is_empty() {
                self.timers.sooner(Due::Gathered(*id), now.plus(GATHER));
            }
        }
    }

    /// Hands a group's events over, charges last.
    pub(super) fn hand_over(&mut self, io: &mut Io<'_>, id: GroupId) {
        self.timers.unset(Due::Gathered(id));
        let Some(group) = self.groups.get_mut(&id) else { return };
        group.flush_charges();
        if group.events.is_empty() {
            return;
        }
        let mut events = std::mem::take(&mut group.events);
        self.mirror(io, id, &events);
        // A schedule that faults here is renewed and fed; the host's own order lacks nothing meanwhile.
        let _: Result<(), crate::Fault> = io.policies.update(io.now, id, &mut events);
    }

    /// An item has left: its session and task have one user less.
    pub(super) fn drop_names(&mut self, io: &mut Io<'_>, item: &Item) {
        if let Some(gone) = self.sessions.leave(io.now, item.session.0) {
            for group in self.groups.values_mut() {
                group.forget(FlowId(gone));
            }
            io.policies.forget(&[(names::FLOW, gone)]);
        }
        if let Some(gone) = self.tasks.leave(io.now, item.task.0) {
            io.policies.forget(&[(names::TASK, gone)]);
        }
    }
}
