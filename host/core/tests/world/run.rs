//! A bare loop in virtual time: the core, its policies, and modelled providers.

use std::collections::BTreeMap;

use weir_core::config::{Config, Lane, Limits, Line, Model, Ramp, RetryBudget, Tenant, Upstream};
use weir_core::ids::{AttemptId, CandidateId, ItemId, LaneId, TenantId};
use weir_core::invariant::Leaving;
use weir_core::units::{Micros, Tokens};
use weir_core::{
    Admit, Arrival, Core, End, Facts, Input, Outcome, Output, Policies, Refusal, Response, Sent,
    Stage, Usage,
};

use crate::provider::{Provider, Reply};

/// A configuration of one model an upstream, a lane of all, and equal tenants.
pub(crate) fn config(upstreams: &[(&str, Limits)], tenants: usize) -> Config {
    let upstreams: Vec<_> = upstreams
        .iter()
        .map(|(name, limits)| Upstream {
            name: (*name).to_owned(),
            kind: "openai".to_owned(),
            limits: *limits,
            base_weight: 1.0,
            models: vec![Model {
                name: "m".to_owned(),
                limits: Limits::default(),
                price: weir_core::config::Price::default(),
            }],
        })
        .collect();
    let all = (0..upstreams.len() as u32).map(CandidateId).collect();
    Config {
        seed: 7,
        line: Line::default(),
        upstreams,
        tenants: (0..tenants)
            .map(|n| Tenant {
                name: format!("t{n}"),
                weight: 1,
                limits: Limits::default(),
                quota: None,
            })
            .collect(),
        lanes: vec![Lane { name: "m".to_owned(), candidates: all }],
        retries: RetryBudget::default(),
        ramp: Ramp::default(),
    }
}

pub(crate) fn slots(count: u32) -> Limits {
    Limits { concurrency: Some(count), ..Limits::default() }
}

pub(crate) fn arrival(item: u64) -> Arrival {
    Arrival {
        item: ItemId(item),
        tenant: TenantId(0),
        session: String::new(),
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

pub(crate) fn success(output: u64) -> End {
    let usage = Usage {
        input_counted: Tokens(100),
        input: Tokens(100),
        cached: Tokens(0),
        output: Tokens(output),
    };
    End {
        outcome: Outcome::Success,
        sent: Sent::Content,
        stage: Stage::Total,
        first_content: Some(Micros::from_millis(100)),
        usage: Some(usage),
        output_seen: Tokens(output),
        facts: Facts::default(),
    }
}

pub(crate) fn response(status: u16, headers: &[(&str, &str)]) -> End {
    let headers = headers.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
    End {
        outcome: Outcome::Response(Response {
            status,
            headers,
            body: String::new(),
            endpoint: "/v1/chat/completions".to_owned(),
            wall_ms: 0,
        }),
        sent: Sent::Nothing,
        stage: Stage::Headers,
        first_content: None,
        usage: None,
        output_seen: Tokens(0),
        facts: Facts::default(),
    }
}

/// The loop's state. Every output goes through [`Leaving`] and the core's own check.
pub(crate) struct World<P> {
    pub(crate) core: Core,
    pub(crate) policies: P,
    pub(crate) now: Micros,
    pub(crate) leaving: Leaving,
    pub(crate) outputs: Vec<Output>,
    pub(crate) providers: Vec<Provider>,
    /// Items fed to a standby instance after each step; absent: until it is level.
    pub(crate) slice: Option<usize>,
    due: BTreeMap<(Micros, u64), Input>,
    flying: BTreeMap<AttemptId, usize>,
    serial: u64,
    steps: u64,
}

impl<P: Policies> World<P> {
    pub(crate) fn new(config: Config, policies: P, providers: Vec<Provider>) -> Self {
        Self {
            core: Core::new(config).expect("a sound configuration"),
            policies,
            now: Micros::ZERO,
            leaving: Leaving::new(),
            outputs: Vec::new(),
            providers,
            slice: None,
            due: BTreeMap::new(),
            flying: BTreeMap::new(),
            serial: 0,
            steps: 0,
        }
    }

    /// Something will happen.
    pub(crate) fn at(&mut self, at: Micros, input: Input) {
        self.serial += 1;
        self.due.insert((at, self.serial), input);
    }

    /// Runs until nothing is due, or a time.
    pub(crate) fn run_until(&mut self, end: Micros) {
        loop {
            let next_input = self.due.keys().next().map(|(at, _)| *at);
            let wake = self.core.next_wake();
            let Some(at) = next_input.into_iter().chain(wake).min().filter(|at| *at <= end) else {
                self.now = end;
                return;
            };
            self.now = self.now.max(at);
            let input = match next_input {
                Some(first) if first <= self.now => {
                    self.due.pop_first().map_or(Input::Timer, |(_, input)| input)
                }
                _ => Input::Timer,
            };
            self.step(input);
        }
    }

    pub(crate) fn step(&mut self, input: Input) {
        self.steps += 1;
        assert!(self.steps < 3_000_000, "the loop does not come to an end");
        self.leaving.input(&input);
        if let Input::Ended { attempt, .. } = &input
            && let Some(place) = self.flying.remove(attempt)
        {
            self.providers[place].leave(*attempt);
        }
        let mut out = Vec::new();
        self.core.step(self.now, input, &mut self.policies, &mut out);
        if self.steps.is_multiple_of(16) {
            self.core.check_invariants().expect("sound");
        }
        let slice = self.slice.unwrap_or(64);
        while self.core.maintain(self.now, &mut self.policies, &mut out, slice) {
            if self.slice.is_some() {
                break;
            }
        }
        for output in out {
            self.leaving.output(&output).expect("every item leaves once");
            if let Output::Admit(admit) = &output {
                self.send(admit);
            }
            self.outputs.push(output);
        }
    }

    fn send(&mut self, admit: &Admit) {
        let place = admit.candidate.0 as usize;
        let Some(provider) = self.providers.get_mut(place) else { return };
        self.flying.insert(admit.attempt, place);
        let Reply { accepted, ended, end } = provider.take(self.now, admit.attempt);
        if let Some(after) = accepted {
            let facts = Facts::default();
            let attempt = admit.attempt;
            self.at(self.now.plus(after), Input::Accepted { attempt, facts, network: None });
        }
        self.at(self.now.plus(ended), Input::Ended { attempt: admit.attempt, end });
    }

    /// Ends the oldest attempts, one each `gap`, as `end` says of their admission. A world without providers.
    pub(crate) fn serve(&mut self, ends: usize, gap: Micros, end: impl Fn(&Admit) -> End) {
        let mut seen = 0;
        let mut flying = std::collections::VecDeque::new();
        for _ in 0..ends {
            flying.extend(self.admitted(seen));
            seen = self.outputs.len();
            let Some(admit) = flying.pop_front() else { return };
            self.now = self.now.plus(gap);
            self.step(Input::Ended { attempt: admit.attempt, end: end(&admit) });
        }
    }

    /// Admissions among the outputs from a place on.
    pub(crate) fn admitted(&self, from: usize) -> Vec<Admit> {
        let admits = self.outputs[from..].iter().filter_map(|output| match output {
            Output::Admit(admit) => Some(*admit),
            _ => None,
        });
        admits.collect()
    }

    /// Every refusal so far.
    pub(crate) fn refused(&self) -> Vec<(u64, Refusal)> {
        let refusals = self.outputs.iter().filter_map(|output| match output {
            Output::Refuse { item, refusal } => Some((item.0, *refusal)),
            _ => None,
        });
        refusals.collect()
    }

    /// How many outputs a test is after.
    pub(crate) fn count(&self, wanted: impl Fn(&Output) -> bool) -> usize {
        self.outputs.iter().filter(|output| wanted(output)).count()
    }

    /// Nothing is left inside, and every sum is zero.
    pub(crate) fn assert_empty(&self) {
        assert_eq!(self.leaving.inside(), 0, "items are left inside");
        assert_eq!(self.leaving.in_flight(), 0, "attempts are left in flight");
        let view = self.core.view(self.now);
        assert_eq!((view.waiting, view.waiting_bytes, view.in_flight), (0, 0, 0));
        assert!(view.upstreams.iter().all(|upstream| upstream.in_flight == 0));
        self.core.check_invariants().expect("sound");
    }
}
