//! A limit policy learns a provider's hidden concurrency.

use weir_core::units::Micros;
use weir_core::{Event, Input, Output};

use crate::policies::{Aimd, Staged};
use crate::provider::Provider;
use crate::run::{World, arrival, config, slots};

fn changes(outputs: &[Output]) -> Vec<(u32, String)> {
    let changes = outputs.iter().filter_map(|output| match output {
        Output::Event(Event::ConcurrencyChanged { effective, reason, .. }) => {
            Some((*effective, reason.clone()))
        }
        _ => None,
    });
    changes.collect()
}

#[test]
fn the_limit_is_cut_from_8_to_6_and_climbs_again() {
    let policies = Staged { aimd: Some(Aimd::default()), ..Staged::default() };
    let mut world = World::new(config(&[("a", slots(8))], 1), policies, vec![Provider::new(6, 3)]);
    for item in 1..=300 {
        world.at(Micros(item), Input::Arrive(arrival(item)));
    }
    world.run_until(Micros::from_secs(590));
    world.assert_empty();
    let changes = changes(&world.outputs);
    assert_eq!(changes[0], (6, "rate_limited".to_owned()), "{changes:?}");
    assert_eq!(changes[1], (7, "recovered".to_owned()), "{changes:?}");
    let refused = world.providers[0].refused;
    // A cut from 7 gives 5; eight successes later it is 7 again.
    assert!(refused <= 300 / 8 + 3, "{refused} of 300 requests met a refusal");
    assert_eq!(world.core.counters().flow_control, refused as u64);
    assert_eq!(world.core.counters().given_up, 0);
}

#[test]
fn a_window_that_is_empty_never_grows_the_limit() {
    let mut tight = config(&[("a", slots(8))], 1);
    tight.upstreams[0].models[0].limits.rpm = Some(10);
    let policies = Staged { aimd: Some(Aimd::default()), ..Staged::default() };
    let mut world = World::new(tight, policies, vec![Provider::new(100, 3)]);
    for item in 1..=60 {
        world.at(Micros(item), Input::Arrive(arrival(item)));
    }
    world.run_until(Micros::from_secs(590));
    let grown: Vec<_> = changes(&world.outputs).into_iter().filter(|(e, _)| *e > 8).collect();
    assert!(grown.is_empty(), "{grown:?}");
    assert_eq!(world.core.counters().admitted, 60);
}
