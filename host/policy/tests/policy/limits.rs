//! The allowance of a second.

use weir_core::units::Micros;
use weir_core::{Fault, Policies, Slot};
use weir_policy::{Event, Pace, State};

use crate::support::{Host, questions};

/// Asks until it answers no more; how often it did.
fn exhaust(host: &mut Host, slot: Slot, now: Micros) -> (u32, Fault) {
    for answered in 0..10_000 {
        if let Err(fault) = questions::ask_at(&mut host.slots, slot, now) {
            return (answered, fault);
        }
    }
    panic!("it never ran out")
}

#[test]
fn a_tenth_of_a_core_and_no_more() {
    let mut host = Host::new(Pace::Fuel);
    host.install(Slot::Priority, r#"{"do": "burn"}"#);
    let (first, fault) = exhaust(&mut host, Slot::Priority, Micros::from_millis(1_500));
    assert_eq!(fault, Fault::OverAllowance);
    assert!(first > 10, "{first} calls");
    let events = host.events();
    assert!(
        matches!(&events[..], [Event::PolicyFault { fault: Fault::OverAllowance, .. }]),
        "one event a second: {events:?}"
    );
    let (next, _) = exhaust(&mut host, Slot::Priority, Micros::from_secs(2));
    assert_eq!(next, first, "the next second is a new one");
}

#[test]
fn calls_of_the_lifecycle_count() {
    let mut host = Host::new(Pace::Fuel);
    host.install(Slot::Fanout, r#"{"on": "forget", "do": "burn"}"#);
    let task = [(weir_sdk::codes::names::TASK, 1)];
    (0..1_000).for_each(|_| host.slots.forget(&task));
    let events = host.events();
    assert!(
        matches!(&events[..], [Event::PolicyFault { fault: Fault::OverAllowance, .. }]),
        "{events:?}"
    );
}

#[test]
fn a_schedule_that_missed_changes_is_fed_anew_and_keeps_its_memory() {
    let mut host = Host::new(Pace::Fuel);
    host.install(Slot::Schedule, r#"{"do": "burn"}"#);
    let (answered, _) = exhaust(&mut host, Slot::Schedule, Micros::from_millis(1_500));
    let next = Micros::from_secs(2);
    assert_eq!(host.slots.due(), Some(next));
    host.slots.tick(next);
    assert_eq!(questions::ask_at(&mut host.slots, Slot::Schedule, next), Err(Fault::Stale));
    assert_eq!(host.slots.list()[Slot::Schedule as usize].state, State::Feeding);
    host.level(Slot::Schedule);
    let calls = questions::ask_at(&mut host.slots, Slot::Schedule, next).unwrap();
    assert_eq!(calls, u64::from(answered) + 1, "the parked instance handed its memory over");
}
