use std::collections::BTreeMap;

use proptest::prelude::*;
use weir_sdk::codes::level;
use weir_sdk::schedule::{Charged, Event, Flow, Item, Room, Service, Started};
use weir_sdk::testing::{ScheduleBench, demand, flow, item, room};

use super::*;

/// Tenants with their weight and one session each: tenant `t` has session `t * 10`.
fn bench(settings: &str, weights: &[(u64, u32)]) -> ScheduleBench {
    let mut bench = ScheduleBench::start::<Drr>(settings);
    for (tenant, weight) in weights {
        bench.tell(tenant_and_session(*tenant, *weight));
    }
    bench
}

fn tenant_and_session(tenant: u64, weight: u32) -> Vec<Event> {
    let tenant_flow = Flow { level: level::TENANT, ..flow(tenant, 0, weight) };
    let session = Flow { level: level::SESSION, ..flow(tenant * 10, tenant, 1) };
    vec![Event::Flow(tenant_flow), Event::Flow(session)]
}

/// Offers items of a size to sessions, numbered from `first`; gives the owner of each.
fn offer(bench: &mut ScheduleBench, session: u64, ids: std::ops::Range<u64>, input: u64) {
    for id in ids {
        bench.offer(Item { demand: demand(input, 0), ..item(id, session) });
    }
}

/// Serves `rounds` items and counts the input given to each thousand of ids.
fn shares(
    bench: &mut ScheduleBench,
    rounds: usize,
    sizes: &BTreeMap<u64, u64>,
) -> BTreeMap<u64, u64> {
    let mut given = BTreeMap::new();
    for _ in 0..rounds {
        let Some(id) = bench.serve() else { break };
        *given.entry(id / 10_000).or_insert(0) += sizes[&(id / 10_000)];
    }
    given
}

#[test]
fn equal_tenants_take_turns() {
    let mut bench = bench(r#"{"quantum": 100}"#, &[(1, 1), (2, 1)]);
    offer(&mut bench, 10, 1..5, 100);
    offer(&mut bench, 20, 11..15, 100);
    let served: Vec<_> = std::iter::from_fn(|| bench.serve()).collect();
    assert_eq!(served, [1, 11, 2, 12, 3, 13, 4, 14]);
}

#[test]
fn small_requests_take_turns_without_any_settings() {
    let mut bench = bench("", &[(1, 1), (2, 1)]);
    offer(&mut bench, 10, 1..5, 100);
    offer(&mut bench, 20, 11..15, 100);
    let served: Vec<_> = std::iter::from_fn(|| bench.serve()).collect();
    assert_eq!(served, [1, 11, 2, 12, 3, 13, 4, 14]);
}

#[test]
fn sessions_of_a_tenant_share_what_it_gets() {
    let mut bench = bench(r#"{"quantum": 100}"#, &[(1, 1), (2, 1)]);
    bench.tell(vec![Event::Flow(Flow { level: level::SESSION, ..flow(11, 1, 1) })]);
    offer(&mut bench, 10, 100..200, 100);
    offer(&mut bench, 11, 200..300, 100);
    offer(&mut bench, 20, 300..400, 100);
    let mut given = [0; 4];
    (0..120).filter_map(|_| bench.serve()).for_each(|id| given[(id / 100) as usize] += 1);
    assert_eq!(given, [0, 30, 30, 60]);
}

#[test]
fn a_tenants_urgent_class_goes_first_and_takes_nothing_from_another() {
    let mut bench = bench(r#"{"quantum": 100}"#, &[(1, 1), (2, 1)]);
    for id in 1..=2 {
        bench.offer(Item { class: 3, ..item(id, 10) });
        bench.offer(Item { class: 0, ..item(id + 2, 10) });
        bench.offer(Item { class: 3, ..item(id + 10, 20) });
    }
    let served: Vec<_> = std::iter::from_fn(|| bench.serve()).collect();
    let of_first: Vec<_> = served.iter().copied().filter(|id| *id < 10).collect();
    assert_eq!(of_first, [3, 4, 1, 2]);
    assert!(served[..2].contains(&11), "{served:?}");
}

#[test]
fn a_pick_that_comes_back_charges_nothing() {
    let mut bench = bench(r#"{"quantum": 100}"#, &[(1, 1), (2, 1)]);
    offer(&mut bench, 10, 1..3, 100);
    offer(&mut bench, 20, 11..13, 100);
    let first = bench.pick(&room(1, 1));
    assert_eq!(first, Some(1));
    offer(&mut bench, 10, 1..2, 100);
    assert_eq!(bench.serve(), Some(1));
    assert_eq!(bench.serve(), Some(11));
}

#[test]
fn whoever_understates_pays_later() {
    let mut bench = bench("", &[(1, 1), (2, 1)]);
    offer(&mut bench, 10, 10_000..10_400, 200);
    offer(&mut bench, 20, 20_000..20_400, 1_000);
    let mut given = BTreeMap::from([(1, 0_u32), (2, 0)]);
    for _ in 0..300 {
        let id = bench.serve().unwrap();
        if id < 20_000 {
            bench.settle(10, 400);
        }
        *given.get_mut(&(id / 10_000)).unwrap() += 1;
    }
    assert!(given[&1].abs_diff(given[&2]) <= 6, "{given:?}");
}

#[test]
fn an_idle_flow_loses_credit() {
    let sizes = BTreeMap::from([(1, 100), (2, 100)]);
    let mut bench = bench(r#"{"quantum": 100}"#, &[(1, 1), (2, 1)]);
    offer(&mut bench, 20, 20_000..20_600, 100);
    shares(&mut bench, 300, &sizes);
    offer(&mut bench, 10, 10_000..10_300, 100);
    let given = shares(&mut bench, 100, &sizes);
    assert!(given[&1] <= 5_200, "an hour's idleness bought a burst: {given:?}");
}

#[test]
fn an_idle_flow_keeps_its_debt_until_rounds_have_paid_it() {
    let mut bench = bench(r#"{"quantum": 100}"#, &[(1, 1), (2, 1)]);
    offer(&mut bench, 10, 1..2, 100);
    bench.serve();
    bench.settle(10, 500);
    offer(&mut bench, 10, 2..3, 100);
    offer(&mut bench, 20, 101..120, 100);
    let before = (0..30).take_while(|_| bench.serve() != Some(2)).count();
    assert!((9..=11).contains(&before), "{before} were served before the debtor");
}

#[test]
fn a_swap_carries_debts_over() {
    let flows = || [tenant_and_session(1, 1), tenant_and_session(2, 1)].concat();
    let mut bench = bench(r#"{"quantum": 100}"#, &[(1, 1), (2, 1)]);
    offer(&mut bench, 10, 1..3, 100);
    offer(&mut bench, 20, 101..120, 100);
    assert_eq!(bench.serve(), Some(1));
    bench.settle(10, 500);
    bench.swap::<Drr>(r#"{"quantum": 100}"#, flows());
    let before = (0..30).take_while(|_| bench.serve() != Some(2)).count();
    assert!((9..=11).contains(&before), "{before} were served before the debtor");
}

#[test]
fn requests_without_tokens_take_turns_too() {
    let mut bench = bench("", &[(1, 1), (2, 1)]);
    offer(&mut bench, 10, 1..4, 0);
    offer(&mut bench, 20, 11..14, 0);
    let served: Vec<_> = std::iter::from_fn(|| bench.serve()).collect();
    assert_eq!(served, [1, 11, 2, 12, 3, 13]);
}

#[test]
fn a_session_told_before_its_tenant_finds_its_place() {
    let mut bench = ScheduleBench::start::<Drr>(r#"{"quantum": 100}"#);
    offer(&mut bench, 10, 1..3, 100);
    offer(&mut bench, 11, 3..5, 100);
    offer(&mut bench, 20, 11..15, 100);
    for (session, tenant) in [(10, 1), (11, 1), (20, 2)] {
        bench.tell(vec![Event::Flow(Flow { level: level::SESSION, ..flow(session, tenant, 1) })]);
    }
    let served: Vec<_> = std::iter::from_fn(|| bench.serve()).collect();
    let of_first = served.iter().take(4).filter(|id| **id < 10).count();
    assert_eq!((served.len(), of_first), (8, 2), "{served:?}");
}

/// Tells of an item that the host started and never told of.
fn start_alone(bench: &mut ScheduleBench, item: u64, flow: u64, input: u64) {
    let charge = Service { requests: 1, input, output: 0, cost: 0 };
    bench.tell(vec![Event::Started(Started { item, flow, candidate: 1, charge })]);
}

#[test]
fn an_item_that_it_was_never_told_of_is_charged() {
    let mut bench = bench(r#"{"quantum": 100}"#, &[(1, 1), (2, 1)]);
    offer(&mut bench, 10, 1..3, 100);
    offer(&mut bench, 20, 101..120, 100);
    start_alone(&mut bench, 99, 10, 1_000);
    let before = (0..30).take_while(|_| bench.serve() != Some(1)).count();
    assert!((9..=11).contains(&before), "{before} were served before the debtor");
}

#[test]
fn an_hour_alone_leaves_no_debt_behind() {
    let mut bench = bench(r#"{"quantum": 100}"#, &[(1, 1), (2, 1)]);
    for id in 1_000..2_000 {
        start_alone(&mut bench, id, 10, 1_000);
    }
    offer(&mut bench, 10, 1..3, 100);
    offer(&mut bench, 20, 101..120, 100);
    let before = (0..30).take_while(|_| bench.serve() != Some(1)).count();
    assert!((9..=11).contains(&before), "{before} for the last alone");
}

#[test]
fn only_what_fits_passes_a_held_head() {
    let mut bench = bench("", &[(1, 1), (2, 1)]);
    offer(&mut bench, 10, 1..2, 9_000);
    offer(&mut bench, 20, 2..3, 10);
    let passing = |input| Room { passing: true, input, ..room(1, 1) };
    assert_eq!(bench.pick(&passing(5)), None);
    assert_eq!(bench.pick(&passing(50)), Some(2));
}

#[test]
fn a_replaced_item_is_offered_once_and_unknown_ids_are_ignored() {
    let mut bench = bench("", &[(1, 1)]);
    offer(&mut bench, 10, 1..2, 100);
    bench.offer(Item { lane: 2, ..item(1, 10) });
    bench.cancel(77);
    bench.settle(4_711, 1_000);
    bench.tell(vec![Event::Gone(4_711)]);
    assert_eq!(bench.pick(&room(1, 1)), None);
    assert_eq!(bench.pick(&room(2, 1)), Some(1));
}

#[test]
fn nothing_is_kept_of_a_flow_that_is_not_known() {
    let charged = Charged { flow: 4_711, requests: 1, input: 1_000, output: 0, cost: 0 };
    let saved = |events| {
        let mut policy = weir_sdk::native::schedule::<Drr>("", 0).unwrap();
        policy.update(0, 1, events);
        policy.save(0)
    };
    assert_eq!(saved(vec![Event::Charged(charged), Event::Gone(4_712)]), saved(Vec::new()));
}

#[test]
fn a_hundred_thousand_are_all_served() {
    let weights: Vec<_> = (1..=100).map(|tenant| (tenant, 1)).collect();
    let mut bench = bench("", &weights);
    for id in 0..100_000 {
        bench.offer(Item { demand: demand(100, 50), ..item(id, (id % 100 + 1) * 10) });
    }
    assert_eq!(std::iter::from_fn(|| bench.serve()).count(), 100_000);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Backlogged tenants get shares by weight, within a quantum and a largest request each.
    #[test]
    fn shares_follow_weights(
        tenants in prop::collection::vec((1_u32..=4, 50_u64..2_000), 2..=5),
        quantum in 100_u32..4_000,
    ) {
        let numbered: Vec<_> = (1..).zip(&tenants).collect();
        let weights: Vec<_> = numbered.iter().map(|(id, (weight, _))| (*id, *weight)).collect();
        let sizes: BTreeMap<_, _> = numbered.iter().map(|(id, (_, size))| (*id, *size)).collect();
        let mut bench = bench(&format!(r#"{{"quantum": {quantum}}}"#), &weights);
        for (tenant, size) in &sizes {
            offer(&mut bench, tenant * 10, tenant * 10_000..tenant * 10_000 + 2_000, *size);
        }
        let given = shares(&mut bench, 2_000, &sizes);
        let per_weight: Vec<f64> = weights
            .iter()
            .map(|(id, weight)| given.get(id).copied().unwrap_or(0) as f64 / f64::from(*weight))
            .collect();
        let slack = f64::from(quantum) + 2.0 * 2_000.0;
        let (least, most) = per_weight
            .iter()
            .fold((f64::MAX, 0.0_f64), |(least, most), share| (least.min(*share), most.max(*share)));
        prop_assert!(most - least <= slack, "{per_weight:?} differ by more than {slack}");
    }

    /// Whatever is offered is served once, in whatever order things happen.
    #[test]
    fn nothing_is_lost_or_served_twice(
        steps in prop::collection::vec((0_u8..6, 1_u64..40, 1_u64..5, 0_u8..4), 1..200),
    ) {
        let mut bench = bench("", &[(1, 1), (2, 3)]);
        let mut waiting = std::collections::BTreeSet::new();
        for (step, id, session, class) in steps {
            match step {
                0..=2 => {
                    bench.offer(Item { class, aging_step: 1_000, ..item(id, session * 10) });
                    waiting.insert(id);
                }
                3 => {
                    bench.cancel(id);
                    waiting.remove(&id);
                }
                4 => {
                    bench.advance(Micros(700));
                    bench.settle(session * 10, i64::from(class) * 1_000 - 1_500);
                }
                _ => {
                    let served = bench.serve();
                    prop_assert_eq!(served.is_some(), !waiting.is_empty());
                    prop_assert!(served.is_none_or(|id| waiting.remove(&id)));
                }
            }
        }
        let mut rest: Vec<_> = std::iter::from_fn(|| bench.serve()).collect();
        rest.sort_unstable();
        prop_assert_eq!(rest, waiting.into_iter().collect::<Vec<_>>());
    }
}

/// Callers that ask again as soon as they are answered, through a few slots, and one that rests in between.
/// Whenever it comes back it waits for what the others may still use of their credit, and no longer.
#[test]
fn a_session_that_comes_back_is_not_passed_over() {
    const SESSIONS: u64 = 16;
    const RESTS: u64 = 100;
    let mut bench = bench("", &[]);
    bench.tell(vec![Event::Flow(Flow { level: level::TENANT, ..flow(1, 0, 1) })]);
    for session in 100..=100 + SESSIONS {
        bench.tell(vec![Event::Flow(Flow { level: level::SESSION, ..flow(session, 1, 1) })]);
    }
    let ask = |bench: &mut ScheduleBench, session: u64, turn: u64| {
        bench.offer(Item { demand: demand(20, 4_096), ..item(turn * 1_000 + session, session) });
    };
    for session in RESTS + 1..=RESTS + SESSIONS {
        ask(&mut bench, session, 0);
    }
    let mut flying: Vec<u64> = (0..6).map(|_| bench.serve().expect("all wait") % 1_000).collect();
    let (mut back, mut longest) = (1, 0);
    for turn in 1..5_000 {
        if turn == back {
            ask(&mut bench, RESTS, turn);
        }
        let session = flying.remove(0);
        bench.settle(session, 10 - 4_096);
        if session != RESTS {
            ask(&mut bench, session, turn);
        }
        flying.push(bench.serve().expect("somebody waits") % 1_000);
        if flying.last() == Some(&RESTS) {
            longest = longest.max(turn - back);
            back = turn + 7 + turn % 31;
        }
    }
    assert!(back > 4_500, "it came back no more after turn {back}");
    assert!(longest <= 4 * SESSIONS, "{longest} others were served first");
}
