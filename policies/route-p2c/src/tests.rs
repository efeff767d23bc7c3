use weir_sdk::native;
use weir_sdk::testing::{candidate, request};

use super::*;

fn start(settings: &str) -> Box<dyn native::Route> {
    native::route::<TwoChoices>(settings, 0).unwrap()
}

fn order(candidates: &[Candidate], draw: u64) -> Vec<Choice> {
    start("").order(0, &request(1), candidates, draw)
}

fn ids(order: &[Choice]) -> Vec<u32> {
    order.iter().map(|choice| choice.candidate).collect()
}

/// Numbers that are spread well, from a counter (the finaliser of SplitMix64).
fn draws(count: u64) -> impl Iterator<Item = u64> {
    (1..=count).map(|at| {
        let mut bits = at.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    })
}

/// How often each of the ids 1 to 4 is first.
fn firsts(candidates: &[Candidate], count: u64) -> [u64; 4] {
    let mut firsts = [0; 4];
    for draw in draws(count) {
        firsts[order(candidates, draw)[0].candidate as usize - 1] += 1;
    }
    firsts
}

#[test]
fn the_load_is_the_stated_product() {
    let loaded = Candidate {
        base_weight: 2.0,
        in_flight: 4,
        peak_latency: 3_000,
        success: 0.9,
        ..candidate(1)
    };
    // 3000 × 5 × 2 × (1 + 10 × 0.1)
    let load = TwoChoices(Settings::default()).load(&loaded);
    assert!((load - 60_000.0).abs() < 1e-6, "{load}");
}

#[test]
fn of_two_the_less_loaded_is_first_whatever_the_draw() {
    let slow = Candidate { peak_latency: 2_000_000, ..candidate(1) };
    let busy = Candidate { in_flight: 2, ..candidate(2) };
    for draw in draws(50) {
        let order = order(&[slow, busy], draw);
        assert_eq!(ids(&order), [1, 2]);
        assert_eq!([order[0].reason, order[1].reason], [WON, LOST]);
    }
}

#[test]
fn the_most_loaded_of_many_is_never_first_and_the_best_is_so_half_the_time() {
    let loaded = |id| Candidate { in_flight: id, ..candidate(id) };
    let [best, second, third, last] = firsts(&[1, 2, 3, 4].map(loaded), 6_000);
    // Of the six pairs the best is in three, the second wins two, the third one.
    assert!((2_800..3_200).contains(&best), "{best}");
    assert!((1_800..2_200).contains(&second), "{second}");
    assert!((800..1_200).contains(&third), "{third}");
    assert_eq!(last, 0);
}

#[test]
fn equals_share() {
    for count in firsts(&[1, 2, 3, 4].map(candidate), 4_000) {
        assert!((850..1_150).contains(&count), "{count}");
    }
}

#[test]
fn each_is_named_once_and_two_different_ones_are_drawn() {
    let candidates = [1, 2, 3, 4].map(candidate);
    for draw in draws(200).chain([0, u64::MAX, 1 << 32, u64::MAX << 32]) {
        let order = order(&candidates, draw);
        let mut named = ids(&order);
        named.sort_unstable();
        assert_eq!(named, [1, 2, 3, 4], "draw {draw}");
        let reasons: Vec<_> = order.iter().map(|choice| choice.reason).collect();
        assert_eq!(reasons, [WON, LOST, NOT_DRAWN, NOT_DRAWN]);
    }
}

#[test]
fn full_ones_come_last_by_the_time_of_their_answer() {
    let full =
        |id, wait, peak_latency| Candidate { fits: false, wait, peak_latency, ..candidate(id) };
    let slow = Candidate { peak_latency: 90_000_000, ..candidate(3) };
    let order = order(&[full(1, 5_000, 9_000), full(2, 7_000, 3_000), slow], 7);
    assert_eq!(ids(&order), [3, 2, 1]);
    assert_eq!([order[0].reason, order[1].reason], [WON, FULL]);
}

#[test]
fn the_unknown_are_taken_at_their_setting_and_failing_fast_is_no_merit() {
    let unknown = Candidate { peak_latency: 0, ..candidate(1) };
    let known = Candidate { peak_latency: 500_000, ..candidate(2) };
    assert_eq!(ids(&order(&[unknown, known], 0)), [2, 1]);
    let mut hopeful = start(r#"{"unknown_ms": 100}"#);
    assert_eq!(ids(&hopeful.order(0, &request(1), &[unknown, known], 0)), [1, 2]);
    let fails = Candidate { peak_latency: 100_000, success: 0.2, ..candidate(3) };
    assert_eq!(ids(&order(&[fails, known], 0)), [2, 3]);
}

#[test]
fn no_candidates_give_no_order() {
    assert!(order(&[], 3).is_empty());
}

#[test]
fn reasons_have_words_and_bad_settings_are_refused_with_them() {
    let policy = start("");
    for reason in [WON, LOST, NOT_DRAWN, FULL] {
        assert_ne!(policy.explain(reason), "unknown");
    }
    assert_eq!(policy.explain(99), "unknown");
    let error = native::route::<TwoChoices>(r#"{"unknown_ms": 0}"#, 0).err().unwrap();
    assert_eq!(error, "setting `unknown_ms` is 0; it must be at least 1 and at most 3600000");
}
