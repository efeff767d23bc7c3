//! Admission: a whole claim or nothing.

use std::cmp::Reverse;

use arrayvec::ArrayVec;
use weir_sdk::types::Demand;

use super::Ledger;
use super::configure::counted;
use crate::cell::{Body, Dimension, Lack, Scope};
use crate::claim::{Claim, Held, MAX_PARTS, Never, NotUntil, Part, Room, Short, Stamp};
use crate::config::Price;
use crate::ids::{CandidateId, CellId, TenantId};
use crate::output::Blocked;
use crate::units::{Micros, NanoDollars, Tokens};

impl Ledger {
    /// What tokens cost at a candidate. Cached tokens are part of `input`. Nothing at a candidate that is
    /// not configured.
    #[must_use]
    pub fn price(
        &self,
        candidate: CandidateId,
        input: Tokens,
        cached: Tokens,
        output: Tokens,
    ) -> NanoDollars {
        let model = self.model_of(candidate);
        model.map_or(NanoDollars::ZERO, |model| {
            cost(&self.layout.models[model as usize].price, input, cached, output)
        })
    }

    /// The claim of one attempt. `demand.cost` is set from the candidate's price. `None` for a candidate or
    /// tenant that is not configured.
    #[must_use]
    pub fn claim(
        &self,
        candidate: CandidateId,
        tenant: TenantId,
        demand: &Demand,
        size_class: u8,
    ) -> Option<Claim> {
        let number = self.model_of(candidate)?;
        let model = &self.layout.models[number as usize];
        let account = &self.layout.accounts[model.account as usize];
        let place = *self.layout.places.get(tenant.0 as usize)?;
        let tenants = &self.layout.tenants[place as usize].cells;
        let (input, output) = (counted(demand.input), counted(demand.output));
        let cost = cost(&model.price, Tokens(input), Tokens::ZERO, Tokens(output)).0;
        let demand = Demand { input, output, cost, ..*demand };
        let cells = account.cells.iter().chain(model.cells.iter()).chain(tenants.iter());
        let mut parts: ArrayVec<Part, MAX_PARTS> =
            cells.map(|cell| Part { cell, amount: self.dimension(cell).amount(&demand) }).collect();
        parts.sort_unstable_by_key(|part| part.cell);
        Some(Claim { candidate, tenant, demand, size_class, spare: 0, model: number, parts })
    }

    /// Whether a claim fits now.
    ///
    /// # Errors
    /// What is short, and when it could fit.
    pub fn check(&self, now: Micros, claim: &Claim) -> Result<(), Short> {
        self.check_parts(now, claim, |_| true)
    }

    /// Takes a whole claim.
    ///
    /// # Errors
    /// It does not fit; nothing was taken. A budget that is short is then told by [`Self::crossings`].
    pub fn commit(&mut self, now: Micros, claim: Claim) -> Result<Held, Short> {
        if let Err(short) = self.check(now, &claim) {
            self.note_short(now, &short);
            return Err(short);
        }
        for part in &claim.parts {
            let cell = self.at(part.cell);
            cell.take(now, part.amount, claim.size_class);
            cell.admit(now);
        }
        let slots = self.slots_in(&claim);
        let price = self.layout.models[claim.model as usize].price;
        let stamp = self.stamp(now, slots);
        Ok(Held { claim, price, slots, stamp, parked: false, accepted: false })
    }

    /// What is free for an attempt of this tenant at this candidate; nothing when either is not configured.
    #[must_use]
    pub fn room(&self, now: Micros, candidate: CandidateId, tenant: TenantId) -> Option<Room> {
        let place = *self.layout.places.get(tenant.0 as usize)?;
        let room = self.room_of_any(now, candidate)?;
        let cells = self.layout.tenants[place as usize].cells.iter();
        Some(cells.fold(room, |room, cell| self.narrow(now, room, cell)))
    }

    /// What is free at this candidate, whoever asks.
    #[must_use]
    pub fn room_of_any(&self, now: Micros, candidate: CandidateId) -> Option<Room> {
        let model = self.model_of(candidate)?;
        let account = self.layout.account_of(model).cells.iter();
        let cells = account.chain(self.layout.models[model as usize].cells.iter());
        Some(cells.fold(Room::UNLIMITED, |room, cell| self.narrow(now, room, cell)))
    }

    /// Checks those parts of a claim whose cell is wanted.
    pub(super) fn check_parts(
        &self,
        now: Micros,
        claim: &Claim,
        wanted: impl Fn(Dimension) -> bool,
    ) -> Result<(), Short> {
        let mut shortage = Shortage::default();
        for part in claim.parts.iter().filter(|part| wanted(self.dimension(part.cell))) {
            let cell = &self.cells[part.cell.0 as usize];
            let spare = if cell.scope.is_provider() { claim.spare } else { 0 };
            let Some(lack) = cell.lack(now, part.amount, claim.size_class, spare) else { continue };
            if let Lack::Size(capacity) = lack {
                let blocked = cell.dimension.blocked();
                let never = Never { cell: part.cell, blocked, needs: part.amount, capacity };
                return Err(Short::Never(never));
            }
            shortage.add(part.cell, cell.scope, lack);
        }
        shortage.found.map_or(Ok(()), |found| Err(Short::NotUntil(found)))
    }

    /// The account's cell of slots in a claim.
    fn slots_in(&self, claim: &Claim) -> CellId {
        let slots =
            claim.parts.iter().find(|part| self.cells[part.cell.0 as usize].slots().is_some());
        slots.map_or(CellId(u32::MAX), |part| part.cell)
    }

    /// Counts the start, and says how the cell then stands.
    fn stamp(&mut self, now: Micros, slots: CellId) -> Stamp {
        let mut stamp = Stamp { sent: now, in_flight: 0, limit: 0, mark: 0 };
        if let Some(slots) = self.cells.get_mut(slots.0 as usize).and_then(|cell| cell.slots_mut())
        {
            slots.started(now);
            stamp.in_flight = slots.in_flight();
            stamp.limit = slots.effective(now);
            stamp.mark = slots.mark();
        }
        stamp
    }

    fn narrow(&self, now: Micros, mut room: Room, cell: CellId) -> Room {
        let cell = &self.cells[cell.0 as usize];
        let free = cell.room(now);
        let slots = u32::try_from(free).unwrap_or(u32::MAX);
        match cell.dimension {
            Dimension::Slots => room.slots = room.slots.min(slots),
            Dimension::Requests | Dimension::RequestRate => room.requests = room.requests.min(free),
            Dimension::Input => room.input = room.input.min(Tokens(free)),
            Dimension::Output => room.output = room.output.min(Tokens(free)),
            Dimension::Tokens | Dimension::TokenRate | Dimension::TokenBudget => {
                room.input = room.input.min(Tokens(free));
                room.output = room.output.min(Tokens(free));
            }
            Dimension::MoneyBudget => room.cost = room.cost.min(NanoDollars(free)),
        }
        room.closed_until = room.closed_until.max(cell.closed_until(now));
        room
    }

    pub(super) fn dimension(&self, cell: CellId) -> Dimension {
        self.cells[cell.0 as usize].dimension
    }

    /// The configured cap of a tenant's slots, or the effective limit of an account's.
    #[must_use]
    pub fn slots_limit(&self, now: Micros, cell: CellId) -> Option<u32> {
        match &self.cell(cell)?.body {
            Body::Slots(slots) => Some(slots.effective(now)),
            Body::Cap(cap) => Some(cap.limit),
            Body::Window(_) | Body::Budget(_) => None,
        }
    }
}

/// What tokens cost, rounded up to a billionth of a dollar.
pub(super) fn cost(price: &Price, input: Tokens, cached: Tokens, output: Tokens) -> NanoDollars {
    let part = |tokens: u64, price: NanoDollars| u128::from(tokens) * u128::from(price.0);
    let cached = cached.min(input);
    let sum = part(input.minus(cached).0, price.input)
        + part(cached.0, price.cached_input)
        + part(output.0, price.output);
    NanoDollars(u64::try_from(sum.div_ceil(1_000_000)).unwrap_or(u64::MAX))
}

/// What is short so far.
#[derive(Default)]
struct Shortage {
    found: Option<NotUntil>,
    /// When the cell that `found` names fits.
    at: Option<Micros>,
    /// One that is short comes back at no known time.
    forever: bool,
}

impl Shortage {
    fn add(&mut self, cell: CellId, scope: Scope, lack: Lack) {
        let (blocked, at) = match lack {
            Lack::Time(blocked, at) => (blocked, at),
            Lack::Release | Lack::Size(_) => (Blocked::Slots, None),
        };
        let slots = (lack == Lack::Release).then_some(cell);
        self.forever |= lack != Lack::Release && at.is_none();
        let mut found = NotUntil { cell, scope, blocked, until: at, slots, alone: true };
        if let Some(before) = self.found {
            found.alone = false;
            found.slots = slots.or(before.slots);
            found.until = before.until.max(at);
            let narrower = (rank(before.scope), Reverse(self.at)) < (rank(scope), Reverse(at));
            if narrower {
                (found.cell, found.scope, found.blocked) =
                    (before.cell, before.scope, before.blocked);
            }
        }
        if found.cell == cell {
            self.at = at;
        }
        found.until = found.until.filter(|_| !self.forever);
        self.found = Some(found);
    }
}

/// Narrowest first.
fn rank(scope: Scope) -> u8 {
    match scope {
        Scope::Tenant(_) => 0,
        Scope::Model(_) => 1,
        Scope::Account(_) => 2,
    }
}
