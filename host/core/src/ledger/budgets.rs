//! Budgets of tenants, and budgets of retries.

use super::Ledger;
use crate::budget::{Budget, Crossing, Left, Threshold};
use crate::cell::{Dimension, Scope};
use crate::claim::{Claim, NotUntil, Short};
use crate::ids::{CandidateId, TenantId};
use crate::output::Blocked;
use crate::units::{Micros, NanoDollars, Tokens};

impl Ledger {
    /// Thresholds of tenants' budgets that were passed since the last call, each once a period.
    pub fn crossings(&mut self) -> Vec<Crossing> {
        std::mem::take(&mut self.crossings)
    }

    /// Share of a tenant's tightest budget that is spent, in thousandths; 0 when it has none.
    #[must_use]
    pub fn budget_spent(&self, now: Micros, tenant: TenantId) -> u16 {
        self.budgets(tenant).map(|budget| budget.share(now)).max().unwrap_or(0)
    }

    /// A budget of the tenant is past its soft threshold: sheddable work is to be refused.
    #[must_use]
    pub fn past_soft(&self, now: Micros, tenant: TenantId) -> bool {
        self.budgets(tenant).any(|budget| budget.past_soft(now))
    }

    /// What is left of a tenant's budgets; what is reserved is not spent yet.
    #[must_use]
    pub fn budget_left(&self, now: Micros, tenant: TenantId) -> Left {
        self.layout.places.get(tenant.0 as usize).map_or_else(Left::default, |n| self.left(now, *n))
    }

    /// A request entered: deposits into the retry budget of the candidate.
    pub fn retry_deposit(&mut self, now: Micros, candidate: CandidateId) {
        if let Some(model) = self.model_of(candidate) {
            self.layout.models[model as usize].retries.deposit(now);
        }
    }

    /// Retries that the budget of the candidate still allows this tenant now.
    #[must_use]
    pub fn retries_left(&self, now: Micros, candidate: CandidateId, tenant: TenantId) -> u32 {
        let model = self.model_of(candidate);
        let tenant = self.layout.places.get(tenant.0 as usize);
        model.zip(tenant).map_or(0, |(model, tenant)| {
            let retries = &self.layout.models[model as usize].retries;
            retries.left(now, *tenant as usize, self.layout.places.len() > 1)
        })
    }

    /// Charges one retry, when it is scheduled. `false`: the budget is spent, nothing was charged.
    pub fn retry_charge(&mut self, now: Micros, candidate: CandidateId, tenant: TenantId) -> bool {
        let several = self.layout.places.len() > 1;
        let model = self.model_of(candidate);
        let tenant = self.layout.places.get(tenant.0 as usize).copied();
        let Some((model, tenant)) = model.zip(tenant) else { return false };
        self.layout.models[model as usize].retries.charge(now, tenant as usize, several)
    }

    /// A claim fell short: says so when it was the tenant's budget.
    pub(super) fn note_short(&mut self, now: Micros, short: &Short) {
        if let Short::NotUntil(NotUntil { scope, blocked: Blocked::Budget, .. }) = short {
            self.note(now, *scope, Threshold::Hard);
        }
    }

    /// A stream is cut for its tenant's budget.
    pub(super) fn note_hard(&mut self, now: Micros, claim: &Claim) {
        let budget = claim.parts.iter().map(|part| &self.cells[part.cell.0 as usize]);
        let scope = budget.filter(|cell| cell.budget().is_some()).map(|cell| cell.scope).next();
        if let Some(scope) = scope {
            self.note(now, scope, Threshold::Hard);
        }
    }

    /// Says which thresholds a settlement passed.
    pub(super) fn note_spent(&mut self, now: Micros, claim: &Claim) {
        for at in 0..claim.parts.len() {
            let cell = &self.cells[claim.parts[at].cell.0 as usize];
            let Some(budget) = cell.budget() else { continue };
            let (scope, soft, hard) = (cell.scope, budget.past_soft(now), budget.is_spent(now));
            if soft {
                self.note(now, scope, Threshold::Soft);
            }
            if hard {
                self.note(now, scope, Threshold::Hard);
            }
        }
    }

    /// Once a period.
    fn note(&mut self, now: Micros, scope: Scope, threshold: Threshold) {
        let Scope::Tenant(number) = scope else { return };
        let left = self.left(now, number);
        let tenant = &mut self.layout.tenants[number as usize];
        let Some((place, quota)) = tenant.place.zip(tenant.quota) else { return };
        let period = Some(now.0.checked_div(quota.period.0).unwrap_or(0));
        let said = &mut tenant.said[threshold as usize];
        if *said != period {
            *said = period;
            self.crossings.push(Crossing { tenant: place, threshold, left });
        }
    }

    fn left(&self, now: Micros, tenant: u32) -> Left {
        let budget = |dimension| {
            let cell = self.find(Scope::Tenant(tenant), dimension)?;
            self.cells[cell.0 as usize].budget()
        };
        let (tokens, cost) = (budget(Dimension::TokenBudget), budget(Dimension::MoneyBudget));
        let renews = tokens.or(cost).and_then(|budget| budget.renews(now));
        Left {
            tokens: tokens.map(|budget| Tokens(budget.unspent(now))),
            cost: cost.map(|budget| NanoDollars(budget.unspent(now))),
            renews: renews.map(|at| at.minus(now)),
        }
    }

    fn budgets(&self, tenant: TenantId) -> impl Iterator<Item = &Budget> {
        let number = self.layout.places.get(tenant.0 as usize);
        let cells = number.map(|number| &self.layout.tenants[*number as usize].cells);
        cells
            .into_iter()
            .flat_map(|cells| cells.iter())
            .filter_map(|cell| self.cells[cell.0 as usize].budget())
    }
}
