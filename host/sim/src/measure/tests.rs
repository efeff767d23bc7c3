//! Figures of runs small enough to be worked out by hand.

use weir_core::units::Micros;

use super::*;
use crate::record::{
    Attempt, Book, CellSample, Fate, Happening, Names, Outcome, Quota, Record, Request, Sample,
    Slots, What,
};

const fn ms(millis: u64) -> Micros {
    Micros::from_millis(millis)
}

/// Ten seconds of one upstream that takes `hidden` at once, under a limit of ten.
fn world(hidden: u32) -> Record {
    let names = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect();
    let cell = CellSample { limit: 10, effective: 10, hidden, ..CellSample::default() };
    Record {
        names: Names {
            upstreams: names(&["main"]),
            tenants: names(&["a", "b"]),
            weights: vec![1, 3],
            demands: names(&["high", "low"]),
            instances: 1,
            ..Names::default()
        },
        duration: ms(10_000),
        finished: ms(10_000),
        samples: vec![Sample { at: Micros::ZERO, cells: vec![cell], waiting: vec![0, 0] }],
        ..Record::default()
    }
}

/// A request of a tenant and demand `who`, and its only attempt.
fn add(record: &mut Record, who: u16, (sent, ended): (u64, u64), fate: Fate) -> usize {
    let request = u32::try_from(record.requests.len()).unwrap();
    let hidden = record.samples[0].cells[0].hidden;
    record.requests.push(Request {
        demand: who,
        tenant: who,
        instance: 0,
        class: 255,
        depth: 0,
        parent: None,
        arrived: ms(sent),
        first_sent: Some(ms(sent)),
        left: Some(ms(ended)),
        outcome: if fate == Fate::Success { Outcome::Done } else { Outcome::GaveUp },
        attempts: 1,
        waited: Micros::ZERO,
    });
    record.attempts.push(Attempt {
        request,
        instance: 0,
        upstream: 0,
        model: 0,
        number: 1,
        sent: ms(sent),
        accepted: None,
        ended: Some(ms(ended)),
        fate,
        parked: Micros::ZERO,
        input: 100,
        output: 50,
        reserved: 50,
        settled: Some(150),
        in_flight: 1,
        own_in_flight: 1,
        limit: 10,
        hidden,
        told_wait: None,
    });
    record.attempts.len() - 1
}

fn measured(record: &Record, measure: Measure, from: u64, until: u64) -> Option<f64> {
    measure.value(record, Window { from: ms(from), until: ms(until) })
}

#[test]
fn what_is_served_is_a_share_of_what_could_be() {
    let mut record = world(2);
    add(&mut record, 0, (0, 10_000), Fate::Success);
    let parent = add(&mut record, 0, (5_000, 10_000), Fate::Success);
    add(&mut record, 0, (5_000, 9_000), Fate::TooMany);
    let share = || Measure::InFlightShare { upstream: None };
    assert_eq!(measured(&record, share(), 0, 10_000), Some(0.75), "a refusal takes no room");
    record.attempts[parent].parked = ms(2_500);
    assert_eq!(measured(&record, share(), 0, 10_000), Some(0.625), "nor does a parked parent");
    assert_eq!(measured(&record, share(), 0, 5_000), Some(0.5));
}

#[test]
fn refusals_count_where_they_were_sent() {
    let mut record = world(2);
    for at in 0..9 {
        add(&mut record, 0, (at * 1_000, at * 1_000 + 500), Fate::Success);
    }
    add(&mut record, 0, (9_000, 9_050), Fate::TooMany);
    let share = |from| measured(&record, Measure::ThrottledShare { upstream: None }, from, 10_000);
    assert_eq!((share(0), share(5_000)), (Some(0.1), Some(0.2)));
    let a_minute = Measure::ThrottlesPerMinute { upstream: None };
    assert_eq!(measured(&record, a_minute, 0, 10_000), Some(6.0));
    let nothing = Measure::ThrottledShare { upstream: None };
    assert_eq!(measured(&record, nothing, 9_500, 10_000), None, "a share of nothing");
}

#[test]
fn filling_takes_until_so_many_are_in_flight_or_for_ever() {
    let mut record = world(2);
    add(&mut record, 0, (1_000, 9_000), Fate::Success);
    add(&mut record, 0, (4_000, 9_000), Fate::Success);
    let fill = |share| Measure::SecondsToFill { upstream: None, share };
    assert_eq!(measured(&record, fill(0.5), 500, 10_000), Some(0.5));
    assert_eq!(measured(&record, fill(0.9), 500, 10_000), Some(3.5));
    assert_eq!(measured(&record, fill(1.5), 500, 10_000), Some(f64::INFINITY));
}

#[test]
fn recovery_is_when_successes_keep_up_with_arrivals_again() {
    let mut record = world(100);
    let fates = |at: u64| if (4_000..6_000).contains(&at) { Fate::Error } else { Fate::Success };
    for at in (0..12_000).step_by(100) {
        add(&mut record, 0, (at, at + 10), fates(at));
    }
    let recover = Measure::SecondsToRecover { share: 0.9 };
    let value = measured(&record, recover, 6_000, 12_000).unwrap();
    assert!((value - 4.41).abs() < 1e-9, "45 answers in the last five seconds: {value}");
    let storm = Measure::AttemptsPerRequest { reserve_per_second: 2.5 };
    assert_eq!(measured(&record, storm, 4_000, 6_000), Some(0.75));
}

#[test]
fn a_limit_is_followed_through_samples_and_what_was_told() {
    let mut record = world(20);
    let limit = |at, limit, effective| Happening {
        at: ms(at),
        instance: 0,
        what: What::Limit { upstream: 0, limit, effective, reason: "latency".to_owned() },
    };
    record.happened = vec![limit(2_000, 14, 14), limit(6_000, 4, 4)];
    let mean = || Measure::MeanLimit { upstream: None };
    assert_eq!(measured(&record, mean(), 0, 10_000), Some(9.2));
    let growth = || Measure::LimitGrowth { upstream: None };
    assert_eq!(measured(&record, growth(), 1_000, 10_000), Some(4.0));
    assert_eq!(measured(&record, growth(), 7_000, 10_000), Some(0.0));
    let floor = Measure::SecondsToLimit { upstream: None, limit: 4 };
    assert_eq!(measured(&record, floor, 5_000, 10_000), Some(1.0));
    let at = add(&mut record, 0, (7_000, 9_000), Fate::Success);
    record.attempts[at].own_in_flight = 5;
    record.attempts[at].limit = 4;
    let over = Measure::SentOverLimit { upstream: None };
    assert_eq!(measured(&record, over, 0, 10_000), Some(1.0));
    let ideal = Measure::TimeOverIdeal { upstream: None };
    let value = measured(&record, ideal, 0, 10_000).unwrap();
    assert!((value - (20.0 + 56.0 + 12.0) / 2.0).abs() < 1e-9, "{value}");
}

#[test]
fn a_told_wait_is_kept_and_its_end_is_no_stampede() {
    let mut record = world(20);
    let told = add(&mut record, 0, (1_000, 1_100), Fate::Throttled);
    record.attempts[told].told_wait = Some(ms(4_000));
    let shorter = add(&mut record, 0, (1_050, 1_200), Fate::Throttled);
    record.attempts[shorter].told_wait = Some(ms(1_000));
    add(&mut record, 0, (3_000, 3_100), Fate::Success);
    for at in [5_100, 5_300, 5_900, 7_000] {
        add(&mut record, 0, (at, at + 100), Fate::Success);
    }
    let closed = Measure::SentWhileClosed { upstream: None };
    assert_eq!(
        measured(&record, closed, 0, 10_000),
        Some(1.0),
        "after the shorter wait, too early"
    );
    let first = Measure::FirstSecond { upstream: None };
    assert_eq!(measured(&record, first, 0, 10_000), Some(3.0), "one was allowed");
}

#[test]
fn probes_are_counted_between_closures() {
    let mut record = world(20);
    let closed = |from, until| Happening {
        at: ms(from),
        instance: 0,
        what: What::Cooldown {
            upstream: 0,
            model: String::new(),
            dimension: "slots".to_owned(),
            until: ms(until),
            kind: "timeout".to_owned(),
        },
    };
    record.happened = vec![closed(1_000, 2_000), closed(2_500, 5_000), closed(5_100, 9_000)];
    for at in [2_100, 5_050, 5_060, 9_500] {
        add(&mut record, 0, (at, at + 10), Fate::TimedOut);
    }
    let probes = Measure::ProbesPerStep { upstream: None };
    assert_eq!(measured(&record, probes, 0, 10_000), Some(2.0));
}

#[test]
fn shares_are_held_against_weights() {
    let mut record = world(20);
    add(&mut record, 0, (0, 1_000), Fate::Success);
    for _ in 0..3 {
        add(&mut record, 1, (0, 3_000), Fate::Success);
    }
    assert_eq!(measured(&record, Measure::ShareError {}, 0, 10_000), Some(0.0));
    assert_eq!(measured(&record, Measure::TenantJain {}, 0, 10_000), Some(1.0));
    let low = Measure::ServedShare { demand: "low".to_owned() };
    assert_eq!(measured(&record, low, 0, 10_000), Some(0.9));
    add(&mut record, 0, (0, 1_000), Fate::Success);
    let error = measured(&record, Measure::ShareError {}, 0, 10_000).unwrap();
    assert!((error - 0.6).abs() < 1e-9, "two fifths instead of a quarter: {error}");
}

#[test]
fn a_burst_is_what_goes_beyond_the_share() {
    let mut record = world(20);
    add(&mut record, 0, (0, 1_000), Fate::Success);
    add(&mut record, 0, (2_000, 3_000), Fate::Success);
    // Two in a row of 200 units of work each, of which a quarter is its share.
    let burst = || Measure::BurstOverBound { tenant: "a".to_owned(), quantum: 100.0 };
    let bound = 100.0 + 200.0;
    assert_eq!(measured(&record, burst(), 0, 10_000), Some(300.0 / bound), "charged as it was");
    for (attempt, reserved) in record.attempts.iter_mut().zip([20, 90]) {
        attempt.reserved = reserved;
    }
    // Off by 60 and by 80 units, one after the other: either way the charge was wrong.
    let bound = bound + 80.0;
    assert_eq!(measured(&record, burst(), 0, 10_000), Some(300.0 / bound));
    let share = |tenant: &str| Measure::WorkShare { tenant: tenant.to_owned() };
    add(&mut record, 1, (4_000, 5_000), Fate::Success);
    assert_eq!(measured(&record, share("a"), 1_000, 10_000), Some(0.5));
    assert_eq!(measured(&record, share("a"), 6_000, 10_000), None);
}

#[test]
fn waits_and_completions_are_of_who_arrived_in_the_window() {
    let mut record = world(20);
    for seconds in 1..=4 {
        add(&mut record, 0, (0, seconds * 1_000), Fate::Success);
    }
    add(&mut record, 1, (0, 9_000), Fate::Error);
    record.requests[3].first_sent = Some(ms(2_000));
    record.requests[4].first_sent = None;
    let wait = |percentile| Measure::Wait { percentile, demand: None };
    assert_eq!(measured(&record, wait(80.0), 0, 10_000), Some(2.0));
    assert_eq!(measured(&record, wait(100.0), 0, 10_000), Some(9.0), "it left unsent");
    let took = Measure::Completion { percentile: 50.0, demand: Some("high".to_owned()) };
    assert_eq!(measured(&record, took, 0, 10_000), Some(2.0));
    let all = Measure::Makespan { demand: None };
    assert_eq!(measured(&record, all, 0, 10_000), Some(4.0));
    assert_eq!(measured(&record, Measure::DoneShare { demand: None }, 0, 10_000), Some(0.8));
    assert_eq!(measured(&record, Measure::DoneShare { demand: None }, 1, 10_000), None);
}

#[test]
fn who_came_and_who_went_away_is_counted() {
    let mut record = world(20);
    for at in 0..8 {
        add(&mut record, u16::from(at > 3), (at * 1_000, at * 1_000 + 500), Fate::Success);
    }
    record.requests[7].outcome = Outcome::Cancelled;
    let low = || Some("low".to_owned());
    assert_eq!(measured(&record, Measure::Requests { demand: None }, 0, 10_000), Some(8.0));
    assert_eq!(measured(&record, Measure::Requests { demand: low() }, 5_000, 10_000), Some(3.0));
    let gone = |demand| Measure::CancelledShare { demand };
    assert_eq!(measured(&record, gone(None), 0, 10_000), Some(0.125));
    assert_eq!(measured(&record, gone(low()), 0, 10_000), Some(0.25));
    assert_eq!(measured(&record, gone(low()), 0, 1), None);
}

#[test]
fn what_a_full_record_no_longer_tells_has_no_value() {
    let mut record = world(20);
    add(&mut record, 0, (0, 1_000), Fate::Success);
    let mean = || Measure::MeanLimit { upstream: None };
    let probes = || Measure::ProbesPerStep { upstream: None };
    let share = || Measure::ThrottledShare { upstream: None };
    record.cut = Some(ms(5_000));
    assert_eq!(measured(&record, mean(), 0, 5_000), Some(10.0), "whole until then");
    assert_eq!(measured(&record, mean(), 0, 5_001), None);
    assert_eq!(measured(&record, probes(), 0, 10_000), None);
    assert_eq!(measured(&record, share(), 0, 10_000), Some(0.0), "rows are never cut");
    let summary = Summary::new(&record);
    assert_eq!((summary.cut, summary.upstreams[0].mean_limit), (Some(5.0), None));
    record.cut = None;
    assert_eq!(Summary::new(&record).upstreams[0].mean_limit, Some(10.0));
}

/// Two answered requests and the books of a core that has settled both.
fn settled() -> Record {
    let mut record = world(20);
    add(&mut record, 0, (0, 1_000), Fate::Success);
    add(&mut record, 1, (0, 2_000), Fate::Broken);
    (record.sums.arrived, record.sums.sent) = (2, 2);
    let quota = Quota { tokens: 1_000, unspent: 850 };
    record.books = vec![Book {
        admitted: 2,
        slots: vec![Slots::default()],
        quotas: vec![Some(quota), None],
        ..Book::default()
    }];
    record
}

#[test]
fn a_settlement_that_a_core_loses_is_found_in_its_own_books() {
    let found = |record: &Record| measured(record, Measure::Unsettled {}, 0, 10_000);
    assert_eq!(found(&settled()), Some(0.0));
    let off = |spoil: &dyn Fn(&mut Record)| {
        let mut record = settled();
        spoil(&mut record);
        found(&record)
    };
    assert_eq!(off(&|it| it.books[0].in_flight = 1), Some(1.0), "it still holds the attempt");
    assert_eq!(off(&|it| it.books[0].slots[0].taken = 1), Some(1.0), "and its slot");
    assert_eq!(off(&|it| it.books[0].admitted = 3), Some(1.0));
    assert_eq!(off(&|it| it.books[0].waiting = 2), Some(2.0));
    let spared = Quota { tokens: 1_000, unspent: 1_000 };
    assert_eq!(off(&|it| it.books[0].quotas[0] = Some(spared)), Some(150.0), "never charged");
    assert_eq!(off(&|it| it.attempts[1].settled = None), Some(1.0), "it said nothing of it");
    let more = off(&|it| it.attempts[0].settled = Some(151));
    assert_eq!(more, Some(2.0), "not what the provider counted, nor what the quota lost");
    let dead = off(&|it| {
        it.books.clear();
        it.attempts[1].settled = None;
    });
    assert_eq!(dead, Some(0.0), "a host that died settles nothing");
}

#[test]
fn every_row_without_an_end_and_every_difference_is_unsettled() {
    let mut record = world(20);
    add(&mut record, 0, (0, 1_000), Fate::Success);
    (record.sums.arrived, record.sums.sent) = (1, 1);
    assert_eq!(measured(&record, Measure::Unsettled {}, 0, 10_000), Some(0.0));
    record.attempts[0].ended = None;
    record.sums.sent = 2;
    record.sums.unsound.push("slots".to_owned());
    assert_eq!(measured(&record, Measure::Unsettled {}, 0, 10_000), Some(3.0));
}
