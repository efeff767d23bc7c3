//! New instances are told the truth while traffic flows, and take over when they are level.

use weir_core::Input;
use weir_core::config::Config;
use weir_core::ids::ItemId;
use weir_core::units::Micros;

use crate::policies::{Aimd, Staged};
use crate::provider::Provider;
use crate::run::{World, arrival, config, slots, success};

const WAITING: u64 = 10_000;

fn wide() -> Config {
    let mut config = config(&[("a", slots(4))], 1);
    config.line.max_items = 20_000;
    config.line.max_items_per_tenant = 20_000;
    config.line.default_deadline = Micros::from_secs(100_000);
    config
}

#[test]
fn ten_thousand_waiting_pass_to_a_new_schedule_in_order_while_traffic_flows() {
    let mut world = World::new(wide(), Staged::default(), Vec::new());
    world.slice = Some(64);
    for item in 1..=WAITING {
        world.step(Input::Arrive(arrival(item)));
    }
    world.policies.renew();
    let (mut seen, mut steps) = (0, 0_u64);
    let mut flying = std::collections::VecDeque::new();
    while world.policies.standby.is_some() {
        steps += 1;
        flying.extend(world.admitted(seen));
        seen = world.outputs.len();
        let admit = flying.pop_front().expect("four are always in flight");
        world.now = world.now.plus(Micros::from_millis(10));
        world.step(Input::Ended { attempt: admit.attempt, end: success(5) });
        // One that is told already, one that is not, and one that is new.
        world.step(Input::Cancel { item: ItemId(2_000 + steps) });
        world.step(Input::Cancel { item: ItemId(WAITING - steps) });
        world.step(Input::Arrive(arrival(WAITING + steps)));
        assert!(steps < 1_000, "it never comes level");
    }
    assert!(steps > 30, "{steps} steps are no slices");
    for admit in flying {
        world.step(Input::Ended { attempt: admit.attempt, end: success(5) });
    }
    drain(&mut world, seen);
    world.assert_empty();
    let order: Vec<_> = world.admitted(0).iter().map(|admit| admit.item).collect();
    assert!(order.is_sorted(), "first come, first served, through the hand-over");
    let cancelled = world.core.counters().cancelled;
    assert_eq!(order.len() as u64 + cancelled, WAITING + steps);
    assert_eq!(world.policies.nonsense, []);
}

/// Ends whatever is admitted from an output on until nothing waits.
fn drain(world: &mut World<Staged>, from: usize) {
    let mut seen = from;
    loop {
        let admits = world.admitted(seen);
        seen = world.outputs.len();
        if admits.is_empty() {
            return;
        }
        for admit in admits {
            world.step(Input::Ended { attempt: admit.attempt, end: success(5) });
        }
    }
}

#[test]
fn a_new_limit_policy_inherits_the_limit_that_holds() {
    let policies = Staged { aimd: Some(Aimd::default()), ..Staged::default() };
    let mut world = World::new(config(&[("a", slots(8))], 1), policies, vec![Provider::new(6, 3)]);
    for item in 1..=100 {
        world.at(Micros(item), Input::Arrive(arrival(item)));
    }
    world.run_until(Micros::from_secs(20));
    let before = world.core.view(world.now).upstreams[0].clone();
    assert_ne!(before.limit, 8, "it has learned");
    world.policies.limit_standby = Some(1);
    world.step(Input::Timer);
    let cells = std::mem::take(&mut world.policies.cells);
    assert_eq!(cells.len(), 1);
    let (cell, start) = &cells[0];
    assert_eq!(
        (*start, cell.limit, cell.in_flight),
        (before.limit, before.limit, before.in_flight)
    );
    assert_eq!(world.policies.limit_standby, None, "it took over in the same step");
    let after = world.core.view(world.now).upstreams[0].clone();
    assert_eq!(after.limit, before.limit, "and nothing moved");
    world.run_until(Micros::from_secs(590));
    world.assert_empty();
}

#[test]
fn charges_that_were_gathered_before_the_feeding_count_once() {
    let mut world = World::new(wide(), Staged::default(), Vec::new());
    world.slice = Some(1);
    for item in 1..=10 {
        world.step(Input::Arrive(arrival(item)));
    }
    let first = world.admitted(0)[0].attempt;
    world.step(Input::Ended { attempt: first, end: success(40) });
    world.policies.renew();
    while world.policies.standby.is_some() {
        world.step(Input::Timer);
    }
    // Five started with 100 of output reserved; one of them used 40.
    assert_eq!(world.policies.told_output(), 5 * 100 - 60);
}
