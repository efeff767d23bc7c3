use weir_sdk::schedule::{Event, Service};
use weir_sdk::testing::{ScheduleBench, demand, item, room};

use super::*;

fn bench() -> ScheduleBench {
    ScheduleBench::start::<Fifo>("")
}

fn served(bench: &mut ScheduleBench) -> Vec<u64> {
    std::iter::from_fn(|| bench.serve()).collect()
}

#[test]
fn class_comes_before_rank_before_arrival_before_id() {
    let mut bench = bench();
    bench.offer(Item { class: 2, arrived: 1, ..item(1, 7) });
    bench.offer(Item { rank: 5, arrived: 2, ..item(2, 7) });
    bench.offer(Item { arrived: 9, ..item(3, 7) });
    bench.offer(Item { arrived: 9, ..item(4, 7) });
    bench.offer(Item { arrived: 8, ..item(5, 7) });
    assert_eq!(served(&mut bench), [5, 3, 4, 2, 1]);
}

#[test]
fn a_wait_of_an_aging_step_counts_as_a_class() {
    let step = Micros::from_secs(10);
    let mut bench = bench();
    bench.offer(Item { class: 2, arrived: 0, aging_step: step.0, ..item(1, 7) });
    bench.advance(step * 2);
    bench.offer(Item { class: 1, arrived: 20_000_000, ..item(2, 7) });
    assert_eq!(served(&mut bench), [1, 2]);
}

#[test]
fn an_item_told_again_is_replaced() {
    let mut bench = bench();
    bench.offer(item(1, 7));
    bench.offer(item(2, 7));
    bench.offer(Item { class: 3, ..item(1, 7) });
    assert_eq!(served(&mut bench), [2, 1]);
}

#[test]
fn what_has_left_or_was_never_there_is_not_offered() {
    let mut bench = bench();
    bench.offer(item(1, 7));
    bench.offer(item(2, 7));
    bench.cancel(1);
    bench.cancel(99);
    assert_eq!(served(&mut bench), [2]);
}

#[test]
fn what_the_host_starts_itself_is_not_offered() {
    let mut bench = bench();
    bench.offer(item(1, 7));
    bench.admit(1);
    assert_eq!(bench.serve(), None);
}

#[test]
fn a_start_that_it_was_never_told_of_changes_nothing() {
    let mut bench = bench();
    bench.offer(item(1, 7));
    let charge = Service { requests: 1, input: 100, output: 0, cost: 0 };
    bench.tell(vec![Event::Started(Started { item: 99, flow: 8, candidate: 1, charge })]);
    assert_eq!(served(&mut bench), [1]);
}

#[test]
fn lanes_do_not_wait_for_each_other() {
    let mut bench = bench();
    bench.offer(item(1, 7));
    bench.offer(Item { lane: 2, ..item(2, 7) });
    assert_eq!(bench.pick(&room(2, 1)), Some(2));
    assert_eq!(bench.pick(&room(2, 1)), None);
}

#[test]
fn only_what_fits_passes_a_held_head() {
    let mut bench = bench();
    bench.offer(Item { demand: demand(9_000, 0), ..item(1, 7) });
    bench.offer(Item { demand: demand(10, 0), ..item(2, 7) });
    let passing = |input| Room { passing: true, input, ..room(1, 1) };
    assert_eq!(bench.pick(&passing(5)), None);
    assert_eq!(bench.pick(&passing(50)), Some(2));
}

#[test]
fn the_look_ahead_for_passers_is_bounded() {
    let mut bench = ScheduleBench::start::<Fifo>(r#"{"look": 2}"#);
    for id in 1..=2 {
        bench.offer(Item { demand: demand(9_000, 0), ..item(id, 7) });
    }
    bench.offer(Item { demand: demand(10, 0), ..item(3, 7) });
    assert_eq!(bench.pick(&Room { passing: true, input: 50, ..room(1, 1) }), None);
}

#[test]
fn a_hundred_thousand_that_age_at_once_all_go_out_in_order() {
    let mut bench = bench();
    let step = Micros::from_secs(60).0;
    for id in 1..=100_000 {
        bench.offer(Item { class: 3, aging_step: step, ..item(id, 7) });
    }
    bench.advance(Micros::from_secs(120));
    let served = served(&mut bench);
    assert_eq!(served.len(), 100_000);
    assert!(served.is_sorted());
}
