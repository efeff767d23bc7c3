use std::collections::BTreeMap;

use proptest::prelude::*;
use weir_sdk::codes::level;
use weir_sdk::schedule::{Event, Flow, Item, Room, Service, Started};
use weir_sdk::testing::{ScheduleBench, demand, flow, item, room};

use super::*;

/// Tenants with their weight and one session each: tenant `t` has session `t * 10`.
fn bench(settings: &str, weights: &[(u64, u32)]) -> ScheduleBench {
    let mut bench = ScheduleBench::start::<Vtc>(settings);
    for (tenant, weight) in weights {
        bench.tell(tenant_and_session(*tenant, *weight));
    }
    bench
}

fn tenant_and_session(tenant: u64, weight: u32) -> Vec<Event> {
    let tenant_flow = Flow { level: level::TENANT, ..flow(tenant, 0, weight) };
    vec![Event::Flow(tenant_flow), session(tenant * 10, tenant)]
}

fn session(id: u64, tenant: u64) -> Event {
    Event::Flow(Flow { level: level::SESSION, ..flow(id, tenant, 1) })
}

/// Offers items of a size to a session.
fn offer(bench: &mut ScheduleBench, session: u64, ids: std::ops::Range<u64>, input: u64) {
    for id in ids {
        bench.offer(Item { demand: demand(input, 0), ..item(id, session) });
    }
}

/// Tells of an item that the host started and never told of.
fn start_alone(bench: &mut ScheduleBench, item: u64, flow: u64, input: u64) {
    let charge = Service { requests: 1, input, output: 0, cost: 0 };
    bench.tell(vec![Event::Started(Started { item, flow, candidate: 1, charge })]);
}

/// Serves `rounds` items and counts those of each thousand of ids.
fn counts(bench: &mut ScheduleBench, rounds: usize) -> BTreeMap<u64, u64> {
    let mut counts = BTreeMap::new();
    let served = (0..rounds).map_while(|_| bench.serve());
    served.for_each(|id| *counts.entry(id / 10_000).or_insert(0) += 1);
    counts
}

#[test]
fn the_least_served_tenant_goes_first() {
    let mut bench = bench("", &[(1, 1), (2, 1)]);
    offer(&mut bench, 10, 1..4, 300);
    offer(&mut bench, 20, 11..17, 100);
    let served: Vec<_> = std::iter::from_fn(|| bench.serve()).collect();
    assert_eq!(served, [1, 11, 12, 13, 2, 14, 15, 16, 3]);
}

#[test]
fn weights_divide_what_is_charged() {
    let mut bench = bench("", &[(1, 1), (2, 3)]);
    offer(&mut bench, 10, 10_000..10_500, 100);
    offer(&mut bench, 20, 20_000..20_500, 100);
    assert_eq!(counts(&mut bench, 400), BTreeMap::from([(1, 100), (2, 300)]));
}

#[test]
fn output_counts_while_it_is_produced_and_by_its_factor() {
    let mut bench = bench(r#"{"output": 4}"#, &[(1, 1), (2, 1)]);
    offer(&mut bench, 10, 1..3, 100);
    offer(&mut bench, 20, 11..20, 100);
    assert_eq!(bench.serve(), Some(1));
    bench.settle(10, 100);
    let before = (0..9).take_while(|_| bench.serve() != Some(2)).count();
    assert_eq!(before, 5, "one of 100 and four for the output");
}

#[test]
fn sessions_of_a_tenant_share_what_it_gets() {
    let mut bench = bench("", &[(1, 1), (2, 1)]);
    bench.tell(vec![session(11, 1)]);
    offer(&mut bench, 10, 10_000..10_100, 100);
    offer(&mut bench, 11, 20_000..20_100, 100);
    offer(&mut bench, 20, 30_000..30_100, 100);
    assert_eq!(counts(&mut bench, 120), BTreeMap::from([(1, 30), (2, 30), (3, 60)]));
}

#[test]
fn a_tenants_urgent_class_goes_first_with_aging_and_takes_nothing_from_another() {
    let mut bench = bench("", &[(1, 1), (2, 1)]);
    bench.tell(vec![session(11, 1)]);
    bench.offer(Item { class: 2, aging_step: 1_000_000, ..item(1, 10) });
    bench.offer(Item { class: 2, ..item(2, 10) });
    bench.advance(Micros::from_secs(1));
    bench.offer(Item { class: 1, arrived: 9_000_000, ..item(3, 11) });
    (11..15).for_each(|id| bench.offer(Item { class: 3, ..item(id, 20) }));
    let served: Vec<_> = std::iter::from_fn(|| bench.serve()).collect();
    let of_first: Vec<_> = served.iter().copied().filter(|id| *id < 10).collect();
    assert_eq!(of_first, [1, 3, 2]);
    assert!(served[..2].contains(&11), "{served:?}");
}

#[test]
fn a_returning_flow_gains_no_credit() {
    let mut bench = bench("", &[(1, 1), (2, 1)]);
    offer(&mut bench, 20, 20_000..20_600, 100);
    counts(&mut bench, 300);
    offer(&mut bench, 10, 10_000..10_300, 100);
    assert_eq!(counts(&mut bench, 100), BTreeMap::from([(1, 50), (2, 50)]));
}

#[test]
fn a_returning_flow_keeps_its_debt() {
    let mut bench = bench("", &[(1, 1), (2, 1)]);
    offer(&mut bench, 10, 1..2, 100);
    offer(&mut bench, 20, 101..120, 100);
    assert_eq!(bench.serve(), Some(1));
    bench.settle(10, 500);
    offer(&mut bench, 10, 2..3, 100);
    let before = (0..30).take_while(|_| bench.serve() != Some(2)).count();
    assert_eq!(before, 11);
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
    assert!(given[&1].abs_diff(given[&2]) <= 2, "{given:?}");
}

#[test]
fn an_item_that_it_was_never_told_of_is_charged() {
    let mut bench = bench("", &[(1, 1), (2, 1)]);
    offer(&mut bench, 10, 1..3, 100);
    offer(&mut bench, 20, 11..20, 100);
    start_alone(&mut bench, 99, 10, 500);
    let before = (0..9).take_while(|_| bench.serve() != Some(1)).count();
    assert_eq!(before, 5);
}

#[test]
fn an_hour_alone_leaves_no_debt_behind() {
    let mut bench = bench("", &[(1, 1), (2, 1)]);
    for id in 1_000..2_000 {
        start_alone(&mut bench, id, 10, 5_000);
    }
    offer(&mut bench, 20, 20_000..20_300, 100);
    offer(&mut bench, 10, 10_000..10_300, 100);
    let given = counts(&mut bench, 200);
    let owed = 5_000 / 100;
    assert_eq!(given, BTreeMap::from([(1, 100 - owed / 2), (2, 100 + owed / 2)]), "its last alone");
}

#[test]
fn a_closed_lane_gathers_no_more_credit_than_the_lag() {
    let mut bench = bench(r#"{"lag": 1000}"#, &[(1, 1), (2, 1)]);
    for id in 10_000..10_100 {
        bench.offer(Item { lane: 2, demand: demand(100, 0), ..item(id, 10) });
    }
    offer(&mut bench, 20, 20_000..20_500, 100);
    counts(&mut bench, 400);
    for id in 21_000..21_100 {
        bench.offer(Item { lane: 2, demand: demand(100, 0), ..item(id, 20) });
    }
    let mut alone = 0;
    while let Some(id @ ..20_000) = bench.pick(&room(2, 1)) {
        bench.admit(id);
        alone += 1;
    }
    assert!((10..=12).contains(&alone), "{alone} were served before the other's turn");
}

#[test]
fn a_swap_carries_debts_over() {
    let flows = || [tenant_and_session(1, 1), tenant_and_session(2, 1)].concat();
    let mut bench = bench("", &[(1, 1), (2, 1)]);
    offer(&mut bench, 10, 1..3, 100);
    offer(&mut bench, 20, 101..120, 100);
    assert_eq!(bench.serve(), Some(1));
    bench.settle(10, 500);
    bench.swap::<Vtc>("", flows());
    let before = (0..30).take_while(|_| bench.serve() != Some(2)).count();
    assert_eq!(before, 11);
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
fn a_state_of_very_many_sessions_stays_below_what_the_host_takes() {
    let mut policy = weir_sdk::native::schedule::<Vtc>("", 0).unwrap();
    policy.update(0, 1, vec![Event::Flow(Flow { level: level::TENANT, ..flow(1, 0, 1) })]);
    for id in 0..50_000 {
        let id = u64::MAX / 2 + id;
        policy.update(0, 1, vec![session(id, 1), Event::Item(item(id, id))]);
    }
    let bytes = policy.save(0).len();
    assert!((100_000..1 << 20).contains(&bytes), "{bytes} bytes");
}

#[test]
fn contradicting_settings_are_refused_with_words() {
    let start = |settings| weir_sdk::native::schedule::<Vtc>(settings, 0).err().unwrap();
    assert_eq!(
        start(r#"{"input": 0, "output": 0}"#),
        "settings `input` and `output` are both 0; tokens must count"
    );
    assert_eq!(
        start(r#"{"lag": 1}"#),
        "setting `lag` is 1; it must be at least 1000 and at most 1000000000000"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Backlogged tenants get shares by weight, within a largest request each.
    #[test]
    fn shares_follow_weights(
        tenants in prop::collection::vec((1_u32..=4, 50_u64..2_000), 2..=5),
    ) {
        let numbered: Vec<_> = (1..).zip(&tenants).collect();
        let weights: Vec<_> = numbered.iter().map(|(id, (weight, _))| (*id, *weight)).collect();
        let mut bench = bench("", &weights);
        for (tenant, (_, size)) in &numbered {
            offer(&mut bench, tenant * 10, tenant * 10_000..tenant * 10_000 + 2_000, *size);
        }
        let given = counts(&mut bench, 2_000);
        let served: Vec<f64> = numbered
            .iter()
            .map(|(id, (weight, size))| {
                (given.get(id).copied().unwrap_or(0) * size) as f64 / f64::from(*weight)
            })
            .collect();
        let (least, most) = served
            .iter()
            .fold((f64::MAX, 0.0_f64), |(least, most), share| (least.min(*share), most.max(*share)));
        prop_assert!(most - least <= 2_000.0, "{served:?} differ by more than a request");
    }

    /// Whatever is offered is served once, in whatever order things happen.
    #[test]
    fn nothing_is_lost_or_served_twice(
        steps in prop::collection::vec((0_u8..7, 1_u64..40, 1_u64..5, 0_u8..4), 1..200),
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
                5 => {
                    bench.admit(id);
                    waiting.remove(&id);
                    start_alone(&mut bench, 1_000 + id, session * 10, 100);
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
