//! `schedule-drr`: shares of tenants by weight, of what was really used.

use weir_core::config::Config;
use weir_core::ids::{ItemId, TenantId};
use weir_core::units::{Micros, Tokens};
use weir_core::{Arrival, Input, Output, Slot};
use weir_native::Native;

use crate::run::{World, arrival, config, slots, success};

const REQUESTS: u64 = 4_000;

/// Items take turns between two tenants.
const fn tenant(item: ItemId) -> usize {
    (item.0 % 2) as usize
}

/// Both tenants always have work; `output` says what an item of each declares and what it uses.
fn loaded(weights: [u32; 2], declared: [u64; 2], used: [u64; 2]) -> [f64; 2] {
    let mut config: Config = config(&[("a", slots(8))], 2);
    for (tenant, weight) in config.tenants.iter_mut().zip(weights) {
        tenant.weight = weight;
    }
    let eight = |slot| if slot == Slot::Limit { r#"{"most": 8}"# } else { "" };
    let mut world = World::new(config, Native::with(eight).expect("sound settings"), Vec::new());
    for item in 1..=REQUESTS {
        let whose = tenant(ItemId(item));
        let max_output = Some(Tokens(declared[whose]));
        let tenant = TenantId(whose as u32);
        world.step(Input::Arrive(Arrival { tenant, max_output, ..arrival(item) }));
    }
    world.serve(1_500, Micros::from_millis(10), |admit| success(used[tenant(admit.item)]));
    let waiting = world.core.view(world.now).tenants;
    assert!(waiting.iter().all(|tenant| tenant.waiting > 50), "both must be under load");
    service(&world)
}

/// Units of work that each tenant was given: an output token counts as two of input.
fn service(world: &World<Native>) -> [f64; 2] {
    let mut units = [0.0; 2];
    for output in &world.outputs {
        if let Output::Ended { item, settled, .. } = output {
            units[tenant(*item)] += (settled.input.0 + 2 * settled.output.0) as f64;
        }
    }
    units
}

#[test]
fn two_to_one_by_weight_within_five_percent() {
    let [first, second] = loaded([2, 1], [100, 100], [60, 60]);
    let ratio = first / second;
    assert!((1.9..=2.1).contains(&ratio), "{ratio}");
}

#[test]
fn shares_hold_when_requests_of_one_tenant_are_four_times_as_large() {
    let [first, second] = loaded([1, 1], [100, 100], [20, 95]);
    let ratio = first / second;
    assert!((0.95..=1.05).contains(&ratio), "{ratio}");
}

#[test]
fn a_tenant_that_declares_too_little_pays_for_what_it_used() {
    let [honest, liar] = loaded([1, 1], [300, 10], [300, 300]);
    let ratio = honest / liar;
    assert!((0.95..=1.1).contains(&ratio), "{ratio}");
}
