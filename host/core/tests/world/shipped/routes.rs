//! `route-weighted`: load leaves an upstream that fails, and comes back.

use weir_core::Input;
use weir_core::units::Micros;
use weir_native::Native;

use crate::provider::Provider;
use crate::run::{World, arrival, config, slots};

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
