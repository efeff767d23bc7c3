use weir_sdk::native;
use weir_sdk::testing::{candidate, request};

use super::*;

fn order(settings: &str, candidates: &[Candidate]) -> Vec<Choice> {
    let mut policy = native::route::<Weighted>(settings, 0).unwrap();
    policy.order(0, &request(1), candidates, 0)
}

fn ids(order: &[Choice]) -> Vec<u32> {
    order.iter().map(|choice| choice.candidate).collect()
}

fn close(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-9
}

#[test]
fn the_load_score_is_the_stated_sum() {
    let loaded = Candidate {
        base_weight: 2.0,
        queued: 4,
        latency: 10_000_000,
        success: 0.9,
        ..candidate(1)
    };
    // 2 × (1 + 4 × 0.35 + 10 × 0.02 + 0.1 × 5)
    assert!(close(Settings::default().load(&loaded), 6.2));
}

#[test]
fn the_path_score_is_the_stated_sum() {
    let candidates = [
        Candidate { network_latency: 100_000, cost_per_1k: 30, queued: 1, ..candidate(1) },
        Candidate { network_latency: 200_000, cost_per_1k: 10, retries: 0.1, ..candidate(2) },
    ];
    let order = order("", &candidates);
    assert_eq!(ids(&order), [2, 1]);
    // 0.4 × 1 ÷ 1.2 + 2 × 0.1, and (0.3 × 1 + 0.5 × 1) ÷ 1.2
    assert!(close(order[0].score, 0.4 / 1.2 + 0.2), "{order:?}");
    assert!(close(order[1].score, 0.8 / 1.2), "{order:?}");
}

#[test]
fn each_hard_limit_keeps_a_candidate_out() {
    let cases = [
        (Candidate { network_latency: 800_001, ..candidate(2) }, Verdict::Slow),
        (Candidate { in_flight: 9, ..candidate(2) }, Verdict::Full),
        (Candidate { success: 0.94, ..candidate(2) }, Verdict::Failing),
        (Candidate { base_weight: 4.0, ..candidate(2) }, Verdict::Loaded),
    ];
    for (other, verdict) in cases {
        assert_eq!(ids(&order("", &[candidate(1), other])), [1], "{verdict:?}");
        let waits = Candidate { fits: false, ..candidate(1) };
        let order = order("", &[waits, other]);
        assert_eq!(ids(&order), [1, 2], "{verdict:?}");
        assert_eq!(order[1].reason, verdict as u16);
    }
}

#[test]
fn a_candidate_at_a_limit_passes_it() {
    let at = Candidate {
        network_latency: 800_000,
        in_flight: 17,
        limit: 20,
        success: 0.95,
        ..candidate(2)
    };
    assert_eq!(order("", &[at])[0].reason, Verdict::Passes as u16);
}

#[test]
fn when_nobody_passes_the_least_loaded_is_first() {
    let full = |id, queued| Candidate { in_flight: 10, queued, ..candidate(id) };
    assert_eq!(ids(&order("", &[full(1, 5), full(2, 1), full(3, 3)])), [2, 3, 1]);
}

#[test]
fn equals_share_by_the_draw() {
    let mut policy = native::route::<Weighted>("", 0).unwrap();
    let candidates = [candidate(1), candidate(2)];
    let mut first = |draw| policy.order(0, &request(1), &candidates, draw)[0].candidate;
    assert_eq!([first(0), first(u64::MAX)], [1, 2]);
}

#[test]
fn no_candidates_give_no_order() {
    assert!(order("", &[]).is_empty());
}

#[test]
fn what_is_set_counts() {
    let cheap = Candidate { network_latency: 200_000, cost_per_1k: 10, ..candidate(1) };
    let near = Candidate { network_latency: 100_000, cost_per_1k: 30, ..candidate(2) };
    assert_eq!(ids(&order("", &[cheap, near])), [2, 1]);
    assert_eq!(ids(&order(r#"{"cost_weight": 0.9}"#, &[cheap, near])), [1, 2]);
}

#[test]
fn reasons_have_words_and_bad_settings_are_refused_with_them() {
    let policy = native::route::<Weighted>("", 0).unwrap();
    assert_eq!(policy.explain(1), "by network latency, cost and load");
    assert_eq!(policy.explain(99), "unknown");
    let error = native::route::<Weighted>(r#"{"utilization": 0.5}"#, 0).err().unwrap();
    assert!(error.contains("did you mean `utilisation`?"), "{error}");
}
