//! How the core stands, for metrics, the page and the admin.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Core, Pace};
use crate::budget::Left;
use crate::ids::{LaneId, TenantId};
use crate::output::Refusal;
use crate::policies::Slot;
use crate::units::{Micros, Tokens};

/// Everything at one moment.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct View {
    /// When.
    pub now: Micros,
    /// By upstream, in the order of the configuration.
    pub upstreams: Vec<UpstreamView>,
    /// By lane, in the order of the configuration.
    pub lanes: Vec<LaneView>,
    /// By tenant, in the order of the configuration.
    pub tenants: Vec<TenantView>,
    /// Requests that wait.
    pub waiting: usize,
    /// Bytes that they hold.
    pub waiting_bytes: u64,
    /// Attempts in flight.
    pub in_flight: usize,
    /// Input tokens reserved by attempts in flight.
    pub reserved_input: Tokens,
    /// Output tokens reserved by attempts in flight.
    pub reserved_output: Tokens,
    /// How long a request at the line's end should wait.
    pub line_wait: Micros,
}

/// An account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UpstreamView {
    /// Its name.
    pub name: String,
    /// What the limit policy answered last.
    pub limit: u32,
    /// What holds.
    pub effective: u32,
    /// Attempts in flight.
    pub in_flight: u32,
    /// Requests that wait for its slots alone.
    pub slot_blocked: u32,
    /// Requests that wait in lanes with it.
    pub queued: usize,
    /// Closed until then; absent when open.
    pub closed_until: Option<Micros>,
}

/// A lane.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LaneView {
    /// Its name.
    pub name: String,
    /// Requests that wait in it.
    pub waiting: usize,
    /// When the held head is expected to start; absent when none is held.
    pub held_until: Option<Micros>,
}

/// A tenant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TenantView {
    /// Its name.
    pub name: String,
    /// Requests of it that wait.
    pub waiting: usize,
    /// Share of its tightest budget that is spent, in thousandths.
    pub budget_spent: u16,
    /// Tokens left of its budget, when they are limited.
    pub tokens_left: Option<Tokens>,
    /// Money left of its budget, in billionths of a dollar, when it is limited.
    pub cost_left: Option<u64>,
}

/// What happened since the start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counters {
    /// Requests that the line took.
    pub arrived: u64,
    /// Attempts sent.
    pub admitted: u64,
    /// Requests refused by this host, by the refusal's name.
    pub refused: BTreeMap<&'static str, u64>,
    /// Requests whose callers went away while they waited.
    pub cancelled: u64,
    /// Failures tried again.
    pub retried: u64,
    /// Refusals before work began that sent a request back to the line.
    pub flow_control: u64,
    /// Requests whose provider's answer was passed on as it was.
    pub given_up: u64,
    /// Refusals for load, by upstream.
    pub throttled: BTreeMap<String, u64>,
    /// Answers that the fallback gave, by slot.
    pub fallbacks: BTreeMap<Slot, u64>,
}

impl Counters {
    pub(super) fn refused(&mut self, refusal: &Refusal) {
        let name = match refusal {
            Refusal::Full { .. } => "full",
            Refusal::NotUntil { .. } => "not-until",
            Refusal::Never { .. } => "never",
            Refusal::Budget { .. } => "budget",
            Refusal::Expired => "expired",
            Refusal::Shed { .. } => "shed",
            Refusal::Deadlock => "deadlock",
            Refusal::NoCandidate => "no-candidate",
        };
        *self.refused.entry(name).or_default() += 1;
    }
}

impl Pace {
    /// An admission of an item that has waited for so long: the gap since the last one, as a decaying mean.
    /// Time in which nobody waited is no gap.
    pub(super) fn mark(&mut self, now: Micros, waited: Micros) {
        let gap = now.minus(self.last).min(waited).0 as f64;
        self.gap += 0.05 * (gap - self.gap);
        self.last = now;
    }
}

impl Core {
    /// How the core stands now.
    #[must_use]
    pub fn view(&self, now: Micros) -> View {
        let now = now.max(self.now);
        let demands = self.attempts.iter().map(|(_, attempt)| attempt.held.claim().demand);
        let (input, output) = demands.fold((0_u64, 0_u64), |(input, output), demand| {
            (input.saturating_add(demand.input), output.saturating_add(demand.output))
        });
        View {
            now,
            upstreams: self.upstream_views(now),
            lanes: self.lane_ids().filter_map(|id| self.lane_view(id)).collect(),
            tenants: self.tenant_views(now),
            waiting: self.line.waiting(),
            waiting_bytes: self.line.bytes(),
            in_flight: self.attempts.len(),
            reserved_input: Tokens(input),
            reserved_output: Tokens(output),
            line_wait: self.line_wait(),
        }
    }

    fn upstream_views(&self, now: Micros) -> Vec<UpstreamView> {
        let cells = self.ledger.slot_cells().zip(self.config.upstreams.iter().enumerate());
        cells
            .filter_map(|(id, (place, upstream))| {
                let cell = self.ledger.view(now, id)?;
                Some(UpstreamView {
                    name: upstream.name.clone(),
                    limit: cell.limit,
                    effective: cell.effective,
                    in_flight: cell.in_flight,
                    slot_blocked: cell.slot_blocked,
                    queued: self.queued_at(place),
                    closed_until: Some(Micros(cell.closed_until)).filter(|at| *at > now),
                })
            })
            .collect()
    }

    fn queued_at(&self, upstream: usize) -> usize {
        let here = |id: &LaneId| {
            let ids = self.lane(*id).map(|lane| lane.candidates.as_slice()).unwrap_or_default();
            ids.iter().any(|id| self.topology.candidate(*id).map(|c| c.upstream) == Some(upstream))
        };
        self.lane_ids().filter(here).map(|id| self.line.lane(id)).sum()
    }

    fn lane_view(&self, id: LaneId) -> Option<LaneView> {
        let lane = self.lane(id)?;
        Some(LaneView {
            name: lane.name.clone(),
            waiting: self.line.lane(id),
            held_until: lane.held.as_ref().map(|held| held.eta),
        })
    }

    fn tenant_views(&self, now: Micros) -> Vec<TenantView> {
        let tenants = self.config.tenants.iter().enumerate();
        tenants
            .map(|(place, tenant)| {
                let id = TenantId(place as u32);
                let Left { tokens, cost, .. } = self.ledger.budget_left(now, id);
                TenantView {
                    name: tenant.name.clone(),
                    waiting: self.line.tenant(id),
                    budget_spent: self.ledger.budget_spent(now, id),
                    tokens_left: tokens,
                    cost_left: cost.map(|cost| cost.0),
                }
            })
            .collect()
    }
}
