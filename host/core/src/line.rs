//! The line: every request that the host has taken and not yet let go, and the bounds of those that wait.

use std::collections::BTreeMap;

use crate::config;
use crate::ids::{ItemId, LaneId, TenantId};
use crate::item::{Item, Place};
use crate::order::Order;

/// Items, and how many wait.
#[derive(Debug, Default)]
pub(crate) struct Line {
    items: BTreeMap<ItemId, Item>,
    /// Offered items in the host's own order.
    pub(crate) order: Order,
    waiting: usize,
    bytes: u64,
    by_tenant: BTreeMap<TenantId, usize>,
    by_lane: BTreeMap<LaneId, usize>,
}

impl Line {
    pub(crate) fn get(&self, id: ItemId) -> Option<&Item> {
        self.items.get(&id)
    }

    pub(crate) fn get_mut(&mut self, id: ItemId) -> Option<&mut Item> {
        self.items.get_mut(&id)
    }

    /// Items by id, from one on.
    pub(crate) fn after(&self, id: Option<ItemId>) -> impl Iterator<Item = &Item> {
        let from = id.map_or(ItemId(0), |id| ItemId(id.0.saturating_add(1)));
        self.items.range(from..).map(|(_, item)| item)
    }

    /// Whether another request of this tenant and size may wait.
    pub(crate) fn admits(&self, bounds: &config::Line, tenant: TenantId, bytes: u64) -> bool {
        self.waiting < bounds.max_items
            && self.tenant(tenant) < bounds.max_items_per_tenant
            && self.bytes.saturating_add(bytes) <= bounds.max_bytes
    }

    /// Takes an item in; it waits.
    pub(crate) fn insert(&mut self, item: Item) {
        self.count(&item, true);
        self.items.insert(item.id, item);
    }

    /// Lets an item go. It must not be in the order any more.
    pub(crate) fn remove(&mut self, id: ItemId) -> Option<Item> {
        let item = self.items.remove(&id)?;
        if item.waits() {
            self.count(&item, false);
        }
        Some(item)
    }

    /// Moves an item; keeps the order and the counts true.
    pub(crate) fn place(&mut self, id: ItemId, place: Place) {
        let Some(item) = self.items.get_mut(&id) else { return };
        let (before, key, lane) = (item.waits(), item.key(), item.lane);
        if item.place == Place::Offered {
            self.order.remove(lane, &key);
        }
        if place == Place::Offered {
            self.order.insert(lane, key);
        }
        item.place = place;
        let (after, item) = (item.waits(), item.counts());
        if before != after {
            self.tally(item, after);
        }
    }

    fn count(&mut self, item: &Item, more: bool) {
        self.tally(item.counts(), more);
    }

    fn tally(&mut self, (tenant, lane, bytes): (TenantId, LaneId, u64), more: bool) {
        let tenants = self.by_tenant.entry(tenant).or_default();
        let lanes = self.by_lane.entry(lane).or_default();
        if more {
            self.waiting += 1;
            self.bytes = self.bytes.saturating_add(bytes);
            *tenants += 1;
            *lanes += 1;
        } else {
            self.waiting = self.waiting.saturating_sub(1);
            self.bytes = self.bytes.saturating_sub(bytes);
            *tenants = tenants.saturating_sub(1);
            *lanes = lanes.saturating_sub(1);
        }
    }

    /// Changes every item's lane or tenant. None may be offered.
    pub(crate) fn remap(&mut self, change: impl FnMut(&mut Item)) {
        self.items.values_mut().for_each(change);
        self.by_tenant.clear();
        self.by_lane.clear();
        for item in self.items.values().filter(|item| item.waits()) {
            *self.by_tenant.entry(item.tenant).or_default() += 1;
            *self.by_lane.entry(item.lane).or_default() += 1;
        }
    }

    /// Requests that wait.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting
    }

    /// Bytes that waiting requests hold.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Waiting requests of a tenant.
    pub(crate) fn tenant(&self, tenant: TenantId) -> usize {
        self.by_tenant.get(&tenant).copied().unwrap_or(0)
    }

    /// Waiting requests of a lane.
    pub(crate) fn lane(&self, lane: LaneId) -> usize {
        self.by_lane.get(&lane).copied().unwrap_or(0)
    }

    /// Items that the host has, waiting or not.
    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }
}

impl Item {
    fn counts(&self) -> (TenantId, LaneId, u64) {
        (self.tenant, self.lane, self.body_bytes)
    }
}
