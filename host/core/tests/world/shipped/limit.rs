//! `limit-aimd` against a provider that does not say how many it takes at once.

use weir_core::units::Micros;
use weir_core::{Event, Input, Output};
use weir_native::Native;

use crate::provider::Provider;
use crate::run::{World, arrival, config, slots};

const REQUESTS: u64 = 300;
const CONCURRENT: &str = r#"{"error": {"message": "Too many concurrent requests.",
    "type": "rate_limit_error", "param": null, "code": "rate_limit_exceeded"}}"#;

/// Three hundred at once, a limit that starts at eight, and a provider that takes `hidden`.
fn learned(hidden: usize) -> (World<Native>, Vec<(u32, String)>) {
    let mut provider = Provider::new(hidden, 3);
    provider.words = CONCURRENT;
    let policies = Native::start().expect("defaults");
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
