//! A host: a core with what decides for it.

use std::collections::BTreeMap;

use weir_core::config::Tenant;
use weir_core::units::Micros;
use weir_core::{ConfigError, Core, Input, Output, Slot, TenantView, View};

use crate::decide::{Mind, Prepared};
use crate::record::{Book, Quota, Slots};
use crate::scenario::Plan;

/// Items that a policy which is to take over is told at once.
const SLICE: usize = 64;

/// A core, its policies, and what the world knows of it.
pub(super) struct Host {
    pub(super) core: Core,
    pub(super) mind: Mind,
    pub(super) out: Vec<Output>,
    pub(super) alive: bool,
    /// For each upstream: limit, effective limit, attempts in flight.
    pub(super) cells: Vec<Cell>,
    /// It was told something that it has not decided on.
    stirred: bool,
    /// A policy is being told the truth before it takes over.
    feeding: bool,
    /// Answers that the fallback gave before any policy could.
    unasked: BTreeMap<Slot, u64>,
}

/// An upstream as the world knows it at a host.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cell {
    pub(super) effective: u32,
    pub(super) in_flight: u32,
}

impl Host {
    pub(super) fn new(plan: &Plan, seed: u64, mind: Mind) -> Result<Self, ConfigError> {
        let core = Core::new(weir_core::Config { seed, ..plan.core.clone() })?;
        let mut host = Self {
            core,
            mind,
            out: Vec::new(),
            alive: true,
            cells: vec![Cell::default(); plan.providers.len()],
            stirred: true,
            feeding: true,
            unasked: BTreeMap::new(),
        };
        host.tell(Micros::ZERO, Input::Timer);
        // The core opens its cells of slots with its first input, and a limit policy answers nothing before it has been
        // fed, which is after that. The cells keep the limits that they are configured with, and the policy is fed
        // those: nothing of it was asked for in vain, so these are no answers that it owed.
        host.unasked.clone_from(&host.core.counters().fallbacks);
        for (cell, view) in host.cells.iter_mut().zip(host.core.view(Micros::ZERO).upstreams) {
            cell.effective = view.effective;
        }
        Ok(host)
    }

    /// Tells the core of something; it decides later.
    pub(super) fn tell(&mut self, now: Micros, input: Input) {
        self.stirred = true;
        self.core.apply(now, input, self.mind.policies(), &mut self.out);
    }

    /// An attempt more or less is in flight at an upstream: how many now, and its effective limit.
    pub(super) fn count(&mut self, now: Micros, upstream: usize, change: i32) -> (u32, u32) {
        let Some(cell) = self.cells.get_mut(upstream) else { return (0, 0) };
        cell.in_flight = cell.in_flight.saturating_add_signed(change);
        self.mind.in_flight(now, upstream, cell.in_flight);
        (cell.in_flight, cell.effective)
    }

    /// When it must decide at the latest.
    pub(super) fn wake(&self) -> Option<Micros> {
        if !self.alive {
            return None;
        }
        if self.stirred || self.feeding {
            return Some(Micros::ZERO);
        }
        [self.core.next_wake(), self.mind.due()].into_iter().flatten().min()
    }

    pub(super) fn is_due(&self, now: Micros) -> bool {
        self.wake().is_some_and(|at| at <= now)
    }

    pub(super) fn tick(&mut self, now: Micros) {
        if self.alive {
            self.mind.tick(now);
        }
    }

    pub(super) fn decide(&mut self, now: Micros) {
        self.stirred = false;
        self.core.decide(now, self.mind.policies(), &mut self.out);
        if self.feeding || self.mind.feeds() {
            self.feeding = self.core.maintain(now, self.mind.policies(), &mut self.out, SLICE);
        }
    }

    pub(super) fn swap(&mut self, now: Micros, policy: Prepared) {
        // When it fails, an event of the policies says so.
        self.mind.swap(now, policy);
        self.feeding = true;
    }

    /// Answers that the fallback gave in the stead of policies, by slot.
    pub(super) fn fallbacks(&self) -> impl Iterator<Item = (Slot, u64)> + '_ {
        let all = self.core.counters().fallbacks.iter();
        let unasked = |slot| self.unasked.get(slot).copied().unwrap_or(0);
        all.map(move |(slot, answers)| (*slot, answers - unasked(slot))).filter(|(_, n)| *n > 0)
    }

    /// What its core says of itself.
    pub(super) fn book(&self, instance: u16, view: &View) -> Book {
        let cells = view.upstreams.iter().zip(&self.cells);
        let tenants = view.tenants.iter().zip(&self.core.config().tenants);
        let quota = |(seen, tenant): (&TenantView, &Tenant)| {
            let quota =
                tenant.quota.filter(|it| it.period == Micros::ZERO || view.now < it.period)?;
            Some(Quota { tokens: quota.tokens?.0, unspent: seen.tokens_left?.0 })
        };
        Book {
            instance,
            admitted: self.core.counters().admitted,
            in_flight: view.in_flight as u64,
            waiting: view.waiting as u64,
            slots: cells
                .map(|(it, own)| Slots { taken: it.in_flight, used: own.in_flight })
                .collect(),
            quotas: tenants.map(quota).collect(),
        }
    }
}
