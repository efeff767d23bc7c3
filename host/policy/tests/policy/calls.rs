//! Every interface, called through the core's trait.

use weir_core::units::Micros;
use weir_core::{Policies, Slot};
use weir_policy::{Event, Pace, State};
use weir_sdk::lifecycle::Named;

use crate::support::{Host, questions};

#[test]
fn every_interface_answers() {
    for pace in [Pace::Live, Pace::Fuel] {
        let mut host = Host::new(pace);
        for slot in Slot::ALL {
            host.install(slot, "");
            questions::ask(&mut host.slots, slot).unwrap();
        }
        assert!(host.slots.list().iter().all(|row| row.calls == 1 && row.faults == 0));
        assert_eq!(host.events(), []);
    }
}

#[test]
fn an_empty_slot_is_stale() {
    let mut host = Host::new(Pace::Fuel);
    for slot in Slot::ALL {
        assert_eq!(questions::ask(&mut host.slots, slot), Err(weir_core::Fault::Stale), "{slot}");
    }
    assert!(host.slots.list().iter().all(|row| row.state == State::Empty));
}

#[test]
fn a_standby_answers_nothing_until_it_is_level() {
    let mut host = Host::new(Pace::Fuel);
    let prepared = host.prepare(Slot::Schedule, "");
    host.slots.swap(host.now, prepared).unwrap();
    assert_eq!(questions::ask(&mut host.slots, Slot::Schedule), Err(weir_core::Fault::Stale));
    let feed = weir_core::Feed::Group(weir_core::ids::GroupId(1), vec![questions::item(1)]);
    host.slots.feed(host.now, Slot::Schedule, feed).unwrap();
    host.level(Slot::Schedule);
    // The feed was its first call.
    assert_eq!(questions::ask(&mut host.slots, Slot::Schedule), Ok(2));
}

#[test]
fn names_reach_every_instance_and_the_next() {
    let mut host = Host::new(Pace::Fuel);
    host.install(Slot::Priority, r#"{"on": "names", "do": "nonsense"}"#);
    let named: Vec<_> =
        (0..300).map(|id| Named { kind: 1, id, name: format!("flow {id}") }).collect();
    host.slots.names(&named);
    host.slots.forget(&[(1, 0)]);
    host.slots.nonsense(host.now, Slot::Priority, "rank of a request that is not there");
    let words = host.slots.list()[0].words.clone().unwrap();
    assert!(words.contains("told 256 names") && words.contains("told 44 names"), "{words}");
    host.slots.nonsense(host.now, Slot::Priority, "again");
    let words = host.slots.list()[0].words.clone().unwrap();
    assert!(words.contains("told 43 names"), "the renewed instance was told the rest: {words}");
}

#[test]
fn a_slot_hears_of_ids_that_its_calls_use() {
    use weir_sdk::codes::names::{CANDIDATE, CELL, FLOW, LANE, TASK};
    let hear: [(u16, &[Slot]); 5] = [
        (FLOW, &[Slot::Priority, Slot::Schedule]),
        (CELL, &[Slot::Limit]),
        (LANE, &[Slot::Schedule]),
        (CANDIDATE, &[Slot::Schedule, Slot::Retry, Slot::Route]),
        (TASK, &[Slot::Priority, Slot::Fanout]),
    ];
    let mut host = Host::new(Pace::Fuel);
    for slot in Slot::ALL {
        host.install(slot, r#"{"on": "forget", "do": "panic"}"#);
    }
    for (kind, slots) in hear {
        host.slots.forget(&[(kind, 1)]);
        let events = host.events();
        let heard = events.iter().filter_map(|event| match event {
            Event::PolicyFault { slot, .. } => Some(*slot),
            _ => None,
        });
        assert_eq!(heard.collect::<Vec<_>>(), slots, "kind {kind}");
        Slot::ALL.into_iter().for_each(|slot| host.level(slot));
    }
}

#[test]
fn fuel_gives_the_same_times_in_every_run() {
    let times = || {
        let mut host = Host::new(Pace::Fuel);
        host.install(Slot::Limit, "");
        for _ in 0..50 {
            questions::ask(&mut host.slots, Slot::Limit).unwrap();
        }
        let meters = host.slots.meters().find(|(slot, _)| *slot == Slot::Limit);
        let nanos = meters.unwrap().1.nanos.clone().unwrap();
        (nanos.len(), nanos.max(), nanos.min())
    };
    let first = times();
    assert_eq!(first.0, 50);
    assert_eq!(first, times());
}

#[test]
fn the_state_is_taken_every_ten_seconds() {
    let mut host = Host::new(Pace::Fuel);
    host.install(Slot::Retry, r#"{"on": "save", "do": "panic"}"#);
    let due = host.slots.due().unwrap();
    assert_eq!(due, host.now.plus(Micros::from_secs(10)));
    host.slots.tick(due.minus(Micros(1)));
    assert_eq!(host.events(), []);
    host.slots.tick(due);
    assert_eq!(host.events().len(), 1, "the save that panics is a fault");
}
