use weir_sdk::schedule::{Event, Service};
use weir_sdk::testing::{ScheduleBench, demand, item, room};

use super::*;

fn bench() -> ScheduleBench {
    ScheduleBench::start::<Edf>("")
}

fn due(id: u64, deadline: u64) -> Item {
    Item { deadline, ..item(id, 7) }
}

fn served(bench: &mut ScheduleBench) -> Vec<u64> {
    std::iter::from_fn(|| bench.serve()).collect()
}

#[test]
fn the_earliest_deadline_goes_first_whatever_class_and_rank_say() {
    let mut bench = bench();
    bench.offer(Item { class: 0, rank: -5, ..due(1, 9_000) });
    bench.offer(Item { class: 3, rank: 5, ..due(2, 8_000) });
    bench.offer(due(3, 8_500));
    assert_eq!(served(&mut bench), [2, 3, 1]);
}

#[test]
fn equal_deadlines_go_by_arrival_then_id() {
    let mut bench = bench();
    bench.offer(Item { arrived: 30, ..due(1, 9_000) });
    bench.offer(Item { arrived: 20, ..due(3, 9_000) });
    bench.offer(Item { arrived: 20, ..due(2, 9_000) });
    assert_eq!(served(&mut bench), [2, 3, 1]);
}

#[test]
fn without_a_deadline_it_is_due_a_set_time_after_arrival() {
    let mut bench = ScheduleBench::start::<Edf>(r#"{"virtual_ms": 1000}"#);
    bench.offer(Item { arrived: 500_000, ..due(1, 0) });
    bench.offer(due(2, 1_499_999));
    bench.offer(due(3, 1_500_001));
    assert_eq!(served(&mut bench), [2, 1, 3]);
}

#[test]
fn an_item_told_again_with_another_deadline_or_lane_is_replaced() {
    let mut bench = bench();
    bench.offer(due(1, 1_000));
    bench.offer(due(2, 2_000));
    bench.offer(due(1, 3_000));
    bench.offer(Item { lane: 2, ..due(2, 2_000) });
    assert_eq!(served(&mut bench), [1]);
    assert_eq!(bench.pick(&room(2, 1)), Some(2));
    assert_eq!(bench.pick(&room(2, 1)), None);
}

#[test]
fn what_has_left_was_started_by_the_host_or_was_never_there_is_not_offered() {
    let mut bench = bench();
    (1..=3).for_each(|id| bench.offer(due(id, id * 1_000)));
    bench.cancel(1);
    bench.cancel(99);
    bench.admit(2);
    let charge = Service { requests: 1, input: 100, output: 0, cost: 0 };
    bench.tell(vec![Event::Started(Started { item: 98, flow: 8, candidate: 1, charge })]);
    assert_eq!(served(&mut bench), [3]);
}

#[test]
fn only_what_fits_within_the_look_ahead_passes_a_held_head() {
    let passing = |input| Room { passing: true, input, ..room(1, 1) };
    for (look, passer) in [(2, None), (3, Some(3))] {
        let mut bench = ScheduleBench::start::<Edf>(&format!(r#"{{"look": {look}}}"#));
        (1..=2).for_each(|id| bench.offer(Item { demand: demand(9_000, 0), ..due(id, id) }));
        bench.offer(Item { demand: demand(10, 0), ..due(3, 3) });
        assert_eq!(bench.pick(&passing(5)), None);
        assert_eq!(bench.pick(&passing(50)), passer);
    }
}

#[test]
fn a_hundred_thousand_go_out_in_order() {
    let mut bench = bench();
    (0..100_000).for_each(|n| bench.offer(due(n + 1, 1 + n * 48_271 % 65_537)));
    let mut last = (0, 0);
    for served in 1..=100_000 {
        let id = bench.serve().unwrap_or_else(|| panic!("only {served} were served"));
        let key = (1 + (id - 1) * 48_271 % 65_537, id);
        assert!(key > last, "{key:?} after {last:?}");
        last = key;
    }
    assert_eq!(bench.serve(), None);
}
