//! `priority-classes`: a low class is slow and never starved.

use weir_core::ids::AttemptId;
use weir_core::units::Micros;
use weir_core::{Arrival, Input, Slot};
use weir_native::Native;

use crate::run::{World, arrival, config, slots, success};

/// An interactive stream that always has work waiting, and one request of another class from the start;
/// how long that waited.
fn waited(class: u8) -> Option<Micros> {
    let one_at_a_time = |slot| if slot == Slot::Limit { r#"{"most": 1}"# } else { "" };
    let policies = Native::with(one_at_a_time).expect("sound settings");
    let mut world = World::new(config(&[("a", slots(1))], 1), policies, Vec::new());
    let urgent = |item| Input::Arrive(Arrival { class: Some(0), ..arrival(item) });
    world.step(urgent(1));
    world.step(Input::Arrive(Arrival { class: Some(class), ..arrival(2) }));
    world.step(urgent(3));
    for second in 1..=240 {
        world.now = Micros::from_secs(second);
        world.step(urgent(second + 3));
        world.step(Input::Ended { attempt: AttemptId(second), end: success(5) });
    }
    world.admitted(0).iter().find(|admit| admit.item.0 == 2).map(|admit| admit.waited)
}

#[test]
fn a_batch_request_ages_into_the_urgent_class_in_two_steps_of_a_minute() {
    let waited = waited(2).expect("it was served");
    assert!((120..=122).contains(&(waited.as_millis() / 1_000)), "{waited}");
}

#[test]
fn a_standard_request_ages_in_one_step_of_twenty_seconds() {
    let waited = waited(1).expect("it was served");
    assert!((20..=22).contains(&(waited.as_millis() / 1_000)), "{waited}");
}

#[test]
fn background_work_waits_longer_than_batch() {
    assert_eq!(waited(3), None, "three steps of two minutes are not over");
}
