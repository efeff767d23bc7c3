use weir_sdk::codes::{deadline, kind, reason, scope};
use weir_sdk::testing::{LimitBench, ending, verdict};
use weir_sdk::types::Verdict;

use super::*;

fn bench(start: u32) -> LimitBench {
    LimitBench::open::<Vegas>("", start, 0)
}

/// A success that took so many milliseconds and was sent while the limit was full.
fn took(bench: &mut LimitBench, millis: u64) -> Answer {
    let limit = bench.answer().limit;
    let attempt = Attempt { in_flight: limit, ..bench.admit() };
    let ending = Ending { latency: millis * 1_000, ..ending(kind::SUCCESS) };
    *bench.end(&attempt, &ending)
}

#[test]
fn the_queue_decides() {
    // At a limit of 10 the step is 1: with a best of 900 ms the queue is 10 × (1 − 900 / latency), rounded up.
    for (millis, limit, why) in [
        (1_000, 16, "a queue of 1"),
        (1_120, 11, "a queue of 2"),
        (1_300, 10, "a queue of 4"),
        (2_200, 10, "a queue of 6"),
        (2_900, 9, "a queue of 7"),
    ] {
        let mut bench = bench(10);
        bench.pass(&Ending { latency: 900_000, ..ending(kind::SUCCESS) });
        assert_eq!(took(&mut bench, millis).limit, limit, "{why}");
    }
}

#[test]
fn steps_grow_with_the_logarithm() {
    let mut bench = bench(100);
    assert_eq!(took(&mut bench, 1_000).limit, 112);
    assert_eq!(took(&mut bench, 9_000).limit, 110);
    assert_eq!(bench.throttle(kind::CONCURRENCY).limit, 108);
}

#[test]
fn a_limit_that_is_not_used_stays() {
    let mut bench = bench(10);
    for _ in 0..20 {
        assert_eq!(bench.succeed().limit, 10);
    }
}

#[test]
fn it_stays_within_its_bounds() {
    let mut bench = LimitBench::open::<Vegas>(r#"{"floor": 8}"#, 10, 12);
    assert_eq!(took(&mut bench, 1_000).limit, 12);
    let limits = (0..20).map(|_| took(&mut bench, 60_000).limit).last();
    assert_eq!(limits, Some(8));
}

#[test]
fn a_best_of_the_past_is_forgotten() {
    let mut bench = bench(10);
    took(&mut bench, 1);
    let limits: Vec<u32> = (0..300).map(|_| took(&mut bench, 1_000).limit).collect();
    assert!(limits[..8].windows(2).all(|pair| pair[1] < pair[0]), "{limits:?}");
    assert_eq!(limits.iter().min(), Some(&6), "low while the best is believed");
    assert!(limits[299] > 10, "it recovers by itself: {limits:?}");
}

#[test]
fn a_drop_acts_once_an_epoch() {
    let mut bench = bench(10);
    let (first, second) = (bench.admit(), bench.admit());
    let answer = *bench.end(&first, &ending(kind::CONCURRENCY));
    assert_eq!((answer.limit, answer.mark, answer.reason), (9, 1, reason::RATE_LIMITED));
    assert_eq!(bench.end(&second, &ending(kind::CONCURRENCY)).limit, 9);
}

#[test]
fn what_failed_is_no_sample() {
    let mut bench = bench(10);
    for code in [kind::CONCURRENCY, kind::SERVER_ERROR, kind::TIMEOUT] {
        bench.pass(&Ending { latency: 1, ..ending(code) });
    }
    assert_eq!(bench.answer().limit, 8);
    assert_eq!(took(&mut bench, 1_000).limit, 14, "the first sample is the best");
}

#[test]
fn size_classes_have_a_best_of_their_own() {
    let mut bench = bench(10);
    took(&mut bench, 10);
    let limit = bench.answer().limit;
    let long = Attempt { in_flight: limit, size_class: 3, ..bench.admit() };
    let minute = Ending { latency: 60_000_000, ..ending(kind::SUCCESS) };
    assert_eq!(bench.end(&long, &minute).limit, limit + 6);
}

#[test]
fn what_is_no_overload_teaches_nothing() {
    let teaching =
        [kind::CONCURRENCY, kind::BURST, kind::OVERLOADED, kind::REQUEST_WINDOW, kind::TIMEOUT];
    for &(code, name) in kind::ALL.iter().filter(|(code, _)| !kind::is_success(*code)) {
        let expected = if teaching.contains(&code) { 9 } else { 10 };
        assert_eq!(bench(10).throttle(code).limit, expected, "{name}");
    }
    let known = Verdict { scope: scope::MODEL, ..verdict(kind::REQUEST_WINDOW) };
    let window = Ending { verdict: known, ..ending(kind::REQUEST_WINDOW) };
    assert_eq!(bench(10).pass(&window).limit, 10);
    let callers = Ending { deadline: deadline::CLIENT, ..ending(kind::TIMEOUT) };
    assert_eq!(bench(10).pass(&callers).limit, 10);
}

#[test]
fn a_hint_closes_and_only_lengthens() {
    let mut bench = bench(10);
    let until = bench.throttle_for(kind::CONCURRENCY, Micros::from_secs(30)).closed_until;
    assert_eq!(until, bench.now().0 + 30_000_000);
    assert_eq!(bench.throttle_for(kind::BURST, Micros::from_secs(1)).closed_until, until);
}

#[test]
fn a_swap_keeps_what_was_learned_within_new_bounds() {
    let mut bench = bench(10);
    took(&mut bench, 1_000);
    bench.swap::<Vegas>("", 0);
    assert_eq!(took(&mut bench, 60_000).limit, 15, "the best was kept");
    bench.swap::<Vegas>(r#"{"most": 12}"#, 0);
    assert_eq!(bench.throttle(kind::NEUTRAL).limit, 12);
}

#[test]
fn bad_settings_are_refused_with_words() {
    let start = |settings| weir_sdk::native::limit::<Vegas>(settings, 0).err();
    assert_eq!(start(r#"{"low": 9}"#).unwrap(), "setting `low` is 9, above `high`, which is 6");
    assert_eq!(
        start(r#"{"floor": 10, "most": 5}"#).unwrap(),
        "setting `floor` is 10, above `most`, which is 5"
    );
}
