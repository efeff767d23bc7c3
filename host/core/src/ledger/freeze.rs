//! Which cell a refusal is about, and for how long it is closed.
//!
//! | kind | cell |
//! |---|---|
//! | request, token, input and output windows | that window: the model's or the account's as the scope says |
//! | concurrency, burst, overloaded, server error | the account's slots |
//! | quota, budget, billing, auth | the account's slots, or the model's requests when the scope is a model |
//! | all others, and any whose scope is the request or lies in this gateway | none |
//!
//! A scope that the provider did not say is taken as the narrowest. A window that no one configured is made,
//! without a limit, so that nothing beside it is closed.
//!
//! With a hint the cell is closed for that long. Without one, a window is closed by the host's own back-off
//! (1 s, doubling to 60 s until a success) and its bucket holds nothing; slots are left to the limit policy,
//! and quota, billing and auth close nothing, since the next caller is better served by the provider's own
//! words than by a guess.

use weir_sdk::codes::{kind, scope};
use weir_sdk::types::{Code, Verdict};

use super::Ledger;
use crate::cell::{Dimension, Scope, Trickle};
use crate::claim::Held;
use crate::ids::{CandidateId, CellId};
use crate::units::Micros;

/// Nothing closes a cell for longer than 31 days.
pub(crate) const LONGEST: Micros = Micros::from_secs(31 * 24 * 60 * 60);

/// The cell that a verdict is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// Which cell.
    pub cell: CellId,
    /// Whose it is.
    pub scope: Scope,
    /// What of it.
    pub dimension: Dimension,
    /// The provider said whose limit it is; otherwise the narrowest is taken.
    pub known: bool,
}

/// What a verdict did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frozen {
    /// What the verdict is about.
    pub target: Target,
    /// The cell admits nothing before this; `None` when it is open.
    pub until: Option<Micros>,
    /// The closure is later than it was.
    pub lengthened: bool,
}

impl Ledger {
    /// Closes the cell that a verdict is about, for as long as the module's text says. `None` when it is
    /// about no cell.
    pub fn freeze(
        &mut self,
        now: Micros,
        candidate: CandidateId,
        verdict: &Verdict,
    ) -> Option<Frozen> {
        let target = self.target(now, candidate, verdict)?;
        let hint = verdict.wait.map(Micros).filter(|wait| *wait > Micros::ZERO);
        let cell = self.at(target.cell);
        let span = hint.or_else(|| kind::is_window(verdict.kind).then(|| cell.closure.strike()));
        if kind::is_window(verdict.kind)
            && let Some(bucket) = cell.bucket_mut()
        {
            bucket.drain(now);
        }
        let lengthened =
            span.is_some_and(|span| self.close(now, target.cell, now.plus(span.min(LONGEST))));
        Some(Frozen { target, until: self.closed_until(now, target.cell), lengthened })
    }

    /// The cell that a verdict is about. `None` when it is about no cell. A window that is not there yet
    /// is made.
    pub fn target(
        &mut self,
        now: Micros,
        candidate: CandidateId,
        verdict: &Verdict,
    ) -> Option<Target> {
        let model = self.model_of(candidate)?;
        let account = Scope::Account(self.layout.models[model as usize].account);
        let wide = width(verdict.scope)?;
        let dimension = dimension(verdict.kind)?;
        let whose = match (dimension, wide) {
            (Dimension::Slots, Width::Model) if !about_load(verdict.kind) => Scope::Model(model),
            (Dimension::Slots, _) | (_, Width::Account) => account,
            (_, Width::Model) => Scope::Model(model),
            (dimension, Width::Unknown) => {
                let found = self.narrowest(model, dimension);
                found.map_or(Scope::Model(model), |cell| self.cells[cell.0 as usize].scope)
            }
        };
        let dimension = match (dimension, whose) {
            (Dimension::Slots, Scope::Model(_)) => Dimension::Requests,
            (dimension, _) => dimension,
        };
        let cell = match self.find(whose, dimension) {
            Some(cell) => cell,
            None if dimension == Dimension::Slots => return None,
            None => self.window(now, whose, dimension),
        };
        Some(Target { cell, scope: whose, dimension, known: wide != Width::Unknown })
    }

    /// Closes a cell until then. Of two closures the later holds; after it, traffic ramps. Answers whether
    /// it became later.
    pub fn close(&mut self, now: Micros, cell: CellId, until: Micros) -> bool {
        let (base, top) = self.ramp_of(now, cell);
        let step = self.ramp.step;
        let Some(cell) = self.cells.get_mut(cell.0 as usize) else { return false };
        if !cell.closure.lengthen(now, until) {
            return false;
        }
        if let Some(slots) = cell.slots_mut() {
            slots.closed(until);
        } else if cell.scope.is_provider() {
            cell.trickle = Some(Trickle::new(until, step, base, top));
        }
        true
    }

    /// The cell admits nothing before this; `None` when it is open.
    #[must_use]
    pub fn closed_until(&self, now: Micros, cell: CellId) -> Option<Micros> {
        self.cell(cell)?.closure.until(now)
    }

    /// The operator opens every cell of an upstream, without a ramp. Answers those that were closed.
    pub fn reopen(&mut self, now: Micros, upstream: &str) -> Vec<CellId> {
        let mut opened = Vec::new();
        for at in 0..self.cells.len() {
            if self.names(CellId(at as u32)).0 != upstream {
                continue;
            }
            let cell = &mut self.cells[at];
            if cell.closure.until(now).is_some() {
                opened.push(cell.id);
            }
            cell.closure.reopen();
            cell.trickle = None;
            if let Some(slots) = cell.slots_mut() {
                slots.reopened();
            }
        }
        opened
    }

    /// An attempt succeeded: clears the closures of its cells that began before it was admitted.
    pub fn succeeded(&mut self, held: &Held) {
        for part in &held.claim.parts {
            self.at(part.cell).closure.succeeded(held.stamp.sent);
        }
    }

    /// An attempt was refused for load: the ramp of that cell stays where it is for a step.
    pub fn refused(&mut self, now: Micros, cell: CellId) {
        let Some(cell) = self.cells.get_mut(cell.0 as usize) else { return };
        if let Some(trickle) = &mut cell.trickle {
            trickle.hold(now);
        }
        if let Some(slots) = cell.slots_mut() {
            slots.refused(now);
        }
    }

    /// What a ramp of this cell's account begins and ends with.
    fn ramp_of(&self, now: Micros, cell: CellId) -> (u32, u32) {
        let account = match self.cell(cell).map(|cell| cell.scope) {
            Some(Scope::Account(number)) => Some(number),
            Some(Scope::Model(number)) => Some(self.layout.models[number as usize].account),
            Some(Scope::Tenant(_)) | None => None,
        };
        let slots = account.and_then(|number| self.find(Scope::Account(number), Dimension::Slots));
        let slots = slots.and_then(|cell| self.cells[cell.0 as usize].slots());
        slots.map_or((1, 1), |slots| (slots.base(), slots.limit().max(slots.effective(now))))
    }
}

/// How wide a scope is, as far as cells are told apart here.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Width {
    Unknown,
    Model,
    Account,
}

/// `None` when the scope is no cell of a provider.
fn width(code: Code) -> Option<Width> {
    match code {
        scope::UPSTREAM | scope::ACCOUNT | scope::CREDENTIAL | scope::PROJECT => {
            Some(Width::Account)
        }
        scope::ENDPOINT | scope::MODEL_GROUP | scope::MODEL | scope::TOOL => Some(Width::Model),
        scope::ORGANISATION..=scope::REQUEST => None,
        _ => Some(Width::Unknown),
    }
}

/// The dimension that a kind of verdict is about; slots stand for the whole.
fn dimension(code: Code) -> Option<Dimension> {
    match code {
        kind::REQUEST_WINDOW => Some(Dimension::Requests),
        kind::TOKEN_WINDOW => Some(Dimension::Tokens),
        kind::INPUT_TOKEN_WINDOW => Some(Dimension::Input),
        kind::OUTPUT_TOKEN_WINDOW => Some(Dimension::Output),
        kind::AUTH => Some(Dimension::Slots),
        _ if about_load(code) || kind::is_spent(code) => Some(Dimension::Slots),
        _ => None,
    }
}

fn about_load(code: Code) -> bool {
    kind::teaches_slots(code) || code == kind::SERVER_ERROR
}
