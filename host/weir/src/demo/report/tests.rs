//! Runs that fit together, and what breaks their books.

use super::*;
use crate::demo::news::Counts;

fn ending(finished: bool, answered: u64, refused: u64, latency: u64) -> Ending {
    Ending {
        finished,
        counts: Counts {
            sent: answered + refused,
            answered,
            refused,
            input: answered * 400,
            output: answered * 60,
            ..Counts::default()
        },
        latencies: (1..=answered).map(|n| Duration::from_millis(latency * n)).collect(),
    }
}

fn policy(version: &str, digest: &str) -> Policy {
    Policy {
        slot: "limit".to_owned(),
        name: "limit-aimd".to_owned(),
        version: version.to_owned(),
        digest: format!("sha256:{}", digest.repeat(32)),
    }
}

/// Three agents, of which one gives up when nobody governs them.
pub(in crate::demo) fn evidence() -> Evidence {
    let change = |at_ms, limit, reason: &str| LimitChange {
        at_ms,
        upstream: "openai-mock".to_owned(),
        limit,
        effective: limit,
        reason: reason.to_owned(),
    };
    let upstream = |served, refused| UpstreamCounts { served, refused, in_flight: 0 };
    Evidence {
        ungoverned: Run {
            endings: vec![
                ending(true, 4, 3, 500),
                ending(true, 4, 1, 400),
                ending(false, 1, 6, 90),
            ],
            upstreams: vec![upstream(6, 8), upstream(3, 2)],
            took: Duration::from_millis(4200),
        },
        governed: Run {
            endings: vec![
                ending(true, 4, 0, 800),
                ending(true, 4, 0, 700),
                ending(true, 4, 0, 900),
            ],
            upstreams: vec![upstream(8, 2), upstream(4, 0)],
            took: Duration::from_millis(7100),
        },
        books: Books { waiting: 0, in_flight: 0, admitted: 14 },
        limit_changes: vec![change(310, 6, "rate_limited"), change(2950, 7, "recovered")],
        swaps: vec![Swap {
            from: policy("0.1.0", "ab"),
            to: policy("0.2.0", "cd"),
            restored: true,
        }],
        policies: vec![policy("0.2.0", "cd")],
    }
}

#[test]
fn the_object_is_as_documented() {
    insta::assert_json_snapshot!(evidence().report());
}

#[test]
fn a_good_run_succeeds_and_each_gap_in_the_books_counts() {
    assert_eq!(evidence().report().failures(), [""; 0]);
    let gaps: [fn(&mut Evidence); 6] = [
        |e| e.books.waiting = 1,
        |e| e.books.in_flight = 1,
        |e| e.books.admitted += 1,
        |e| e.governed.upstreams[0].refused += 1,
        |e| e.governed.endings[0].counts.answered -= 1,
        |e| e.governed.endings[0].counts.lost += 1,
    ];
    for (number, gap) in gaps.into_iter().enumerate() {
        let mut evidence = evidence();
        gap(&mut evidence);
        assert_eq!(evidence.lost(), 1, "gap {number}");
        assert_eq!(evidence.report().failures(), ["1 requests were lost"]);
    }
}

#[test]
fn an_unfinished_agent_or_a_missing_swap_is_a_failure() {
    let mut unfinished = evidence();
    unfinished.governed.endings[2].finished = false;
    assert_eq!(unfinished.report().failures(), ["1 of 3 agents did not finish"]);
    let mut unswapped = evidence();
    unswapped.swaps.clear();
    assert_eq!(unswapped.report().failures(), ["the limit policy was not replaced"]);
}

#[test]
fn what_agents_that_gave_up_were_answered_is_wasted_too() {
    assert_eq!(evidence().ungoverned.wasted(), 10 + 1);
    assert_eq!(evidence().governed.wasted(), 2);
}

#[test]
fn percentiles_are_of_the_nearest_rank() {
    let of = |count: u64| Latency::of((1..=count).rev().map(Duration::from_millis));
    assert_eq!(of(0), Latency::default());
    assert_eq!(of(1), Latency { p50: 1, p90: 1, p99: 1 });
    assert_eq!(of(120), Latency { p50: 60, p90: 108, p99: 119 });
}
