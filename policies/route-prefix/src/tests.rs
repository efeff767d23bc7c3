use weir_sdk::native;
use weir_sdk::testing::{candidate, request};

use super::*;

const SECOND: u64 = 1_000_000;

fn start(settings: &str) -> Box<dyn native::Route> {
    native::route::<Prefix>(settings, 0).unwrap()
}

fn with(prefix: &[u64]) -> Request {
    Request { prefix: prefix.to_vec(), ..request(1) }
}

/// The first choice for a prefix: the candidate and why.
fn first(
    policy: &mut dyn native::Route,
    now: u64,
    prefix: &[u64],
    all: &[Candidate],
) -> (u32, u16) {
    let order = policy.order(now, &with(prefix), all, 0);
    (order[0].candidate, order[0].reason)
}

fn three() -> [Candidate; 3] {
    [1, 2, 3].map(|id| Candidate { limit: 100, ..candidate(id) })
}

/// A prefix whose home is a given candidate.
fn prefix_of(home: u32) -> u64 {
    (1..200).find(|prefix| first(&mut *start(""), 0, &[*prefix], &three()).0 == home).unwrap()
}

/// Puts `in_flight` at one candidate.
fn busy(id: u32, in_flight: u32) -> [Candidate; 3] {
    three().map(|one| if one.id == id { Candidate { in_flight, ..one } } else { one })
}

#[test]
fn a_prefix_has_a_home_and_is_known_there_afterwards() {
    let mut policy = start("");
    let prefix = prefix_of(2);
    assert_eq!(first(&mut *policy, 0, &[prefix], &three()), (2, Place::Home as u16));
    assert_eq!(first(&mut *policy, 1, &[prefix, 9, 8], &three()), (2, Place::Known as u16));
    assert_eq!(first(&mut *policy, 2, &[7_777, 9], &three()), (2, Place::Known as u16));
}

#[test]
fn an_affinity_expires() {
    let mut policy = start(r#"{"keep_s": 10}"#);
    let prefix = prefix_of(2);
    first(&mut *policy, 0, &[prefix], &three());
    let at = |second: u64| second * SECOND;
    assert_eq!(first(&mut *policy, at(9), &[prefix], &three()).1, Place::Known as u16);
    assert_eq!(first(&mut *policy, at(19), &[prefix], &three()).1, Place::Home as u16);
}

#[test]
fn the_host_is_believed_where_nothing_is_known() {
    let prefix = prefix_of(2);
    let mut all = three();
    (all[0].cached, all[2].cached) = (100, 2_000);
    assert_eq!(first(&mut *start(""), 0, &[prefix], &all), (3, Place::Cached as u16));
}

#[test]
fn too_much_in_flight_overflows_and_the_longer_prefix_stays_there() {
    let mut policy = start("");
    let prefix = prefix_of(1);
    first(&mut *policy, 0, &[prefix], &three());
    // Four are never too much; of 31 a third, and a quarter of that more, is 13.
    assert_eq!(first(&mut *policy, 1, &[prefix], &busy(1, 3)).0, 1);
    let order = policy.order(2, &with(&[prefix, 50]), &busy(1, 30), 0);
    assert_ne!(order[0].candidate, 1);
    assert_eq!((order[2].candidate, order[2].reason), (1, Place::Loaded as u16));
    let there = order[0].candidate;
    assert_eq!(first(&mut *policy, 3, &[prefix, 50, 51], &three()), (there, Place::Known as u16));
    assert_eq!(first(&mut *policy, 4, &[prefix], &three()), (1, Place::Known as u16));
}

#[test]
fn the_bound_is_the_stated_share() {
    let settings = Settings { spare: 0, ..Settings::default() };
    let one = |in_flight| [Candidate { limit: 10, in_flight, ..candidate(1) }, candidate(2)];
    let order = |in_flight: u32| {
        let all = one(in_flight);
        let ranked: Vec<_> = all.iter().collect();
        Standing::new(&settings, &all).order(&ranked, 1, Place::Home)
    };
    // With 1 in flight: ceil(1.25 × 10 × 2 ÷ 20) = 2, with 2: ceil(1.875) = 2.
    assert_eq!(order(1)[0].candidate, 1);
    assert_eq!(order(2)[0].candidate, 2);
}

#[test]
fn a_full_home_is_waited_for_only_when_it_frees_soon() {
    let prefix = prefix_of(1);
    let full = |wait| {
        let mut all = three();
        (all[0].fits, all[0].wait) = (false, wait);
        start("").order(0, &with(&[prefix]), &all, 0)
    };
    let soon = full(500_000);
    assert_eq!((soon[0].candidate, soon[0].patience), (1, 500_000));
    let late = full(500_001);
    assert_eq!((late[2].candidate, late[2].reason), (1, Place::Full as u16));
    assert!(late.iter().all(|choice| choice.patience == 0), "{late:?}");
}

#[test]
fn what_was_tried_or_fails_comes_last() {
    let prefix = prefix_of(1);
    for change in [|one: &mut Candidate| one.tries = 1, |one: &mut Candidate| one.success = 0.4] {
        let mut all = three();
        change(&mut all[0]);
        let order = start("").order(0, &with(&[prefix]), &all, 0);
        assert_eq!((order[2].candidate, order[2].reason), (1, Place::Failing as u16));
    }
}

#[test]
fn without_a_prefix_load_decides_and_equals_share() {
    let order = start("").order(0, &request(1), &busy(1, 5), 0);
    assert_eq!(order.iter().map(|one| one.candidate).collect::<Vec<_>>(), [2, 3, 1]);
    assert_eq!(order[0].reason, Place::NoPrefix as u16);
    let other = start("").order(0, &request(1), &three(), u64::MAX);
    assert_eq!(other[0].candidate, 3);
}

#[test]
fn a_candidate_that_is_gone_is_forgotten() {
    let mut policy = start("");
    let prefix = prefix_of(2);
    first(&mut *policy, 0, &[prefix], &three());
    policy.forget(&[(names::CANDIDATE, 2)]);
    assert_eq!(first(&mut *policy, 1, &[prefix], &three()).1, Place::Home as u16);
    let rest = [three()[0], three()[2]];
    assert_ne!(first(&mut *policy, 2, &[prefix], &rest).0, 2);
}

#[test]
fn names_decide_the_home() {
    let name = |id, name: &str| Named { kind: names::CANDIDATE, id, name: name.to_owned() };
    let homes = |entries: &[Named]| -> Vec<u32> {
        let mut policy = start("");
        policy.names(entries);
        (0..50).map(|prefix| first(&mut *policy, 0, &[prefix], &three()).0).collect()
    };
    let here = homes(&[name(1, "a/m"), name(2, "b/m"), name(3, "c/m")]);
    let there = homes(&[name(3, "a/m"), name(2, "b/m"), name(1, "c/m")]);
    assert_eq!(here, there.iter().map(|id| 4 - id).collect::<Vec<_>>());
}

#[test]
fn no_candidates_give_no_order() {
    assert!(start("").order(0, &with(&[1]), &[], 0).is_empty());
    assert!(start("").order(0, &request(1), &[], 0).is_empty());
}

#[test]
fn reasons_have_words_and_bad_settings_are_refused_with_them() {
    let policy = start("");
    assert!((1..=8).all(|reason| policy.explain(reason) != "unknown"));
    assert_eq!(policy.explain(99), "unknown");
    let error = native::route::<Prefix>(r#"{"load_factor": 0.5}"#, 0).err().unwrap();
    assert_eq!(error, "setting `load_factor` is 0.5; it must be at least 1 and at most 1000");
}
