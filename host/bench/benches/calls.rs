//! One call of each interface: the shipped policy as a component, and the same crate compiled natively.

#![expect(clippy::expect_used, reason = "a benchmark that cannot run says where and stops")]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use weir_core::ids::{CellId, GroupId};
use weir_core::units::Micros;
use weir_core::{Policies, Slot};
use weir_native::Native;
use weir_policy::{Component, Engine, Options, Pace, Prepared, Slots, Source};
use weir_sdk::codes::kind;
use weir_sdk::limit::Opening;
use weir_sdk::schedule::{Event, Service, Started};
use weir_sdk::testing;

const START: Micros = Micros(1_000_000);
/// Time goes on between questions, so that no policy uses up what it may use in a second.
const BETWEEN: Micros = Micros(1_000);
const GROUP: GroupId = GroupId(1);
/// What `weir serve` uses by default.
const SHIPPED: [(Slot, &str); 7] = [
    (Slot::Priority, "priority-classes"),
    (Slot::Schedule, "schedule-drr"),
    (Slot::Limit, "limit-ceiling"),
    (Slot::Classify, "classify-standard"),
    (Slot::Retry, "retry-budgeted"),
    (Slot::Route, "route-weighted"),
    (Slot::Fanout, "fanout-budget"),
];

fn components() -> Slots {
    let options = Options { pace: Pace::Live, cache: None, seed: 1 };
    let engine = Engine::new(&options).expect("an engine");
    let mut slots = Slots::default();
    for (slot, name) in SHIPPED {
        let shipped = weir_shipped::find(name).expect("shipped");
        let component = Component::load(&engine, shipped.wasm, Source::BuiltIn).expect("loads");
        let ready = Prepared::new(component, slot, String::new()).expect("starts");
        slots.swap(START, ready).expect("is taken");
        if slots.standby(slot).is_some() {
            slots.level(START, slot).expect("takes over");
        }
    }
    slots
}

/// Nothing is asked of a policy that was not told what it is about.
fn tell(policies: &mut dyn Policies) {
    let opening = Opening { start: 8, ceiling: 0 };
    policies.open(START, testing::cell(1), opening).expect("opens");
    let flows = [Event::Flow(testing::flow(1, 0, 1)), Event::Flow(testing::flow(2, 1, 1))];
    policies.update(START, GROUP, &mut flows.to_vec()).expect("updates");
}

/// An item comes, is picked and starts: what one admission asks of a schedule.
fn schedule(policies: &mut dyn Policies, now: Micros) {
    let mut events = vec![Event::Item(testing::item(7, 2))];
    policies.update(now, GROUP, &mut events).expect("updates");
    let choice = policies.pick(now, GROUP, testing::room(1, 1)).expect("picks");
    assert_eq!(choice.item, Some(7));
    let charge = Service { requests: 1, input: 100, output: 50, cost: 0 };
    let started = Started { item: 7, flow: 2, candidate: 1, charge };
    policies.update(now, GROUP, &mut vec![Event::Started(started)]).expect("updates");
}

fn limit(policies: &mut dyn Policies, now: Micros) {
    let (cell, attempt) = (testing::cell(1), testing::attempt(1, 0));
    black_box(policies.ended(now, cell, attempt, testing::ending(kind::SUCCESS)).expect("answers"));
}

fn ask(policies: &mut dyn Policies, slot: Slot, now: Micros) {
    match slot {
        Slot::Priority => {
            black_box(policies.place(now, testing::arrival(1))).expect("answers");
        }
        Slot::Schedule => schedule(policies, now),
        Slot::Limit => limit(policies, now),
        Slot::Classify => {
            let headers = [("retry-after", "2"), ("content-type", "application/json")];
            let body = r#"{"error":{"message":"Rate limit reached","type":"tokens","code":"rate_limit_exceeded"}}"#;
            let response = testing::response("openai", 429, &headers, body);
            black_box(policies.classify(now, &response)).expect("answers");
        }
        Slot::Retry => {
            let failure = testing::failure(kind::SERVER_ERROR, 1);
            black_box(policies.retry(now, failure, &[], 7)).expect("answers");
        }
        Slot::Route => {
            let candidates = [testing::candidate(1), testing::candidate(2)];
            black_box(policies.order(now, &testing::request(1), &candidates, 7)).expect("answers");
        }
        Slot::Fanout => {
            let children = [testing::child(2), testing::child(3)];
            black_box(policies.fanout(now, testing::tree(), 2, &children)).expect("answers");
        }
    }
}

fn calls(criterion: &mut Criterion) {
    let mut wasm = components();
    let mut native = Native::start().expect("starts");
    tell(&mut wasm);
    tell(&mut native);
    let mut now = START;
    for slot in Slot::ALL {
        let mut next = || {
            now += BETWEEN;
            now
        };
        let mut group = criterion.benchmark_group(slot.name());
        group.bench_function("wasm", |bench| bench.iter(|| ask(&mut wasm, slot, next())));
        group.bench_function("native", |bench| bench.iter(|| ask(&mut native, slot, next())));
        group.finish();
    }
    wasm.close(CellId(1)).expect("closes");
    assert_eq!(wasm.events().len(), 0, "a policy failed while it was measured");
}

criterion_group!(benches, calls);
criterion_main!(benches);
