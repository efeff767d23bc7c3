//! Shipped routes in the core: load leaves an upstream that fails, and comes back; prompts go where their
//! prefixes are cached.

use std::collections::BTreeMap;

use weir_core::units::{Micros, Tokens};
use weir_core::{Arrival, End, Input, Usage};
use weir_native::Native;
use weir_sdk::native;

use crate::provider::Provider;
use crate::run::{World, arrival, config, slots, success};

/// Share of the first upstream in what is admitted from now until then, in seconds.
fn share(world: &mut World<Native>, until: u64) -> f64 {
    let before = world.outputs.len();
    world.run_until(Micros::from_secs(until));
    let admits = world.admitted(before);
    let first = admits.iter().filter(|admit| admit.candidate.0 == 0).count();
    first as f64 / admits.len() as f64
}

#[test]
fn load_leaves_a_failing_upstream_and_comes_back_when_it_recovers() {
    let providers = vec![Provider::new(100, 1), Provider::new(100, 2)];
    let upstreams = config(&[("a", slots(20)), ("b", slots(20))], 1);
    let mut world = World::new(upstreams, Native::start().expect("defaults"), providers);
    for item in 1..=1_000 {
        world.at(Micros::from_millis(item * 200), Input::Arrive(arrival(item)));
    }
    let healthy = share(&mut world, 30);
    assert!((0.3..=0.7).contains(&healthy), "{healthy}");
    world.providers[0].faults = (1_000, 0);
    share(&mut world, 36);
    let failing = share(&mut world, 60);
    assert!(failing < 0.05, "{failing}");
    world.providers[0].faults = (0, 0);
    share(&mut world, 122);
    let recovered = share(&mut world, 200);
    // The best takes all while it is the best, so shares are not even.
    assert!(recovered > 0.1, "{recovered}");
    world.run_until(Micros::from_secs(300));
    world.assert_empty();
    assert_eq!(world.core.counters().given_up, 0, "what failed at one was served by the other");
}

/// Turn by turn one request of each of six sessions, whose prompts grow. Answers where each went.
fn turns(world: &mut World<Native>, turns: std::ops::Range<u64>) -> BTreeMap<u64, Vec<u32>> {
    let mut places: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
    for (turn, session) in turns.flat_map(|turn| (0..6).map(move |session| (turn, session))) {
        let prefix = (turn.saturating_sub(3)..=turn).map(|at| session * 1_000 + at + 1).collect();
        let item = turn * 10 + session + 1;
        let arrival = Arrival { prefix, prompt_bytes: 20_000, ..arrival(item) };
        let before = world.outputs.len();
        world.step(Input::Arrive(arrival));
        let admit = world.admitted(before)[0];
        places.entry(session).or_default().push(admit.candidate.0);
        world.now = world.now.plus(Micros::SECOND);
        let input = Tokens(5_000);
        let usage = Some(Usage { input_counted: input, input, ..Usage::default() });
        world.step(Input::Ended { attempt: admit.attempt, end: End { usage, ..success(100) } });
    }
    places
}

#[test]
fn prompts_go_where_their_prefixes_are_cached() {
    let upstreams = config(&[("a", slots(20)), ("b", slots(20))], 1);
    let mut world = World::new(upstreams, Native::start().expect("defaults"), Vec::new());
    let placed = turns(&mut world, 0..1);
    // One that knows nothing but what the host tells of caches.
    world.policies.route = native::route::<route_prefix::Prefix>("", 0).expect("defaults");
    let stayed = turns(&mut world, 1..6);
    for (session, places) in &placed {
        assert_eq!(stayed[session], vec![places[0]; 5], "session {session}");
    }
    // With nobody to tell, sessions go to their homes, and these are others.
    let upstreams = config(&[("a", slots(20)), ("b", slots(20))], 1);
    let mut world = World::new(upstreams, Native::start().expect("defaults"), Vec::new());
    world.policies.route = native::route::<route_prefix::Prefix>("", 0).expect("defaults");
    assert_ne!(turns(&mut world, 0..1), placed);
}
