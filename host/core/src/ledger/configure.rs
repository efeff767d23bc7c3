//! From one configuration to the next.

use super::layout::{Account, Model, Set, Tenant};
use super::{Ledger, Reconfigured};
use crate::bucket::{Bucket, MAX_AMOUNT};
use crate::budget::Budget;
use crate::cell::{Body, Cell, Dimension, Scope};
use crate::config::{self, Config, Limits};
use crate::ids::{CellId, TenantId};
use crate::retry_budget::RetryBudget;
use crate::slots::{Cap, SlotCell};
use crate::units::Micros;

/// What an upstream starts with that names no concurrency.
const DEFAULT_START: u32 = 8;

impl Ledger {
    /// The cells of a configuration.
    #[must_use]
    pub fn new(now: Micros, config: &Config) -> Self {
        let mut ledger = Self {
            cells: Vec::new(),
            layout: super::layout::Layout::default(),
            ramp: config.ramp,
            crossings: Vec::new(),
        };
        ledger.configure(now, config);
        ledger
    }

    /// Goes over to a new configuration. Cells are matched by the names of upstream, model and tenant and
    /// by dimension; those that stay keep levels, debts, closures and what is held.
    pub fn configure(&mut self, now: Micros, config: &Config) -> Reconfigured {
        self.ramp = config.ramp;
        let mut changes = Reconfigured::default();
        self.configure_upstreams(now, config, &mut changes);
        self.configure_tenants(now, config, &mut changes);
        changes
    }

    fn configure_upstreams(&mut self, now: Micros, config: &Config, changes: &mut Reconfigured) {
        self.layout.upstreams.clear();
        self.layout.candidates.clear();
        self.layout.accounts.iter_mut().for_each(|account| account.live = false);
        for upstream in &config.upstreams {
            let account = self.configure_account(now, config, upstream, changes);
            self.layout.upstreams.push(account);
            for model in &upstream.models {
                let model = self.configure_model(now, account, model, &config.retries, changes);
                self.layout.candidates.push(model);
            }
        }
        for model in 0..self.layout.models.len() {
            if !self.layout.candidates.contains(&(model as u32)) {
                let cells = self.layout.models[model].cells.take();
                self.retire(&cells, changes);
            }
        }
        for account in 0..self.layout.accounts.len() {
            if !self.layout.accounts[account].live {
                let cells = self.layout.accounts[account].cells.take();
                self.retire(&cells, changes);
            }
        }
    }

    fn configure_account(
        &mut self,
        now: Micros,
        config: &Config,
        upstream: &config::Upstream,
        changes: &mut Reconfigured,
    ) -> u32 {
        let accounts = &mut self.layout.accounts;
        let known = accounts.iter().position(|account| account.name == upstream.name);
        let number = known.unwrap_or_else(|| {
            accounts.push(Account {
                name: upstream.name.clone(),
                live: true,
                cells: Set::default(),
            });
            accounts.len() - 1
        });
        accounts[number].live = true;
        let scope = Scope::Account(number as u32);
        if let Some(slots) = self.find(scope, Dimension::Slots) {
            if let Some(slots) = self.cells[slots.0 as usize].slots_mut() {
                slots.configure(&config.ramp);
            }
        } else {
            let start = upstream.limits.concurrency.unwrap_or(DEFAULT_START);
            let body = Body::Slots(Box::new(SlotCell::new(start, &config.ramp)));
            changes.opened.push(self.add(scope, Dimension::Slots, body));
        }
        self.configure_windows(now, scope, &upstream.limits, changes);
        number as u32
    }

    fn configure_model(
        &mut self,
        now: Micros,
        account: u32,
        model: &config::Model,
        retries: &config::RetryBudget,
        changes: &mut Reconfigured,
    ) -> u32 {
        let models = &mut self.layout.models;
        let known = models.iter().position(|m| m.account == account && m.name == model.name);
        let number = known.unwrap_or_else(|| {
            models.push(Model {
                account,
                name: model.name.clone(),
                price: model.price,
                cells: Set::default(),
                retries: RetryBudget::new(retries),
            });
            models.len() - 1
        });
        models[number].price = model.price;
        models[number].retries.configure(retries);
        self.configure_windows(now, Scope::Model(number as u32), &model.limits, changes);
        number as u32
    }

    fn configure_tenants(&mut self, now: Micros, config: &Config, changes: &mut Reconfigured) {
        self.layout.places.clear();
        self.layout.tenants.iter_mut().for_each(|tenant| tenant.place = None);
        for (place, tenant) in config.tenants.iter().enumerate() {
            let number = self.configure_tenant(now, TenantId(place as u32), tenant, changes);
            self.layout.places.push(number);
        }
        for tenant in 0..self.layout.tenants.len() {
            if self.layout.tenants[tenant].place.is_none() {
                let cells = self.layout.tenants[tenant].cells.take();
                self.retire(&cells, changes);
            }
        }
    }

    fn configure_tenant(
        &mut self,
        now: Micros,
        place: TenantId,
        tenant: &config::Tenant,
        changes: &mut Reconfigured,
    ) -> u32 {
        let tenants = &mut self.layout.tenants;
        let known = tenants.iter().position(|known| known.name == tenant.name);
        let number = known.unwrap_or_else(|| {
            tenants.push(Tenant {
                name: tenant.name.clone(),
                place: None,
                quota: None,
                cells: Set::default(),
                said: [None; 2],
            });
            tenants.len() - 1
        });
        tenants[number].place = Some(place);
        if tenants[number].quota != tenant.quota {
            tenants[number].said = [None; 2];
            tenants[number].quota = tenant.quota;
        }
        let scope = Scope::Tenant(number as u32);
        self.configure_cap(scope, tenant.limits.concurrency, changes);
        self.configure_windows(now, scope, &tenant.limits, changes);
        self.configure_quota(now, scope, tenant.quota, changes);
        number as u32
    }

    fn configure_cap(&mut self, scope: Scope, limit: Option<u32>, changes: &mut Reconfigured) {
        match (self.find(scope, Dimension::Slots), limit) {
            (None, None) => {}
            (None, Some(limit)) => {
                self.add(scope, Dimension::Slots, Body::Cap(Cap { limit, in_flight: 0 }));
            }
            (Some(cell), Some(limit)) => {
                if let Body::Cap(cap) = &mut self.cells[cell.0 as usize].body {
                    cap.limit = limit;
                }
            }
            (Some(_), None) => self.drop_cell(scope, Dimension::Slots, changes),
        }
    }

    fn configure_windows(
        &mut self,
        now: Micros,
        scope: Scope,
        limits: &Limits,
        changes: &mut Reconfigured,
    ) {
        for (dimension, limit) in [
            (Dimension::Requests, limits.rpm),
            (Dimension::Tokens, limits.tpm),
            (Dimension::Input, limits.input_tpm),
            (Dimension::Output, limits.output_tpm),
        ] {
            let Some(cell) = self.find(scope, dimension) else {
                if limit.is_some() {
                    self.add(scope, dimension, Body::Window(Bucket::per_minute(now, limit)));
                }
                continue;
            };
            let cell = &mut self.cells[cell.0 as usize];
            let closed = cell.closure.until(now).is_some();
            let Some(bucket) = cell.bucket_mut() else { continue };
            bucket.configure(now, limit);
            if bucket.capacity().is_none() && !closed {
                self.drop_cell(scope, dimension, changes);
            }
        }
    }

    fn configure_quota(
        &mut self,
        now: Micros,
        scope: Scope,
        quota: Option<config::Quota>,
        changes: &mut Reconfigured,
    ) {
        let tokens = quota.and_then(|quota| quota.tokens).map(|tokens| tokens.0);
        let cost = quota.and_then(|quota| quota.cost).map(|cost| cost.0);
        for (dimension, total) in [(Dimension::TokenBudget, tokens), (Dimension::MoneyBudget, cost)]
        {
            let Some((quota, total)) = quota.zip(total) else {
                self.drop_cell(scope, dimension, changes);
                continue;
            };
            let Some(cell) = self.find(scope, dimension) else {
                let mut budget = Budget::new(total, quota.period, quota.soft);
                budget.configure(now, total, quota.period, quota.soft);
                self.add(scope, dimension, Body::Budget(budget));
                continue;
            };
            if let Body::Budget(budget) = &mut self.cells[cell.0 as usize].body {
                budget.configure(now, total, quota.period, quota.soft);
            }
        }
    }

    /// The live cell of a scope.
    pub(super) fn find(&self, scope: Scope, dimension: Dimension) -> Option<CellId> {
        self.set(scope).get(dimension)
    }

    /// A window of a scope, made when there is none: without a limit it can still be closed or corrected.
    pub(super) fn window(&mut self, now: Micros, scope: Scope, dimension: Dimension) -> CellId {
        self.find(scope, dimension).unwrap_or_else(|| {
            self.add(scope, dimension, Body::Window(Bucket::per_minute(now, None)))
        })
    }

    fn add(&mut self, scope: Scope, dimension: Dimension, body: Body) -> CellId {
        let id = CellId(self.cells.len() as u32);
        self.cells.push(Cell::new(id, scope, dimension, body));
        self.set_mut(scope).set(dimension, Some(id));
        id
    }

    fn drop_cell(&mut self, scope: Scope, dimension: Dimension, changes: &mut Reconfigured) {
        if let Some(cell) = self.find(scope, dimension) {
            self.set_mut(scope).set(dimension, None);
            self.cells[cell.0 as usize].retired = true;
            changes.retired.push(cell);
        }
    }

    fn retire(&mut self, cells: &Set, changes: &mut Reconfigured) {
        for cell in cells.iter() {
            self.cells[cell.0 as usize].retired = true;
            changes.retired.push(cell);
        }
    }

    fn set(&self, scope: Scope) -> &Set {
        match scope {
            Scope::Account(number) => &self.layout.accounts[number as usize].cells,
            Scope::Model(number) => &self.layout.models[number as usize].cells,
            Scope::Tenant(number) => &self.layout.tenants[number as usize].cells,
        }
    }

    fn set_mut(&mut self, scope: Scope) -> &mut Set {
        match scope {
            Scope::Account(number) => &mut self.layout.accounts[number as usize].cells,
            Scope::Model(number) => &mut self.layout.models[number as usize].cells,
            Scope::Tenant(number) => &mut self.layout.tenants[number as usize].cells,
        }
    }
}

/// An amount that is counted; what is above is absurd and read as this.
pub(super) fn counted(amount: u64) -> u64 {
    amount.min(MAX_AMOUNT)
}
