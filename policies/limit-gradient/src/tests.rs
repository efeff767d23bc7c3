use weir_sdk::codes::{deadline, kind, reason, scope};
use weir_sdk::testing::{LimitBench, ending, verdict};
use weir_sdk::types::Verdict;

use super::*;

fn bench(start: u32) -> LimitBench {
    LimitBench::open::<Gradient>("", start, 0)
}

fn took(seconds: u64) -> Ending {
    Ending { latency: seconds * 1_000_000, ..ending(kind::SUCCESS) }
}

/// A window of ten successes that were sent while the limit was full.
fn window(bench: &mut LimitBench, seconds: u64) -> Answer {
    bench.advance(Micros::SECOND);
    for _ in 0..10 {
        let limit = bench.answer().limit;
        let attempt = Attempt { in_flight: limit, ..bench.admit() };
        bench.end(&attempt, &took(seconds));
    }
    *bench.answer()
}

fn windows(bench: &mut LimitBench, seconds: u64, times: u32) -> u32 {
    for _ in 0..times {
        window(bench, seconds);
    }
    bench.answer().limit
}

#[test]
fn steady_latency_lets_it_grow_by_a_share_of_the_queue() {
    let mut bench = bench(20);
    assert_eq!(windows(&mut bench, 2, 5), 24, "0.8 a window");
    assert_eq!(window(&mut bench, 2).reason, reason::NONE, "24.8 is still 24");
    assert_eq!(window(&mut bench, 2).reason, reason::LATENCY);
}

#[test]
fn latency_within_the_tolerance_is_no_gradient() {
    let mut bench = bench(20);
    windows(&mut bench, 2, 5);
    assert_eq!(windows(&mut bench, 3, 5), 28);
}

#[test]
fn latency_above_the_tolerance_lowers_it_and_never_lets_it_grow() {
    let mut steep = bench(20);
    windows(&mut steep, 2, 5);
    assert_eq!(window(&mut steep, 6).limit, 22, "24 less a fifth of half, and 0.8");
    let mut flat = LimitBench::open::<Gradient>(r#"{"queue": 100}"#, 20, 0);
    window(&mut flat, 2);
    let before = flat.answer().limit;
    assert_eq!(window(&mut flat, 4).limit, before, "a gradient of 0.75 and a long queue");
}

#[test]
fn a_limit_that_is_not_used_stays() {
    let mut bench = bench(20);
    for _ in 0..100 {
        bench.advance(Micros::SECOND);
        bench.pass(&took(2));
    }
    assert_eq!(bench.answer().limit, 20);
}

#[test]
fn a_window_waits_for_its_samples() {
    let mut bench = bench(20);
    for seconds in 1..=10 {
        bench.advance(Micros::from_secs(5));
        let attempt = Attempt { in_flight: 20, ..bench.admit() };
        bench.end(&attempt, &took(2));
        assert_eq!(bench.answer().limit, 20, "after {seconds}");
    }
    assert_eq!(windows(&mut bench, 2, 1), 21);
}

#[test]
fn size_classes_have_baselines_of_their_own() {
    let mut bench = bench(20);
    for round in 0..50_u8 {
        bench.advance(Micros::from_millis(100));
        let class = (round % 2) * 3;
        let attempt = Attempt { in_flight: 20, size_class: class, ..bench.admit() };
        bench.end(&attempt, &took(if class == 3 { 60 } else { 1 }));
    }
    assert!(bench.answer().limit > 20, "{}", bench.answer().limit);
}

#[test]
fn a_drop_multiplies_once_an_epoch() {
    let mut bench = bench(20);
    let (first, second) = (bench.admit(), bench.admit());
    let answer = *bench.end(&first, &ending(kind::CONCURRENCY));
    assert_eq!((answer.limit, answer.mark, answer.reason), (18, 1, reason::RATE_LIMITED));
    assert_eq!(bench.end(&second, &ending(kind::CONCURRENCY)).limit, 18);
    assert_eq!(bench.throttle(kind::TIMEOUT).limit, 16);
    let limits = (0..20).map(|_| bench.throttle(kind::CONCURRENCY).limit).last();
    assert_eq!(limits, Some(1));
}

#[test]
fn time_outs_never_enter_the_baseline() {
    let mut bench = bench(100);
    windows(&mut bench, 2, 5);
    for _ in 0..50 {
        let slow = Ending { latency: 10_000_000, ..ending(kind::TIMEOUT) };
        bench.pass(&slow);
        window(&mut bench, 8);
    }
    assert_eq!(bench.answer().limit, 1);
}

#[test]
fn what_is_no_overload_teaches_nothing() {
    let teaching =
        [kind::CONCURRENCY, kind::BURST, kind::OVERLOADED, kind::REQUEST_WINDOW, kind::TIMEOUT];
    for &(code, name) in kind::ALL.iter().filter(|(code, _)| !kind::is_success(*code)) {
        let expected = if teaching.contains(&code) { 18 } else { 20 };
        assert_eq!(bench(20).throttle(code).limit, expected, "{name}");
    }
    let known = Verdict { scope: scope::MODEL, ..verdict(kind::REQUEST_WINDOW) };
    let window = Ending { verdict: known, ..ending(kind::REQUEST_WINDOW) };
    assert_eq!(bench(20).pass(&window).limit, 20);
    let callers = Ending { deadline: deadline::CLIENT, ..ending(kind::TIMEOUT) };
    assert_eq!(bench(20).pass(&callers).limit, 20);
}

#[test]
fn a_hint_closes_and_only_lengthens() {
    let mut bench = bench(20);
    let until = bench.throttle_for(kind::CONCURRENCY, Micros::from_secs(30)).closed_until;
    assert_eq!(until, bench.now().0 + 30_000_000);
    assert_eq!(bench.throttle_for(kind::BURST, Micros::from_secs(1)).closed_until, until);
}

#[test]
fn a_swap_keeps_what_was_learned_within_new_bounds() {
    let mut bench = bench(20);
    windows(&mut bench, 2, 5);
    bench.swap::<Gradient>("", 0);
    assert_eq!(window(&mut bench, 6).limit, 22, "the baseline was kept");
    bench.swap::<Gradient>(r#"{"most": 12}"#, 0);
    assert_eq!(bench.succeed().limit, 12);
}

#[test]
fn a_floor_above_the_most_is_refused() {
    let refused = weir_sdk::native::limit::<Gradient>(r#"{"floor": 300}"#, 0).err();
    assert_eq!(refused.unwrap(), "setting `floor` is 300, above `most`, which is 200");
}
