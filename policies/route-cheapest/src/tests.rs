use weir_sdk::native;
use weir_sdk::testing::{candidate, request};

use super::*;

const SECOND: u64 = 1_000_000;

fn start(settings: &str) -> Box<dyn native::Route> {
    native::route::<Cheapest>(settings, 0).unwrap()
}

/// The order for a request that has so many seconds left.
fn order(settings: &str, left_s: u64, candidates: &[Candidate]) -> Vec<Choice> {
    let now = 5 * SECOND;
    let request = Request { deadline: Some(now + left_s * SECOND), ..request(1) };
    start(settings).order(now, &request, candidates, 0)
}

fn ids(order: &[Choice]) -> Vec<u32> {
    order.iter().map(|choice| choice.candidate).collect()
}

/// A candidate with a cost and a steady latency in seconds.
fn priced(id: u32, cost: u64, latency_s: u64) -> Candidate {
    let latency = latency_s * SECOND;
    Candidate { cost, latency, peak_latency: latency, ..candidate(id) }
}

#[test]
fn the_cheapest_of_those_in_time_is_first_and_the_late_follow_by_speed() {
    let all = [priced(1, 10, 90), priced(2, 20, 30), priced(3, 30, 5), priced(4, 5, 70)];
    let order = order("", 60, &all);
    assert_eq!(ids(&order), [2, 3, 4, 1]);
    assert_eq!(order.iter().map(|one| one.reason).collect::<Vec<_>>(), [MEETS, MEETS, LATE, LATE]);
}

#[test]
fn when_none_is_in_time_the_fastest_is_first() {
    assert_eq!(
        ids(&order("", 2, &[priced(1, 1, 20), priced(2, 9, 4), priced(3, 5, 8)])),
        [2, 3, 1]
    );
}

#[test]
fn without_a_deadline_cost_alone_counts() {
    let all = [priced(1, 20, 1), priced(2, 10, 10_000)];
    assert_eq!(ids(&start("").order(0, &request(1), &all, 0)), [2, 1]);
}

#[test]
fn the_wait_counts_as_well() {
    let waits = Candidate { fits: false, wait: 8 * SECOND, ..priced(1, 1, 3) };
    assert_eq!(ids(&order("", 11, &[waits, priced(2, 9, 3)])), [1, 2]);
    assert_eq!(ids(&order("", 10, &[waits, priced(2, 9, 3)])), [2, 1]);
}

#[test]
fn a_candidate_that_can_never_take_it_is_late() {
    let never = Candidate { fits: false, wait: u64::MAX, ..priced(1, 1, 3) };
    let order = order("", 3_600, &[never, priced(2, 9, 3)]);
    assert_eq!(ids(&order), [2, 1]);
    assert_eq!(order[1].reason, LATE);
}

#[test]
fn peaks_count_by_caution_and_slack_comes_on_top() {
    let spiky = Candidate { peak_latency: 20 * SECOND, ..priced(1, 1, 10) };
    let steady = priced(2, 9, 3);
    assert_eq!(ids(&order("", 15, &[spiky, steady])), [1, 2]);
    assert_eq!(ids(&order(r#"{"caution": 0.6}"#, 15, &[spiky, steady])), [2, 1]);
    assert_eq!(ids(&order(r#"{"slack_ms": 1}"#, 15, &[spiky, steady])), [2, 1]);
}

#[test]
fn failures_make_dear_and_then_last() {
    let flaky = Candidate { success: 0.6, ..priced(1, 7, 3) };
    let failing = Candidate { success: 0.49, ..priced(2, 1, 1) };
    let order = order("", 60, &[flaky, failing, priced(3, 10, 3)]);
    // 7 ÷ 0.6 is above 10.
    assert_eq!(ids(&order), [3, 1, 2]);
    assert_eq!(order[2].reason, FAILING);
}

#[test]
fn equals_in_cost_go_by_speed_and_the_unknown_at_their_setting() {
    let unknown = Candidate { latency: 0, peak_latency: 0, ..priced(1, 5, 0) };
    assert_eq!(ids(&order("", 60, &[priced(2, 5, 2), unknown])), [1, 2]);
    assert_eq!(ids(&order(r#"{"unknown_ms": 3000}"#, 60, &[priced(2, 5, 2), unknown])), [2, 1]);
}

#[test]
fn patience_is_given_only_where_it_helps() {
    let soon = Candidate { fits: false, wait: 2 * SECOND, ..priced(1, 1, 3) };
    let later = Candidate { fits: false, wait: 2 * SECOND + 1, ..priced(2, 2, 3) };
    let late = Candidate { fits: false, wait: SECOND, ..priced(3, 3, 100) };
    let order = order("", 60, &[soon, later, late]);
    let patience: Vec<_> = order.iter().map(|one| (one.candidate, one.patience)).collect();
    assert_eq!(patience, [(1, 2 * SECOND), (2, 0), (3, 0)]);
}

#[test]
fn no_candidates_give_no_order_and_a_deadline_that_is_past_harms_nothing() {
    assert!(order("", 60, &[]).is_empty());
    let request = Request { deadline: Some(1), ..request(1) };
    assert_eq!(ids(&start("").order(SECOND, &request, &[priced(1, 1, 1)], 0)), [1]);
}

#[test]
fn reasons_have_words_and_bad_settings_are_refused_with_them() {
    let policy = start("");
    for reason in [MEETS, LATE, FAILING] {
        assert_ne!(policy.explain(reason), "unknown");
    }
    assert_eq!(policy.explain(99), "unknown");
    let error = native::route::<Cheapest>(r#"{"caution": 2}"#, 0).err().unwrap();
    assert_eq!(error, "setting `caution` is 2; it must be at least 0 and at most 1");
}
