//! What the scheduler counts.

use std::collections::HashMap;
use std::sync::Arc;

use weir_core::ids::TenantId;
use weir_core::units::Micros;
use weir_core::{Admit, End, Event, Outcome, Refusal, Settled, Slot, View};
use weir_policy::Meter;

use crate::metrics::Metrics;

/// The scheduler's pen.
pub(super) struct Count {
    metrics: Arc<Metrics>,
    upstreams: HashMap<String, usize>,
}

impl Count {
    pub(super) fn new(metrics: Arc<Metrics>, upstreams: HashMap<String, usize>) -> Self {
        Self { metrics, upstreams }
    }

    /// So many more requests wait.
    pub(super) fn waits(&self, more: i8) {
        self.metrics.queue_depth.increment(f64::from(more));
    }

    pub(super) fn admitted(&self, tenant: TenantId, admit: &Admit) {
        self.waits(-1);
        if let Some(tenant) = self.metrics.tenant(tenant) {
            tenant.wait.record(admit.waited.0 as f64 / 1_000.0);
        }
        let Some(candidate) = self.metrics.candidate(admit.candidate) else { return };
        candidate.inflight.increment(1.0);
        candidate.reserved_output.increment(admit.output_reserved.0 as f64);
        if let Some(pair) = candidate.pair(tenant) {
            pair.allowed.increment(1);
        }
    }

    pub(super) fn refused(&self, tenant: TenantId, refusal: &Refusal) {
        self.waits(-1);
        if let Some(tenant) = self.metrics.tenant(tenant) {
            tenant.rejected.count(refusal);
        }
    }

    pub(super) fn ended(&self, admit: &Admit, end: &End) {
        let Outcome::Response(response) = &end.outcome else { return };
        if response.status == 429
            && let Some(candidate) = self.metrics.candidate(admit.candidate)
        {
            self.metrics.upstreams[candidate.upstream].refused_429.increment(1);
        }
    }

    pub(super) fn settled(&self, tenant: TenantId, admit: &Admit, settled: &Settled) {
        let Some(candidate) = self.metrics.candidate(admit.candidate) else { return };
        candidate.inflight.decrement(1.0);
        candidate.reserved_output.decrement(admit.output_reserved.0 as f64);
        if let Some(pair) = candidate.pair(tenant) {
            pair.input.increment(settled.input.0);
            pair.output.increment(settled.output.0);
        }
    }

    /// An item goes back to the line, to come out after a while at the earliest.
    pub(super) fn again(&self, admit: &Admit, after: Micros) {
        let Some(candidate) = self.metrics.candidate(admit.candidate) else { return };
        let upstream = &self.metrics.upstreams[candidate.upstream];
        upstream.retries.increment(1);
        upstream.retry_after.record(after.0 as f64 / 1_000.0);
    }

    /// Brings up to date what is read rather than counted.
    pub(super) fn measured(&self, view: &View, meters: Vec<(Slot, &Meter)>) {
        self.metrics.reserved_input.set(view.reserved_input.0 as f64);
        for (tenant, seen) in self.metrics.tenants.iter().zip(&view.tenants) {
            tenant.budget.set(f64::from(seen.budget_spent) / 1_000.0);
        }
        for seen in &view.upstreams {
            if let Some(place) = self.upstreams.get(&seen.name) {
                self.metrics.upstreams[*place].limit.set(f64::from(seen.effective));
            }
        }
        for (slot, meter) in meters {
            self.metrics.measured(slot, meter);
        }
    }

    pub(super) fn event(&self, event: &Event) {
        let of = |upstream| self.upstreams.get(upstream).map(|at| &self.metrics.upstreams[*at]);
        match event {
            Event::ConcurrencyChanged { upstream, effective, .. } => {
                if let Some(upstream) = of(upstream) {
                    upstream.limit.set(f64::from(*effective));
                }
            }
            Event::Cooldown { upstream, .. } => {
                if let Some(upstream) = of(upstream) {
                    upstream.cooldowns.increment(1);
                }
            }
            _ => {}
        }
    }
}
