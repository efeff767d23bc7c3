//! Ways out of the line that are not admissions.

use std::collections::{BTreeMap, BTreeSet};

use weir_sdk::codes::left;
use weir_sdk::schedule::{Event as Told, Left};

use super::{Core, Io};
use crate::event::Event;
use crate::ids::{ItemId, LaneId, TenantId};
use crate::item::{Item, Place, said};
use crate::order::Key;
use crate::output::{Output, Refusal};
use crate::timers::Due;
use crate::units::Micros;

/// Items kept back by a cap, window or budget of their own tenant, by lane.
#[derive(Debug, Default)]
pub(super) struct Kept(BTreeMap<(TenantId, LaneId), BTreeSet<Key>>);

impl Kept {
    pub(super) fn insert(&mut self, item: &Item) {
        self.0.entry((item.tenant, item.lane)).or_default().insert(item.key());
    }

    /// True when it was there.
    pub(super) fn remove(&mut self, item: &Item) -> bool {
        let whose = (item.tenant, item.lane);
        let Some(keys) = self.0.get_mut(&whose) else { return false };
        let found = keys.remove(&item.key());
        if keys.is_empty() {
            self.0.remove(&whose);
        }
        found
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// The first of each lane of a tenant.
    fn firsts(&self, tenant: TenantId) -> Vec<ItemId> {
        let lanes = (tenant, LaneId(0))..=(tenant, LaneId(u32::MAX));
        self.0.range(lanes).filter_map(|(_, keys)| keys.first().map(|key| key.item)).collect()
    }
}

impl Core {
    /// The caller went away while its request waited.
    pub(super) fn cancel(&mut self, io: &mut Io<'_>, id: ItemId) {
        if self.line.get(id).is_some_and(Item::waits) {
            self.counters.cancelled += 1;
            self.take_out(io, id, left::CANCELLED);
        }
    }

    /// Refuses an item that waits.
    pub(super) fn refuse(&mut self, io: &mut Io<'_>, id: ItemId, refusal: Refusal) {
        let why = match refusal {
            Refusal::Shed { .. } => left::SHED,
            _ => left::EXPIRED,
        };
        if let Some(item) = self.take_out(io, id, why) {
            self.refuse_unknown(io, id, item.tenant, refusal);
        }
    }

    /// Refuses an item that is in no line.
    pub(super) fn refuse_unknown(
        &mut self,
        io: &mut Io<'_>,
        item: ItemId,
        tenant: TenantId,
        refusal: Refusal,
    ) {
        self.counters.refused(&refusal);
        io.out.push(Output::Refuse { item, refusal });
        let tenant = self.tenant_name(tenant);
        io.out.push(said(Event::Refused { item, tenant: tenant.clone(), refusal }));
        if let Refusal::Budget { retry_after: Some(retry_after) } = refusal {
            io.out.push(said(Event::BudgetHard { tenant, retry_after }));
        }
    }

    pub(super) fn tenant_name(&self, tenant: TenantId) -> String {
        self.config.tenants.get(tenant.0 as usize).map_or_else(String::new, |t| t.name.clone())
    }

    /// Removes an item that waits from everywhere.
    pub(super) fn take_out(&mut self, io: &mut Io<'_>, id: ItemId, why: u16) -> Option<Item> {
        let offered = self.line.get(id)?.place == Place::Offered;
        if offered {
            self.tell_left(id, why);
        }
        self.withdraw(id);
        self.drop_item(io, id)
    }

    /// The schedule had the item and has it no more.
    pub(super) fn tell_left(&mut self, id: ItemId, why: u16) {
        let Some(item) = self.line.get(id) else { return };
        let (lane, flow) = (item.lane, item.session.0);
        self.say(lane, Told::Left(Left { item: id.0, flow, why }));
    }

    /// Takes a waiting item out of its place: the order, the hold, or its rest. It stays in the line's map.
    pub(super) fn withdraw(&mut self, id: ItemId) {
        let Some(item) = self.line.get(id) else { return };
        let lane_id = item.lane;
        let late = (item.arrived.plus(Micros(item.placement.longest_wait)), id);
        let held = item.place == Place::Held;
        self.kept.remove(item);
        self.timers.unset(Due::Rested(id));
        if let Some(lane) = self.lane_mut(lane_id) {
            lane.overdue.remove(&late);
            lane.aside.remove(&id);
            lane.crowded.remove(&id);
        }
        if held {
            self.drop_hold(lane_id);
        }
    }

    /// The lane's head is held no more: those set aside for it may be picked again.
    pub(super) fn drop_hold(&mut self, lane_id: LaneId) {
        let Some(lane) = self.lane_mut(lane_id) else { return };
        let aside = std::mem::take(&mut lane.aside);
        lane.crowded.clear();
        lane.asleep = false;
        if let Some(held) = lane.held.take() {
            self.holds.remove(held.place);
        }
        self.timers.unset(Due::Lane(lane_id));
        for id in aside {
            self.offer(id);
        }
    }

    /// Lets an item go for good.
    pub(super) fn drop_item(&mut self, io: &mut Io<'_>, id: ItemId) -> Option<Item> {
        if self.line.get(id).is_some_and(|item| item.place == Place::Offered) {
            self.line.place(id, Place::Resting(io.now));
        }
        let item = self.line.remove(id)?;
        if item.waits() {
            self.let_in(item.tenant);
        }
        if let Some(lane) = self.lane_mut(item.lane) {
            lane.deadlines.remove(&(item.deadline, id));
        }
        self.nest_leave(&item);
        self.parents.forget(id);
        self.drop_names(io, &item);
        Some(item)
    }

    /// Refuses what is past its deadline.
    pub(super) fn expire(&mut self, io: &mut Io<'_>) {
        for lane in self.lane_ids() {
            while let Some(id) = self.first_before(lane, io.now, true) {
                self.refuse(io, id, Refusal::Expired);
            }
        }
    }

    /// Refuses every item of a lane whose deadline passes before any of its candidates opens.
    pub(super) fn drop_hopeless(&mut self, io: &mut Io<'_>, lane: LaneId) {
        let Some((opens, blocked)) = self.opens(io.now, lane) else { return };
        let retry_after = opens.minus(io.now);
        while let Some(id) = self.first_before(lane, opens, false) {
            self.refuse(io, id, Refusal::NotUntil { blocked, retry_after });
        }
    }

    /// The waiting item of a lane whose deadline passes first, if before a time.
    fn first_before(&self, lane: LaneId, at: Micros, inclusive: bool) -> Option<ItemId> {
        let (deadline, id) = *self.lane(lane)?.deadlines.first()?;
        (deadline < at || (inclusive && deadline == at)).then_some(id)
    }

    /// When a lane all of whose candidates are closed opens.
    pub(super) fn opens(&self, now: Micros, lane: LaneId) -> Option<(Micros, crate::Blocked)> {
        let lane = self.lane(lane)?;
        let mut earliest: Option<Micros> = None;
        for candidate in &lane.candidates {
            let until = self.free(now, *candidate).closed_until?;
            earliest = Some(earliest.map_or(until, |e| e.min(until)));
        }
        Some((earliest?, crate::Blocked::Closed))
    }

    /// Something of a tenant ended, left or started: its own limits may allow one more. In each lane the
    /// first item that they kept back may be picked; when it starts, the next may.
    pub(super) fn let_in(&mut self, tenant: TenantId) {
        for id in self.kept.firsts(tenant) {
            self.let_item_in(id);
        }
    }

    pub(super) fn let_item_in(&mut self, id: ItemId) {
        if let Some(item) = self.line.get(id) {
            self.kept.remove(item);
        }
        self.timers.unset(Due::Rested(id));
        self.offer(id);
    }
}
