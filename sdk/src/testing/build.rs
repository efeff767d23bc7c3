//! One-line questions. Change a field with the struct-update syntax:
//! `Cell { slot_blocked: 3, ..testing::cell(1) }`.

use crate::classify::Response;
use crate::codes::{child as state, kind, scope};
use crate::fanout::{Child, Tree};
use crate::limit::{Attempt, Cell, Ending};
use crate::priority::Arrival;
use crate::retry::Failure;
use crate::route::{Candidate, Request};
use crate::schedule::{Flow, Item, Room, Service};
use crate::types::{Demand, Verdict};

/// A demand of one slot and one request.
#[must_use]
pub fn demand(input: u64, output: u64) -> Demand {
    Demand { slots: 1, requests: 1, input, output, cost: 0 }
}

/// A verdict of a `kind`, with no hint; retryable when it is a refusal for load.
#[must_use]
pub fn verdict(kind: u16) -> Verdict {
    Verdict {
        kind,
        scope: scope::UNKNOWN,
        retryable: kind::is_throttle(kind),
        wait: None,
        shrink: false,
        needs_person: false,
    }
}

/// An idle, open cell.
#[must_use]
pub fn cell(id: u32) -> Cell {
    Cell {
        id,
        limit: 1,
        effective: 1,
        in_flight: 0,
        slot_blocked: 0,
        last_start: 0,
        starts_1s: 0,
        starts_60s: 0,
        closed_until: 0,
    }
}

/// An attempt sent at a time, under a mark.
#[must_use]
pub fn attempt(sent: u64, mark: u64) -> Attempt {
    Attempt { sent, in_flight: 1, limit: 1, mark, size_class: 0 }
}

/// An end of a `kind` after a second.
#[must_use]
pub fn ending(kind: u16) -> Ending {
    Ending {
        verdict: verdict(kind),
        stage: 0,
        deadline: 0,
        blame: 0,
        latency: 1_000_000,
        first_content: None,
        input: 100,
        output: 100,
    }
}

/// A request of tenant 1, session 2, that declared no class.
#[must_use]
pub fn arrival(item: u64) -> Arrival {
    Arrival {
        item,
        tenant: 1,
        session: 2,
        task: 0,
        why: 0,
        declared_class: 255,
        deadline: None,
        demand: demand(100, 100),
        expected: 1_000_000,
        wait: 0,
        budget_spent: 0,
        depth: 0,
        attempts: 0,
    }
}

/// A flow that has been given nothing.
#[must_use]
pub fn flow(id: u64, parent: u64, weight: u32) -> Flow {
    let served = Service { requests: 0, input: 0, output: 0, cost: 0 };
    Flow { id, parent, level: 0, weight, served }
}

/// An item of class 1 in lane 1 that arrived at the time of its id.
#[must_use]
pub fn item(id: u64, flow: u64) -> Item {
    Item {
        id,
        flow,
        lane: 1,
        class: 1,
        rank: 0,
        arrived: id,
        deadline: 0,
        aging_step: 0,
        longest_wait: 0,
        demand: demand(100, 100),
        expected: 1_000_000,
        bound: 1_000_000,
        attempt: 0,
        depth: 0,
    }
}

/// Room for so many requests in a lane, with tokens to spare.
#[must_use]
pub fn room(lane: u32, slots: u32) -> Room {
    Room { lane, passing: false, slots, requests: u64::MAX, input: u64::MAX, output: u64::MAX }
}

/// A response to a chat request, read on 1 January 2026, 00:00:00 UTC.
#[must_use]
pub fn response(provider: &str, status: u16, headers: &[(&str, &str)], body: &str) -> Response {
    let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    Response {
        status,
        headers: headers.iter().map(own).collect(),
        body: body.to_owned(),
        provider: provider.to_owned(),
        endpoint: "/v1/chat/completions".to_owned(),
        wall_ms: 1_767_225_600_000,
    }
}

/// A first attempt that failed in a retryable way, nothing sent, with budget to spare.
#[must_use]
pub fn failure(kind: u16, attempts: u16) -> Failure {
    Failure {
        item: 1,
        verdict: Verdict { retryable: true, ..verdict(kind) },
        attempts,
        elapsed: 1_000_000,
        deadline: None,
        budget_left: 100,
        sent: 0,
        idempotent: true,
    }
}

/// A small request of class 1.
#[must_use]
pub fn request(item: u64) -> Request {
    Request { item, class: 1, deadline: None, input: 100, output: 100, prefix: Vec::new() }
}

/// A healthy, idle candidate with 10 slots.
#[must_use]
pub fn candidate(id: u32) -> Candidate {
    Candidate {
        id,
        fits: true,
        wait: 0,
        in_flight: 0,
        limit: 10,
        queued: 0,
        base_weight: 1.0,
        cost: 0,
        cost_per_1k: 0,
        network_latency: 50_000,
        latency: 1_000_000,
        peak_latency: 1_000_000,
        success: 1.0,
        retries: 0.0,
        cached: 0,
        tries: 0,
        last_verdict: 0,
    }
}

/// A root task with 100,000 tokens to give and 10 free slots.
#[must_use]
pub fn tree() -> Tree {
    Tree {
        task: 1,
        width: 0,
        depth: 0,
        alive: 1,
        total: 1,
        budget_left: 100_000,
        reserve: 0,
        deadline: None,
        line_wait: 0,
        free_slots: 10,
    }
}

/// A running child that has spent nothing.
#[must_use]
pub fn child(task: u64) -> Child {
    Child { task, state: state::RUNNING, worth: 0.5, spent: 0, age: 0 }
}
