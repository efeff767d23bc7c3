//! Policies that misbehave, in every slot: the call is answered with a fault, the next one works, and in the end
//! the slot is back on the last good policy.

use weir_core::units::Micros;
use weir_core::{Fault, Policies, Slot};
use weir_policy::{Event, Pace};

use crate::support::{Host, questions};

/// What it does, the fault that the core hears, and what the words must tell.
const DEEDS: [(&str, Fault, &str); 5] = [
    ("panic", Fault::Trap, "the hostile policy has lost its temper"),
    ("spin", Fault::Deadline, "ran past the 5 ms"),
    ("recurse", Fault::Trap, "stack"),
    ("hog", Fault::Memory, "may have 32 MiB"),
    ("exit", Fault::Trap, "left by exit"),
];

fn settings(slot: Slot, deed: &str) -> String {
    format!(r#"{{"on": "{}", "do": "{deed}"}}"#, questions::function(slot))
}

#[test]
fn every_deed_in_every_slot_is_a_fault_with_words() {
    for pace in [Pace::Live, Pace::Fuel] {
        for (deed, fault, tells) in DEEDS {
            let mut host = Host::new(pace);
            for slot in Slot::ALL {
                host.install(slot, &settings(slot, deed));
                assert_eq!(questions::ask(&mut host.slots, slot), Err(fault), "{deed} in {slot}");
                let events = host.events();
                let [Event::PolicyFault { slot: said, name, fault: kind, words, .. }] = &events[..]
                else {
                    panic!("{deed} in {slot}: {events:?}")
                };
                assert_eq!((*said, name.as_str(), *kind), (slot, "guest-hostile", fault));
                assert!(words.contains(tells), "{deed} in {slot}: {words}");
            }
        }
    }
}

#[test]
fn the_next_call_works_after_a_fault() {
    let mut host = Host::new(Pace::Live);
    for slot in Slot::ALL {
        // It panics in another function than the one that is asked next.
        host.install(slot, r#"{"on": "forget", "do": "panic"}"#);
    }
    let kinds = weir_sdk::codes::names::ALL.iter().map(|(kind, _)| (*kind, 1));
    host.slots.forget(&kinds.collect::<Vec<_>>());
    assert_eq!(host.events().len(), 6, "`classify` is told of no ids");
    for slot in Slot::ALL {
        host.level(slot);
        questions::ask(&mut host.slots, slot).unwrap();
    }
}

#[test]
fn a_policy_may_talk_as_much_as_it_likes() {
    let mut host = Host::new(Pace::Live);
    host.install(Slot::Classify, r#"{"do": "flood"}"#);
    for call in 0..200 {
        // Each call writes 64 KiB: over the allowance at most, never a fault of its own.
        let now = Micros::from_secs(call + 1);
        questions::ask_at(&mut host.slots, Slot::Classify, now).unwrap();
    }
}

#[test]
fn reading_an_empty_input_ends_at_once() {
    let mut host = Host::new(Pace::Live);
    host.install(Slot::Retry, r#"{"do": "wait"}"#);
    questions::ask(&mut host.slots, Slot::Retry).unwrap();
}

#[test]
fn text_that_is_none_is_nonsense() {
    let mut host = Host::new(Pace::Live);
    host.install(Slot::Classify, r#"{"do": "nonsense"}"#);
    assert_eq!(questions::ask(&mut host.slots, Slot::Classify), Err(Fault::Nonsense));
    let events = host.events();
    assert!(format!("{events:?}").contains("utf-8"), "{events:?}");
}

#[test]
fn three_faults_in_a_minute_bring_the_last_good_policy_back() {
    for slot in Slot::ALL {
        let mut host = Host::new(Pace::Fuel);
        host.install(slot, "");
        host.install(slot, &settings(slot, "panic"));
        host.events();
        for strike in 0..3 {
            host.level(slot);
            assert_eq!(questions::ask(&mut host.slots, slot), Err(Fault::Trap), "strike {strike}");
        }
        let events = host.events();
        let Some(Event::PolicyQuarantined { to: Some(_), words, .. }) = events.last() else {
            panic!("{slot}: {events:?}")
        };
        assert!(words.contains("lost its temper"), "{words}");
        host.level(slot);
        questions::ask(&mut host.slots, slot).unwrap();
        assert_eq!(host.slots.list()[slot as usize].words, None, "they were the other policy's");
    }
}

#[test]
fn what_waits_of_a_quarantined_policy_does_not_take_over() {
    let mut host = Host::new(Pace::Fuel);
    let nonsense = |host: &mut Host| {
        host.slots.nonsense(host.now, Slot::Schedule, "no such item");
    };
    host.install(Slot::Schedule, "");
    host.install(Slot::Schedule, r#"{"do": "burn"}"#);
    for _ in 0..2 {
        nonsense(&mut host);
        host.level(Slot::Schedule);
    }
    while questions::ask(&mut host.slots, Slot::Schedule).is_ok() {}
    host.now = Micros::from_secs(2);
    host.slots.tick(host.now);
    assert!(host.slots.standby(Slot::Schedule).is_some(), "it is fed anew");
    nonsense(&mut host);
    assert!(matches!(host.events().last(), Some(Event::PolicyQuarantined { to: Some(_), .. })));
    host.level(Slot::Schedule);
    for _ in 0..1_000 {
        questions::ask_at(&mut host.slots, Slot::Schedule, host.now).unwrap();
    }
}

#[test]
fn words_of_a_policy_are_cut() {
    let mut host = Host::new(Pace::Fuel);
    host.install(Slot::Classify, r#"{"do": "chatter"}"#);
    let answer = host.slots.classify(host.now, &questions::response()).unwrap();
    assert_eq!(answer.evidence.len(), 2_048);
}

#[test]
fn faults_far_apart_do_not_quarantine() {
    let mut host = Host::new(Pace::Fuel);
    host.install(Slot::Fanout, &settings(Slot::Fanout, "panic"));
    for minute in 1..10 {
        for second in [0, 1] {
            let now = Micros::from_secs(minute * 120 + second);
            assert_eq!(questions::ask_at(&mut host.slots, Slot::Fanout, now), Err(Fault::Trap));
        }
    }
    let quarantined = |event: &Event| matches!(event, Event::PolicyQuarantined { .. });
    assert!(!host.events().iter().any(quarantined));
}

#[test]
fn with_nothing_to_go_back_to_the_slot_rests_a_minute() {
    let mut host = Host::new(Pace::Fuel);
    host.install(Slot::Route, &settings(Slot::Route, "panic"));
    let ask = |host: &mut Host, seconds| {
        questions::ask_at(&mut host.slots, Slot::Route, Micros::from_secs(seconds))
    };
    (1..4).for_each(|second| assert_eq!(ask(&mut host, second), Err(Fault::Trap)));
    assert_eq!(ask(&mut host, 4), Err(Fault::Stale));
    assert_eq!(ask(&mut host, 62), Err(Fault::Stale));
    assert_eq!(host.slots.due(), Some(Micros::from_secs(63)));
    assert_eq!(ask(&mut host, 63), Err(Fault::Trap), "it is tried again");
}
