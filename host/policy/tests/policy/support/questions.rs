//! One question for each slot.

use weir_core::ids::GroupId;
use weir_core::units::Micros;
use weir_core::{Fault, Policies, Slot};
use weir_policy::Slots;
use weir_sdk::types::{Demand, Verdict};
use weir_sdk::{classify, fanout, limit, priority, retry, route, schedule};

pub const NOW: Micros = Micros::from_secs(1);

/// Asks; the answer is the count of calls that the hostile policy has answered, where it tells.
pub fn ask(slots: &mut Slots, slot: Slot) -> Result<u64, Fault> {
    ask_at(slots, slot, NOW)
}

pub fn ask_at(slots: &mut Slots, slot: Slot, now: Micros) -> Result<u64, Fault> {
    match slot {
        Slot::Priority => slots.place(now, arrival()).map(|placement| placement.rank as u64),
        Slot::Schedule => slots.pick(now, GroupId(1), room()).map(|choice| choice.wake),
        Slot::Limit => slots.accepted(now, cell(), attempt()).map(|answer| answer.mark),
        Slot::Classify => slots.classify(now, &response()).map(|_| 0),
        Slot::Retry => slots.retry(now, failure(), &[untried()], 7).map(|decision| decision.after),
        Slot::Route => {
            let choices = slots.order(now, &request(), &[candidate()], 7)?;
            Ok(choices.first().map_or(0, |choice| choice.patience))
        }
        Slot::Fanout => slots.fanout(now, tree(), 1, &[child()]).map(|plan| plan.ask_again),
    }
}

/// The function that [`ask`] calls, as the hostile policy names it.
pub fn function(slot: Slot) -> &'static str {
    match slot {
        Slot::Priority => "place",
        Slot::Schedule => "pick",
        Slot::Limit => "accepted",
        Slot::Classify => "classify",
        Slot::Retry => "decide",
        Slot::Route => "order",
        Slot::Fanout => "fanout",
    }
}

const DEMAND: Demand = Demand { slots: 1, requests: 1, input: 100, output: 50, cost: 7 };
const VERDICT: Verdict = Verdict {
    kind: 6,
    scope: 2,
    retryable: true,
    wait: Some(3),
    shrink: false,
    needs_person: false,
};

fn arrival() -> priority::Arrival {
    priority::Arrival {
        item: 1,
        tenant: 2,
        session: 3,
        task: 0,
        why: 0,
        declared_class: 255,
        deadline: None,
        demand: DEMAND,
        expected: 1_000,
        wait: 0,
        budget_spent: 0,
        depth: 0,
        attempts: 0,
    }
}

pub fn item(id: u64) -> schedule::Event {
    schedule::Event::Item(schedule::Item {
        id,
        flow: 3,
        lane: 1,
        class: 2,
        rank: 0,
        arrived: 5,
        deadline: 0,
        aging_step: 0,
        longest_wait: 0,
        demand: DEMAND,
        expected: 1_000,
        bound: 2_000,
        attempt: 0,
        depth: 0,
    })
}

fn room() -> schedule::Room {
    schedule::Room { lane: 1, passing: false, slots: 1, requests: 1, input: 1_000, output: 1_000 }
}

pub fn cell() -> limit::Cell {
    limit::Cell {
        id: 1,
        limit: 8,
        effective: 8,
        in_flight: 1,
        slot_blocked: 0,
        last_start: 0,
        starts_1s: 1,
        starts_60s: 1,
        closed_until: 0,
    }
}

fn attempt() -> limit::Attempt {
    limit::Attempt { sent: 1, in_flight: 1, limit: 8, mark: 0, size_class: 0 }
}

pub fn response() -> classify::Response {
    classify::Response {
        status: 429,
        headers: vec![("retry-after".into(), "1".into())],
        body: "{}".into(),
        provider: "openai".into(),
        endpoint: "/v1/chat/completions".into(),
        wall_ms: 0,
    }
}

fn failure() -> retry::Failure {
    retry::Failure {
        item: 1,
        verdict: VERDICT,
        attempts: 1,
        elapsed: 10,
        deadline: Some(99),
        budget_left: 3,
        sent: 0,
        idempotent: true,
    }
}

fn untried() -> retry::Untried {
    retry::Untried { candidate: 2, opens: 5 }
}

fn request() -> route::Request {
    route::Request { item: 1, class: 2, deadline: None, input: 1, output: 1, prefix: vec![1, 2] }
}

fn candidate() -> route::Candidate {
    route::Candidate {
        id: 1,
        fits: true,
        wait: 0,
        in_flight: 0,
        limit: 8,
        queued: 0,
        base_weight: 1.0,
        cost: 1,
        cost_per_1k: 1,
        network_latency: 1,
        latency: 1,
        peak_latency: 1,
        success: 1.0,
        retries: 0.0,
        cached: 0,
        tries: 0,
        last_verdict: 0,
    }
}

fn tree() -> fanout::Tree {
    fanout::Tree {
        task: 1,
        width: 0,
        depth: 0,
        alive: 1,
        total: 1,
        budget_left: 1_000,
        reserve: 10,
        deadline: None,
        line_wait: 0,
        free_slots: 1,
    }
}

fn child() -> fanout::Child {
    fanout::Child { task: 2, state: 2, worth: 0.5, spent: 1, age: 1 }
}
