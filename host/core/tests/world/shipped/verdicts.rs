//! `classify-standard`, `retry-budgeted` and `fanout-budget` through the core, on bodies as providers
//! write them.

use weir_core::ids::AttemptId;
use weir_core::units::Micros;
use weir_core::{Bound, Core, Input, Next, Output};
use weir_native::Native;
use weir_sdk::codes::kind;
use weir_sdk::testing::tree;

use crate::provider::told;
use crate::run::{World, arrival, config, response, slots};

/// What a provider says.
struct Said {
    provider: &'static str,
    status: u16,
    headers: &'static [(&'static str, &'static str)],
    body: &'static str,
}

const WINDOW: Said = Said {
    provider: "openai",
    status: 429,
    headers: &[("retry-after", "20")],
    body: r#"{"error": {"message": "Rate limit reached for gpt-4o-mini on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 20s.", "type": "requests", "param": null, "code": "rate_limit_exceeded"}}"#,
};
const QUOTA: Said = Said {
    provider: "openai",
    status: 429,
    headers: &[],
    body: r#"{"error": {"message": "You exceeded your current quota, please check your plan and billing details.", "type": "insufficient_quota", "param": null, "code": "insufficient_quota"}}"#,
};
const BROKEN: Said = Said {
    provider: "openai",
    status: 500,
    headers: &[],
    body: r#"{"error": {"message": "The server had an error while processing your request.", "type": "server_error", "param": null, "code": null}}"#,
};
const OVERLOADED: Said = Said {
    provider: "anthropic",
    status: 529,
    headers: &[],
    body: r#"{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}"#,
};
const INPUT: Said = Said {
    provider: "anthropic",
    status: 429,
    headers: &[("retry-after", "12")],
    body: r#"{"type": "error", "error": {"type": "rate_limit_error", "message": "This request would exceed your organization's rate limit of 40,000 input tokens per minute."}}"#,
};
const CREDIT: Said = Said {
    provider: "anthropic",
    status: 400,
    headers: &[],
    body: r#"{"type": "error", "error": {"type": "invalid_request_error", "message": "Your credit balance is too low to access the Anthropic API."}}"#,
};

fn world(provider: &str) -> World<Native> {
    let mut config = config(&[("a", slots(8))], 1);
    provider.clone_into(&mut config.upstreams[0].kind);
    World::new(config, Native::start().expect("defaults"), Vec::new())
}

/// One request that gets this answer; what follows.
fn after(said: &Said) -> (World<Native>, Next) {
    let mut world = world(said.provider);
    world.step(Input::Arrive(arrival(1)));
    let end = told(response(said.status, said.headers), said.body);
    world.step(Input::Ended { attempt: AttemptId(1), end });
    let next = last(&world);
    (world, next)
}

fn last(world: &World<Native>) -> Next {
    let next = world.outputs.iter().rev().find_map(|output| match output {
        Output::Ended { next, .. } => Some(next.clone()),
        _ => None,
    });
    next.expect("an attempt ended")
}

fn dimension(world: &World<Native>) -> Vec<String> {
    let dimensions = world.outputs.iter().filter_map(|output| match output {
        Output::Event(weir_core::Event::Cooldown { dimension, .. }) => Some(dimension.clone()),
        _ => None,
    });
    dimensions.collect()
}

#[test]
fn an_empty_window_closes_that_window_for_the_hint_and_costs_no_retry() {
    for (said, seconds, closed) in [(&WINDOW, 20, "requests"), (&INPUT, 12, "input")] {
        let (mut world, next) = after(said);
        let not_before = Micros::from_secs(seconds);
        assert_eq!(next, Next::Again { not_before });
        assert_eq!(dimension(&world), [closed]);
        assert_eq!(world.core.view(world.now).upstreams[0].limit, 8, "no slot is taught by it");
        world.run_until(not_before.minus(Micros(1)));
        assert_eq!(world.admitted(0).len(), 1);
        world.run_until(not_before.plus(Micros(1)));
        assert_eq!(world.admitted(0).len(), 2);
        let counters = world.core.counters();
        assert_eq!((counters.flow_control, counters.retried), (1, 0));
    }
}

#[test]
fn an_overloaded_provider_cuts_the_limit_and_the_request_goes_back() {
    let (world, next) = after(&OVERLOADED);
    assert!(matches!(next, Next::Again { .. }), "{next:?}");
    assert!(world.core.view(world.now).upstreams[0].limit < 8);
}

#[test]
fn a_spent_account_is_a_matter_for_a_person_and_is_passed_on() {
    for said in [&QUOTA, &CREDIT] {
        let (world, next) = after(said);
        let Next::GiveUp(up) = next else { panic!("{next:?}") };
        assert_eq!((up.why, up.verdict.kind), (Bound::NotRetryable, kind::BILLING));
        assert!(up.verdict.needs_person && !up.evidence.is_empty(), "{up:?}");
        assert_eq!(dimension(&world), [""; 0], "nothing is closed on a guess");
        world.assert_empty();
    }
}

#[test]
fn a_broken_server_is_asked_four_times_with_growing_waits() {
    let (mut world, mut next) = after(&BROKEN);
    let mut longest = Vec::new();
    for attempt in 2..=4 {
        let Next::Again { not_before } = next else { panic!("{next:?}") };
        longest.push(not_before.minus(world.now));
        world.run_until(not_before);
        let end = told(response(BROKEN.status, BROKEN.headers), BROKEN.body);
        world.step(Input::Ended { attempt: AttemptId(attempt), end });
        next = last(&world);
    }
    let caps = [500, 1_000, 2_000].map(Micros::from_millis);
    assert!(longest.iter().zip(caps).all(|(wait, cap)| *wait < cap), "{longest:?}");
    assert!(matches!(&next, Next::GiveUp(up) if up.why == Bound::Policy), "{next:?}");
    assert_eq!(world.core.counters().retried, 3);
    world.assert_empty();
}

#[test]
fn a_fan_out_stays_within_its_tree() {
    let mut core = Core::new(config(&[("a", slots(4))], 1)).expect("sound");
    let mut policies = Native::start().expect("defaults");
    for budget_left in (0..120_000).step_by(7_919) {
        for wanted in 0..9 {
            let tree = weir_sdk::fanout::Tree { budget_left, reserve: 10_000, ..tree() };
            let now = Micros::from_secs(90_000);
            let plan = core.fanout(now, tree, wanted, &[], &mut policies);
            let spare = budget_left.saturating_sub(10_000);
            assert!(plan.start <= wanted, "{plan:?}");
            assert!(u64::from(plan.start) * plan.budget_each <= spare, "{plan:?}");
        }
    }
    let busy = weir_sdk::fanout::Tree { free_slots: 0, line_wait: 90_000_000, ..tree() };
    let plan = core.fanout(Micros::from_secs(90_000), busy, 2, &[], &mut policies);
    assert_eq!(plan.ask_again, Micros::from_secs(90_090).0, "after the line's wait");
    assert_eq!(core.counters().fallbacks.get(&weir_core::Slot::Fanout), None);
}
