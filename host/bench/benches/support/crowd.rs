//! A core with many requests waiting, of which one comes and one goes at a time.

use std::collections::VecDeque;
use std::hint::black_box;

use weir_core::config::{
    Config, Lane, Limits, Line, Model, Price, Ramp, RetryBudget, Tenant, Upstream,
};
use weir_core::ids::{AttemptId, CandidateId, ItemId, LaneId, TenantId};
use weir_core::units::{Micros, Tokens};
use weir_core::{Arrival, Core, End, Facts, Input, Outcome, Output, Policies, Sent, Stage, Usage};

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
pub(crate) struct Crowd<P> {
    pub(crate) policies: P,
    pub(crate) now: Micros,
    pub(crate) core: Core,
    next: u64,
    tenants: u64,
    flying: VecDeque<AttemptId>,
    out: Vec<Output>,
}

impl<P: Policies> Crowd<P> {
    pub(crate) fn new(policies: P, waiting: u64, tenants: u64) -> Self {
        let mut crowd = Self {
            policies,
            now: Micros::ZERO,
            core: Core::new(config(tenants)).expect("a sound configuration"),
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
    pub(crate) fn admit(&mut self) {
        self.arrive();
        let attempt = self.flying.pop_front().expect("every slot is taken");
        self.step(Input::Ended { attempt, end: success() });
    }

    fn step(&mut self, input: Input) {
        self.now = self.now.plus(Micros(1));
        self.out.clear();
        self.core.step(self.now, input, &mut self.policies, &mut self.out);
        self.flying.extend(black_box(&self.out).iter().filter_map(|output| match output {
            Output::Admit(admit) => Some(admit.attempt),
            _ => None,
        }));
    }
}
