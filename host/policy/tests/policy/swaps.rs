//! One policy for another, between two calls.

use std::sync::Arc;

use weir_core::{Fault, Policies, Slot};
use weir_policy::{Component, Event, Pace, Prepared, Source, State};

use crate::support::{Host, questions, rebuilt};

#[test]
fn no_call_is_lost_and_memory_goes_on() {
    for slot in Slot::ALL.into_iter().filter(|slot| *slot != Slot::Classify) {
        let mut host = Host::new(Pace::Live);
        host.install(slot, "");
        for call in 1..=100 {
            if call % 10 == 0 {
                let next = host.prepare(slot, "");
                host.slots.swap(host.now, next).unwrap();
                // The old one answers until the new one is level.
                if call % 20 == 0 {
                    host.level(slot);
                }
            }
            assert_eq!(questions::ask(&mut host.slots, slot), Ok(call), "{slot}");
            host.level(slot);
        }
    }
}

#[test]
fn a_swap_names_both_versions() {
    let mut host = Host::new(Pace::Live);
    host.install(Slot::Limit, "");
    let bytes = rebuilt(weir_guests::HOSTILE);
    let other = Component::load(&host.engine, &bytes, Source::BuiltIn).unwrap();
    let new = Prepared::new(other, Slot::Limit, String::new()).unwrap();
    host.slots.swap(host.now, new).unwrap();
    assert_eq!(host.slots.list()[Slot::Limit as usize].state, State::Swapping);
    host.level(Slot::Limit);
    let events = host.events();
    let [Event::PolicySwapped { from, to, restored, .. }] = &events[..] else {
        panic!("{events:?}")
    };
    assert_ne!(from.digest, to.digest);
    assert_eq!(
        (from.name.as_str(), to.name.as_str(), restored),
        ("guest-hostile", "guest-hostile", &true)
    );
    let json = serde_json::to_value(&events[0]).unwrap();
    assert_eq!((&json["event"], &json["slot"]), (&"policy-swapped".into(), &"limit".into()));
}

#[test]
fn memory_passes_only_between_policies_of_one_name() {
    for slot in [Slot::Limit, Slot::Priority] {
        let mut host = Host::new(Pace::Live);
        host.install(slot, "");
        questions::ask(&mut host.slots, slot).unwrap();
        let twin = Component::load(&host.engine, weir_guests::TWIN, Source::BuiltIn).unwrap();
        let twin = Prepared::new(twin, slot, String::new()).unwrap();
        host.slots.swap(host.now, twin).unwrap();
        host.level(slot);
        assert_eq!(questions::ask(&mut host.slots, slot), Ok(1), "{slot}: it began anew");
        let events = host.events();
        assert!(matches!(events[..], [Event::PolicySwapped { restored: false, .. }]), "{events:?}");
    }
}

#[test]
fn a_policy_that_will_not_restore_leaves_the_old_one() {
    for slot in [Slot::Limit, Slot::Priority] {
        let mut host = Host::new(Pace::Live);
        host.install(slot, "");
        questions::ask(&mut host.slots, slot).unwrap();
        let stubborn = host.prepare(slot, r#"{"on": "restore", "do": "nonsense"}"#);
        let swapped = host.slots.swap(host.now, stubborn).is_ok();
        let levelled = swapped && host.slots.level(host.now, slot).is_ok();
        assert!(!levelled, "{slot}");
        let events = host.events();
        let [Event::PolicyRejected { words, .. }] = &events[..] else { panic!("{events:?}") };
        assert!(words.contains("it will not take that over"), "{words}");
        assert_eq!(questions::ask(&mut host.slots, slot), Ok(2), "{slot}: the old one goes on");
    }
}

#[test]
fn a_new_policy_that_fails_while_it_is_fed_leaves_the_old_one() {
    let mut host = Host::new(Pace::Live);
    host.install(Slot::Limit, "");
    let bad = host.prepare(Slot::Limit, r#"{"on": "open", "do": "panic"}"#);
    host.slots.swap(host.now, bad).unwrap();
    let opening = weir_sdk::limit::Opening { start: 8, ceiling: 8 };
    let feed = weir_core::Feed::Cell(Box::new(questions::cell()), opening);
    assert_eq!(host.slots.feed(host.now, Slot::Limit, feed), Err(Fault::Trap));
    assert_eq!(host.slots.standby(Slot::Limit), None);
    questions::ask(&mut host.slots, Slot::Limit).unwrap();
    assert!(matches!(host.events()[..], [Event::PolicyRejected { .. }]));
}

#[test]
fn rollback_goes_back_one_policy_at_a_time() {
    let mut host = Host::new(Pace::Live);
    let twin = Component::load(&host.engine, weir_guests::TWIN, Source::BuiltIn).unwrap();
    for slot in [Slot::Schedule, Slot::Retry] {
        assert!(!host.slots.rollback(host.now, slot).unwrap());
        host.install(slot, "");
        let next = Prepared::new(Arc::clone(&twin), slot, String::new()).unwrap();
        host.slots.swap(host.now, next).unwrap();
        host.level(slot);
        assert!(host.slots.rollback(host.now, slot).unwrap());
        host.level(slot);
        let row = &host.slots.list()[slot as usize];
        assert_eq!(row.policy.as_ref().unwrap().name, "guest-hostile");
        assert_eq!(row.previous, None);
        questions::ask(&mut host.slots, slot).unwrap();
    }
}

#[test]
fn a_renewed_instance_gets_the_last_saved_state() {
    let mut host = Host::new(Pace::Fuel);
    host.install(Slot::Fanout, r#"{"on": "forget", "do": "panic"}"#);
    for call in 1..=5 {
        assert_eq!(questions::ask(&mut host.slots, Slot::Fanout), Ok(call));
    }
    host.slots.tick(host.slots.due().unwrap());
    host.slots.forget(&[(weir_sdk::codes::names::TASK, 1)]);
    assert_eq!(questions::ask(&mut host.slots, Slot::Fanout), Ok(6));
}
