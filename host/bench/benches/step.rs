//! What one admission costs: a request arrives, another ends, and the next one starts.
//!
//! The cost must not depend on how many wait: with 100,000 at most one and a half times that with 1,000.
//! Groups hold the fallback and two native schedules, so that one run shows each ratio.

#![expect(clippy::expect_used, reason = "a benchmark that cannot run says where and stops")]

use std::collections::VecDeque;
use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use weir_core::config::{
    Config, Lane, Limits, Line, Model, Price, Ramp, RetryBudget, Tenant, Upstream,
};
use weir_core::ids::{AttemptId, CandidateId, ItemId, LaneId, TenantId};
use weir_core::units::{Micros, Tokens};
use weir_core::{
    Arrival, Core, End, Facts, Fallback, Input, Outcome, Output, Policies, Sent, Slot, Stage, Usage,
};
use weir_native::Native;
use weir_sdk::native;

/// Makes the policies of a group.
type Make = fn() -> Box<dyn Policies>;

/// Requests in flight.
const SLOTS: u32 = 8;

fn config(tenants: u64) -> Config {
    let limits = Limits { concurrency: Some(SLOTS), ..Limits::default() };
    let model = Model { name: "m".to_owned(), limits: Limits::default(), price: Price::default() };
    let tenant =
        |n| Tenant { name: format!("t{n}"), weight: 1, limits: Limits::default(), quota: None };
    Config {
        seed: 1,
        line: Line {
            max_items: 1_000_000,
            max_items_per_tenant: 1_000_000,
            max_bytes: u64::MAX,
            default_deadline: Micros::from_secs(1_000_000),
            ..Line::default()
        },
        upstreams: vec![Upstream {
            name: "a".to_owned(),
            kind: "openai".to_owned(),
            limits,
            base_weight: 1.0,
            models: vec![model],
        }],
        tenants: (0..tenants).map(tenant).collect(),
        lanes: vec![Lane { name: "m".to_owned(), candidates: vec![CandidateId(0)] }],
        retries: RetryBudget::default(),
        ramp: Ramp::default(),
    }
}

fn arrival(item: u64, tenants: u64) -> Arrival {
    Arrival {
        item: ItemId(item),
        tenant: TenantId((item % tenants) as u32),
        session: format!("s{}", item % 97),
        task: String::new(),
        parent: None,
        lane: LaneId(0),
        class: None,
        deadline: None,
        prompt_bytes: 400,
        body_bytes: 500,
        max_output: Some(Tokens(100)),
        prefix: Vec::new(),
        idempotent: true,
    }
}

fn success() -> End {
    let usage = Usage {
        input_counted: Tokens(100),
        input: Tokens(100),
        cached: Tokens(0),
        output: Tokens(60),
    };
    End {
        outcome: Outcome::Success,
        sent: Sent::Content,
        stage: Stage::Total,
        first_content: Some(Micros(200)),
        usage: Some(usage),
        output_seen: Tokens(60),
        facts: Facts::default(),
    }
}

/// A core with so many waiting.
struct Crowd {
    core: Core,
    policies: Box<dyn Policies>,
    now: Micros,
    next: u64,
    tenants: u64,
    flying: VecDeque<AttemptId>,
    out: Vec<Output>,
}

impl Crowd {
    fn new(policies: Box<dyn Policies>, waiting: u64, tenants: u64) -> Self {
        let mut crowd = Self {
            core: Core::new(config(tenants)).expect("a sound configuration"),
            policies,
            now: Micros::ZERO,
            next: 1,
            tenants,
            flying: VecDeque::new(),
            out: Vec::new(),
        };
        for _ in 0..waiting + u64::from(SLOTS) {
            crowd.arrive();
        }
        crowd
    }

    fn arrive(&mut self) {
        let arrival = arrival(self.next, self.tenants);
        self.next += 1;
        self.step(Input::Arrive(arrival));
    }

    /// One arrives, one ends, one starts.
    fn admit(&mut self) {
        self.arrive();
        let attempt = self.flying.pop_front().expect("every slot is taken");
        self.step(Input::Ended { attempt, end: success() });
    }

    fn step(&mut self, input: Input) {
        self.now = self.now.plus(Micros(1));
        self.out.clear();
        self.core.step(self.now, input, &mut *self.policies, &mut self.out);
        self.flying.extend(black_box(&self.out).iter().filter_map(|output| match output {
            Output::Admit(admit) => Some(admit.attempt),
            _ => None,
        }));
    }
}

/// The shipped policies with a limit that stays.
fn drr() -> Native {
    let steady = |slot| if slot == Slot::Limit { r#"{"ceiling": 8}"# } else { "" };
    Native::with(steady).expect("sound settings")
}

fn fifo() -> Native {
    let schedule = native::schedule::<schedule_fifo::Fifo>("", 0).expect("defaults");
    Native { schedule, ..drr() }
}

fn admission(criterion: &mut Criterion) {
    let policies: [(&str, Make); 3] = [
        ("fallback", || Box::new(Fallback::new())),
        ("drr", || Box::new(drr())),
        ("fifo", || Box::new(fifo())),
    ];
    for (name, make) in policies {
        let mut group = criterion.benchmark_group(name);
        for (waiting, tenants) in [(1_000, 10), (100_000, 10), (1_000, 2_000)] {
            let mut crowd = Crowd::new(make(), waiting, tenants);
            let id = BenchmarkId::new(format!("{tenants} tenants"), waiting);
            group.bench_function(id, |bencher| bencher.iter(|| crowd.admit()));
        }
        group.finish();
    }
}

criterion_group!(benches, admission);
criterion_main!(benches);
