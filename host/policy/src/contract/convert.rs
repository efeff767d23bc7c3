//! Records of weir-sdk to records of the component boundary, and answers back, field by field.

use weir_sdk as sdk;

use super::{base, types};

/// `from => to { fields }`: every field by its own `From`.
macro_rules! records {
    ($($from:path => $to:path { $($field:ident),+ })+) => {
        $(impl From<$from> for $to {
            fn from(value: $from) -> Self {
                Self { $($field: value.$field.into()),+ }
            }
        })+
    };
}

use super::classify::exports::weir::policy::classify;
use super::fanout::exports::weir::policy::fanout;
use super::limit::exports::weir::policy::limit;
use super::priority::exports::weir::policy::priority;
use super::retry::exports::weir::policy::retry;
use super::route::exports::weir::policy::route;
use super::schedule::exports::weir::policy::schedule;
use base::exports::weir::policy::lifecycle;

records! {
    sdk::types::Demand => types::Demand { slots, requests, input, output, cost }
    sdk::types::Verdict => types::Verdict { kind, scope, retryable, wait, shrink, needs_person }
    types::Verdict => sdk::types::Verdict { kind, scope, retryable, wait, shrink, needs_person }
    sdk::lifecycle::Named => lifecycle::Named { kind, id, name }
    sdk::lifecycle::Origin => lifecycle::Origin { name, version, saved_at }
    lifecycle::Description => sdk::lifecycle::Description { name, version, summary, settings_schema }

    sdk::priority::Arrival => priority::Arrival {
        item, tenant, session, task, why, declared_class, deadline, demand, expected, wait, budget_spent,
        depth, attempts
    }
    priority::Placement => sdk::priority::Placement {
        class, rank, weight, aging_step, longest_wait, may_shed
    }

    sdk::schedule::Service => schedule::Service { requests, input, output, cost }
    sdk::schedule::Flow => schedule::Flow { id, parent, level, weight, served }
    sdk::schedule::Item => schedule::Item {
        id, flow, lane, class, rank, arrived, deadline, aging_step, longest_wait, demand, expected, bound,
        attempt, depth
    }
    sdk::schedule::Started => schedule::Started { item, flow, candidate, charge }
    sdk::schedule::Returned => schedule::Returned { item, flow, blocked, held, not_before }
    sdk::schedule::Left => schedule::Left { item, flow, why }
    sdk::schedule::Charged => schedule::Charged { flow, requests, input, output, cost }
    sdk::schedule::Room => schedule::Room { lane, passing, slots, requests, input, output }
    schedule::Choice => sdk::schedule::Choice { item, wake }

    sdk::limit::Opening => limit::Opening { start, ceiling }
    sdk::limit::Cell => limit::Cell {
        id, limit, effective, in_flight, slot_blocked, last_start, starts_1s, starts_60s, closed_until
    }
    sdk::limit::Attempt => limit::Attempt { sent, in_flight, limit, mark, size_class }
    sdk::limit::Ending => limit::Ending {
        verdict, stage, deadline, blame, latency, first_content, input, output
    }
    limit::Answer => sdk::limit::Answer {
        limit, caps, request_rate, token_rate, closed_until, reopen_with, wake, reason, mark
    }

    sdk::classify::Response => classify::Response { status, headers, body, provider, endpoint, wall_ms }
    classify::Classification => sdk::classify::Classification { verdict, evidence }

    sdk::retry::Untried => retry::Untried { candidate, opens }
    sdk::retry::Failure => retry::Failure {
        item, verdict, attempts, elapsed, deadline, budget_left, sent, idempotent
    }
    retry::Decision => sdk::retry::Decision { action, after, reason }

    sdk::route::Request => route::Request { item, class, deadline, input, output, prefix }
    sdk::route::Candidate => route::Candidate {
        id, fits, wait, in_flight, limit, queued, base_weight, cost, cost_per_1k, network_latency, latency,
        peak_latency, success, retries, cached, tries, last_verdict
    }
    route::Choice => sdk::route::Choice { candidate, score, reason, patience }
    sdk::route::Outcome => route::Outcome {
        candidate, verdict, latency, first_content, input, cached, output
    }

    sdk::fanout::Tree => fanout::Tree {
        task, width, depth, alive, total, budget_left, reserve, deadline, line_wait, free_slots
    }
    sdk::fanout::Child => fanout::Child { task, state, worth, spent, age }
    fanout::Plan => sdk::fanout::Plan { start, budget_each, cancel, ask_again, refusal }
}

impl From<sdk::schedule::Event> for schedule::Event {
    fn from(event: sdk::schedule::Event) -> Self {
        match event {
            sdk::schedule::Event::Flow(flow) => Self::Flow(flow.into()),
            sdk::schedule::Event::Item(item) => Self::Item(item.into()),
            sdk::schedule::Event::Started(started) => Self::Started(started.into()),
            sdk::schedule::Event::Returned(returned) => Self::Returned(returned.into()),
            sdk::schedule::Event::Left(left) => Self::Left(left.into()),
            sdk::schedule::Event::Charged(charged) => Self::Charged(charged.into()),
            sdk::schedule::Event::Gone(flow) => Self::Gone(flow),
        }
    }
}
