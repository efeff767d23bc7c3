use weir_sdk::native;
use weir_sdk::testing::arrival;

use super::*;

const NOW: Micros = Micros::from_secs(100);

fn place(settings: &str, arrival: &Arrival) -> Placement {
    native::priority::<Slo>(settings, 0).unwrap().place(NOW.0, arrival)
}

/// A request that runs for a second and waits for two, with this slack in milliseconds.
fn with_slack(millis: u64) -> Arrival {
    let deadline = NOW + Micros::from_secs(3) + Micros::from_millis(millis);
    Arrival { deadline: Some(deadline.0), wait: 2_000_000, ..arrival(1) }
}

#[test]
fn what_is_left_after_running_and_waiting_decides_the_class() {
    let classes = [0, 2_000, 2_001, 15_000, 15_001, 120_000, 120_001]
        .map(|millis| place("", &with_slack(millis)).class);
    assert_eq!(classes, [0, 0, 1, 1, 2, 2, 3]);
}

#[test]
fn whoever_is_late_by_the_lines_own_estimate_is_urgent() {
    let late = Arrival { deadline: Some(NOW.0 + 10), ..with_slack(0) };
    assert_eq!((place("", &late).class, place("", &late).rank), (0, 0));
}

#[test]
fn less_slack_goes_first_within_a_class() {
    let ranks = [3_000, 9_000].map(|millis| place("", &with_slack(millis)).rank);
    assert_eq!(ranks, [3_000, 9_000]);
    assert_eq!(place("", &arrival(1)).rank, i32::MAX, "no deadline goes last");
}

#[test]
fn thresholds_and_the_class_without_a_deadline_can_be_set() {
    let settings = r#"{"slack_ms": [10, 20], "standard": 1}"#;
    assert_eq!([5, 15, 25].map(|millis| place(settings, &with_slack(millis)).class), [0, 1, 2]);
    assert_eq!(place(settings, &arrival(1)).class, 1);
    assert_eq!(place("", &arrival(1)).class, 2);
}

#[test]
fn nobody_is_more_urgent_than_declared() {
    let declared = |class| Arrival { declared_class: class, ..with_slack(3_000) };
    assert_eq!([0, 1, 2, 200].map(|class| place("", &declared(class)).class), [1, 1, 2, 3]);
    assert_eq!(place(r#"{"declared": false}"#, &declared(2)).class, 1);
}

#[test]
fn it_ages_as_its_slack_runs_out_and_goes_first_before_it_is_late() {
    let Placement { aging_step, longest_wait, .. } = place("", &with_slack(40_000));
    assert_eq!((aging_step, longest_wait), (25_000_000, 38_000_000));
    let urgent = place("", &with_slack(1_000));
    assert_eq!((urgent.aging_step, urgent.longest_wait), (0, 1), "there is no time to lose");
    let patient = place("", &arrival(1));
    assert_eq!((patient.aging_step, patient.longest_wait), (105_000_000, 118_000_000));
}

#[test]
fn aging_and_the_longest_wait_can_be_set() {
    let placed = place(r#"{"aging_ms": 5, "longest_wait_ms": 7}"#, &with_slack(40_000));
    assert_eq!((placed.aging_step, placed.longest_wait), (5_000, 7_000));
}

#[test]
fn asked_again_it_does_not_age_twice() {
    for why in [why::DEADLINE, why::SOFT_LIMIT] {
        let placed = place("", &Arrival { why, ..with_slack(40_000) });
        assert_eq!((placed.class, placed.aging_step, placed.longest_wait), (2, 0, 38_000_000));
    }
}

#[test]
fn much_slack_or_a_spent_budget_may_be_shed() {
    assert!(place("", &with_slack(500_000)).may_shed);
    assert!(!place("", &with_slack(100_000)).may_shed);
    let spent = |budget_spent| Arrival { budget_spent, ..with_slack(0) };
    assert!(!place(r#"{"soft": 900}"#, &spent(899)).may_shed);
    assert!(place(r#"{"soft": 900}"#, &spent(900)).may_shed);
}

#[test]
fn bad_settings_are_refused_with_words() {
    let start = |settings| native::priority::<Slo>(settings, 0).err().unwrap();
    assert_eq!(
        start(r#"{"slack_ms": []}"#),
        "setting `slack_ms` has 0 entries; it must have 1 to 16"
    );
    assert_eq!(
        start(r#"{"slack_ms": [5, 9, 9]}"#),
        "setting `slack_ms` has 9 after 9; it must rise"
    );
    assert_eq!(
        start(r#"{"slack_ms": [5], "standard": 2}"#),
        "setting `standard` is 2; the last class is 1"
    );
}
