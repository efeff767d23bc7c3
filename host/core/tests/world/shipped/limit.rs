//! `limit-aimd` against a provider that does not say how many it takes at once.

use weir_core::ids::AttemptId;
use weir_core::units::Micros;
use weir_core::{Event, Input, Output, Slot};
use weir_native::Native;
use weir_sdk::native;

use crate::provider::{Provider, told};
use crate::run::{World, arrival, config, response, slots, success};

const REQUESTS: u64 = 300;
const CONCURRENT: &str = r#"{"error": {"message": "Too many concurrent requests.",
    "type": "rate_limit_error", "param": null, "code": "rate_limit_exceeded"}}"#;

fn aimd() -> Native {
    let limit = native::limit::<limit_aimd::Aimd>("", 0).expect("defaults");
    Native { limit, ..Native::start().expect("defaults") }
}

/// Three hundred at once, a limit that starts at eight, and a provider that takes `hidden`.
fn learned(hidden: usize) -> (World<Native>, Vec<(u32, String)>) {
    let mut provider = Provider::new(hidden, 3);
    provider.words = CONCURRENT;
    let policies = aimd();
    let mut world = World::new(config(&[("a", slots(8))], 1), policies, vec![provider]);
    for item in 1..=REQUESTS {
        world.at(Micros(item), Input::Arrive(arrival(item)));
    }
    // Not so long that it is idle for five minutes, and forgets.
    world.run_until(Micros::from_secs(300));
    world.assert_empty();
    let changes = world.outputs.iter().filter_map(|output| match output {
        Output::Event(Event::ConcurrencyChanged { effective, reason, .. }) => {
            Some((*effective, reason.clone()))
        }
        _ => None,
    });
    let changes = changes.collect();
    (world, changes)
}

fn assert_all_served(world: &World<Native>) {
    let counters = world.core.counters();
    assert_eq!((counters.given_up, counters.refused.len()), (0, 0));
    assert_eq!(counters.flow_control, world.providers[0].refused as u64);
    assert_eq!(counters.admitted, REQUESTS + counters.flow_control);
}

#[test]
fn eight_is_cut_to_six_that_hold_and_probes_fall_back_to_six() {
    let (world, changes) = learned(6);
    assert_eq!(changes[0], (6, "rate_limited".to_owned()), "{changes:?}");
    assert_eq!(changes[1], (7, "recovered".to_owned()), "{changes:?}");
    let beyond: Vec<_> = changes.iter().filter(|(limit, _)| !(6..=7).contains(limit)).collect();
    assert!(beyond.is_empty(), "{changes:?}");
    assert_all_served(&world);
    // Each probe of the level above takes four successes first, and meets at most one refusal.
    let refused = world.providers[0].refused as u64;
    assert!(refused <= 2 + REQUESTS / 4, "{refused} refusals of {REQUESTS} requests");
    assert_eq!(world.providers[0].peak, 6);
}

#[test]
fn eight_is_cut_in_steps_to_three() {
    let (world, changes) = learned(3);
    let first: Vec<_> = changes.iter().take_while(|(_, reason)| reason == "rate_limited").collect();
    assert_eq!(first.iter().map(|(limit, _)| *limit).take(3).collect::<Vec<_>>(), [6, 4, 3]);
    let late = &changes[first.len()..];
    assert!(late.iter().all(|(limit, _)| (2..=4).contains(limit)), "{changes:?}");
    assert!(late.iter().any(|(_, reason)| reason == "recovered"), "{changes:?}");
    assert_all_served(&world);
}

/// Whatever a provider says, the policy takes it over and talks no nonsense; and what an operator opens stays
/// open, though the policy remembers that it was closed.
#[test]
fn a_wait_of_days_closes_until_an_operator_opens() {
    // A day and a half, and 13 months.
    for seconds in ["121212", "34000000"] {
        let policies = aimd();
        let mut world = World::new(config(&[("a", slots(2))], 1), policies, Vec::new());
        world.step(Input::Arrive(arrival(1)));
        let end = told(response(429, &[("retry-after", seconds)]), CONCURRENT);
        world.step(Input::Ended { attempt: AttemptId(1), end });
        let closed = world.core.view(world.now).upstreams[0].closed_until;
        assert!(closed > Some(Micros::from_secs(86_400)), "{closed:?}");
        world.step(Input::Reopen { upstream: "a".to_owned() });
        for item in 2..=3 {
            world.step(Input::Arrive(arrival(item)));
            assert_eq!(world.admitted(0).len() as u64, item, "{seconds}");
            world.step(Input::Ended { attempt: AttemptId(item), end: success(5) });
        }
        assert_eq!(world.core.counters().fallbacks.get(&Slot::Limit), None, "{seconds}");
    }
}
