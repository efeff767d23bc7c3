//! A tenant's budget passed its soft threshold: its waiting requests are placed anew, and shed when they
//! may be.

use std::collections::VecDeque;

use weir_sdk::codes::{left, why};

use super::{Core, Io};
use crate::ids::{ItemId, TenantId};
use crate::item::Place;
use crate::output::Refusal;
use crate::units::Micros;

/// Requests placed anew in one step.
const MAX_PLACED: usize = 64;
/// When to come back to a budget that never does.
const NEVER: Micros = Micros::from_secs(24 * 3600);

/// Requests whose placement is asked for again.
#[derive(Debug, Default)]
pub(super) struct Anew(VecDeque<ItemId>);

impl Core {
    /// The tenant's waiting requests are to be placed anew, over the next steps.
    pub(super) fn place_anew(&mut self, tenant: TenantId) {
        let all = self.line.after(None).filter(|item| item.tenant == tenant && item.waits());
        self.anew.0.extend(all.map(|item| item.id));
    }

    /// Places the next requests anew. True when more are left.
    pub(super) fn ask_anew(&mut self, io: &mut Io<'_>) -> bool {
        for _ in 0..MAX_PLACED {
            let Some(id) = self.anew.0.pop_front() else { return false };
            if self.line.get(id).is_some_and(crate::item::Item::waits) {
                self.replace(io, id);
            }
        }
        !self.anew.0.is_empty()
    }

    fn replace(&mut self, io: &mut Io<'_>, id: ItemId) {
        let Some(item) = self.line.get(id).cloned() else { return };
        let placement = self.ask_priority(io, &item, why::SOFT_LIMIT);
        if placement.may_shed {
            return self.refuse(io, id, self.shed(io.now, item.tenant));
        }
        if placement == item.placement {
            return;
        }
        let offered = item.place == Place::Offered;
        let kept = self.kept.remove(&item);
        if offered {
            self.tell_left(id, left::TAKEN);
            self.unlist(id);
            self.line.place(id, Place::Resting(io.now));
        }
        if let Some(item) = self.line.get_mut(id) {
            item.placement = placement;
            if kept {
                self.kept.insert(item);
            }
        }
        if offered {
            self.offer(id);
        }
    }

    /// The refusal of sheddable work of a tenant whose budget is nearly spent.
    pub(super) fn shed(&self, now: Micros, tenant: TenantId) -> Refusal {
        let retry_after = self.ledger.budget_left(now, tenant).renews.unwrap_or(NEVER);
        Refusal::Shed { retry_after }
    }
}
