use weir_sdk::codes::{deadline, kind, reason, scope};
use weir_sdk::testing::{LimitBench, ending, verdict};
use weir_sdk::types::Verdict;

use super::*;

fn bench(start: u32) -> LimitBench {
    LimitBench::open::<Ceiling>("", start, 0)
}

/// Starts attempts until so many are in flight; the last of them.
fn fill(bench: &mut LimitBench, in_flight: u32) -> Attempt {
    let missing = in_flight - bench.cell().in_flight;
    (0..missing).map(|_| bench.admit()).last().unwrap()
}

/// Ends an attempt that was sent beside so many others, which stay.
fn end_at(bench: &mut LimitBench, in_flight: u32, end: &Ending) -> Answer {
    let attempt = fill(bench, in_flight);
    *bench.end(&attempt, end)
}

fn hinted(seconds: u64) -> Ending {
    let verdict = Verdict { wait: Some(seconds * 1_000_000), ..verdict(kind::CONCURRENCY) };
    Ending { verdict, ..ending(kind::CONCURRENCY) }
}

/// A cell whose ceiling is a level, that many in flight, and others waiting.
fn holding(level: u32) -> LimitBench {
    let mut bench = bench(level + 1);
    assert_eq!(end_at(&mut bench, level + 1, &ending(kind::CONCURRENCY)).limit, level);
    bench.cell().slot_blocked = 1;
    bench
}

/// A probe is out.
fn probing(level: u32) -> LimitBench {
    let mut bench = holding(level);
    bench.advance(Micros::from_secs(15));
    assert_eq!(bench.answer().limit, level + 1);
    bench
}

/// Three attempts, sent one after the other, time out.
fn die(bench: &mut LimitBench) -> Answer {
    for _ in 0..3 {
        bench.advance(Micros::SECOND);
        bench.pass(&ending(kind::TIMEOUT));
    }
    *bench.answer()
}

#[test]
fn a_success_that_was_sent_at_a_full_limit_raises_it_while_others_wait() {
    let mut bench = bench(8);
    assert_eq!(end_at(&mut bench, 8, &ending(kind::SUCCESS)).limit, 8);
    bench.cell().slot_blocked = 1;
    let raised = end_at(&mut bench, 8, &ending(kind::SUCCESS));
    assert_eq!((raised.limit, raised.reason), (9, reason::RECOVERED));
    bench.advance(Micros::SECOND);
    let few = Attempt { in_flight: 8, limit: 9, ..bench.admit() };
    assert_eq!(bench.end(&few, &ending(kind::SUCCESS)).limit, 9);
}

#[test]
fn a_climb_is_paced() {
    let mut bench = bench(100);
    bench.cell().slot_blocked = 1;
    fill(&mut bench, 99);
    for _ in 0..50 {
        let attempt = Attempt { in_flight: 100, ..bench.admit() };
        bench.end(&attempt, &ending(kind::SUCCESS));
    }
    assert_eq!(bench.answer().limit, 112, "an eighth of a second ahead");
    bench.advance(Micros::SECOND);
    let attempt = Attempt { in_flight: 112, ..bench.admit() };
    assert_eq!(bench.end(&attempt, &ending(kind::SUCCESS)).limit, 113);
}

#[test]
fn a_climb_ends_at_the_most() {
    let mut bench = LimitBench::open::<Ceiling>("", 8, 9);
    bench.cell().slot_blocked = 1;
    for _ in 0..4 {
        let limit = bench.answer().limit;
        end_at(&mut bench, limit, &ending(kind::SUCCESS));
        bench.advance(Micros::from_secs(60));
    }
    assert_eq!(bench.answer().limit, 9);
}

#[test]
fn a_refusal_sets_the_ceiling_below_what_was_in_flight() {
    let mut bench = bench(20);
    let early = fill(&mut bench, 10);
    let refused = bench.admit();
    let answer = *bench.end(&refused, &ending(kind::CONCURRENCY));
    assert_eq!((answer.limit, answer.reason, answer.mark), (10, reason::RATE_LIMITED, 1));
    let late = *bench.end(&early, &ending(kind::CONCURRENCY));
    assert_eq!((late.limit, late.mark), (10, 1), "of the same epoch");
}

#[test]
fn it_looks_above_the_ceiling_after_the_hold_and_only_when_slots_are_wanted() {
    let mut bench = holding(9);
    bench.advance(Micros::from_secs(12));
    assert_eq!(bench.answer().limit, 9, "a hold of 15 s is shortened by a fifth at most");
    bench.cell().slot_blocked = 0;
    let spare = fill(&mut bench, 10);
    bench.end(&spare, &ending(kind::NEUTRAL));
    bench.cell().in_flight = 8;
    bench.advance(Micros::from_secs(60));
    assert_eq!(bench.answer().limit, 9);
    bench.cell().slot_blocked = 1;
    assert_eq!(end_at(&mut bench, 9, &ending(kind::SUCCESS)).limit, 10);
}

#[test]
fn a_probe_that_nobody_uses_is_taken_back() {
    let mut bench = probing(9);
    bench.cell().slot_blocked = 0;
    bench.cell().in_flight = 2;
    bench.advance(Micros::from_secs(30));
    assert_eq!(bench.answer().limit, 9);
}

#[test]
fn each_proven_step_doubles_up_to_a_quarter() {
    let mut bench = probing(9);
    let mut limits = Vec::new();
    for _ in 0..4 {
        let limit = bench.answer().limit;
        limits.push(end_at(&mut bench, limit, &ending(kind::SUCCESS)).limit);
    }
    assert_eq!(limits, [12, 15, 18, 22], "steps of 2, 3, 3 and 4 above 10, 12, 15 and 18");
}

#[test]
fn a_success_of_before_the_probe_proves_nothing() {
    let mut bench = probing(9);
    let old = Attempt { in_flight: 9, limit: 9, ..bench.admit() };
    assert_eq!(bench.end(&old, &ending(kind::SUCCESS)).limit, 10);
}

#[test]
fn a_refused_probe_falls_back_to_what_holds_and_waits_longer() {
    let mut bench = probing(9);
    assert_eq!(end_at(&mut bench, 10, &ending(kind::CONCURRENCY)).limit, 9);
    bench.advance(Micros::from_secs(23));
    assert_eq!(bench.answer().limit, 9);
    bench.advance(Micros::from_secs(7));
    assert_eq!(bench.answer().limit, 10);
}

#[test]
fn refusals_at_the_ceiling_fall_and_in_a_row_brake() {
    let mut bench = holding(100);
    bench.advance(Micros::SECOND);
    bench.cell().in_flight = 0;
    assert_eq!(bench.succeed().limit, 100, "a success ends the row");
    let limits: Vec<u32> = (0..3).map(|_| bench.throttle(kind::CONCURRENCY).limit).collect();
    assert_eq!(limits, [90, 72, 57]);
    assert_eq!(bench.answer().closed_until, 0);
    let braked = *bench.throttle(kind::CONCURRENCY);
    assert_eq!((braked.limit, braked.reopen_with), (45, 45));
    let closed = Micros(braked.closed_until) - bench.now();
    assert!(closed > Micros::from_millis(800) && closed <= Micros::SECOND, "{closed}");
    bench.advance(Micros::SECOND);
    let climbed = end_at(&mut bench, 45, &ending(kind::SUCCESS));
    assert_eq!(climbed.limit, 46, "what was lost is climbed for");
}

#[test]
fn only_a_refusal_for_too_many_at_once_teaches() {
    let teaching = [kind::CONCURRENCY, kind::BURST, kind::OVERLOADED, kind::REQUEST_WINDOW];
    for &(code, name) in kind::ALL.iter().filter(|(code, _)| !kind::is_success(*code)) {
        let expected = if teaching.contains(&code) { 4 } else { 8 };
        assert_eq!(end_at(&mut bench(8), 5, &ending(code)).limit, expected, "{name}");
    }
    let verdict = Verdict { scope: scope::MODEL, ..verdict(kind::REQUEST_WINDOW) };
    let known = Ending { verdict, ..ending(kind::REQUEST_WINDOW) };
    assert_eq!(end_at(&mut bench(8), 5, &known).limit, 8);
}

#[test]
fn three_time_outs_close_and_the_first_success_of_a_probe_climbs_back() {
    let mut bench = holding(40);
    let down = die(&mut bench);
    assert_eq!((down.limit, down.reopen_with, down.reason), (1, 1, reason::BACKOFF));
    for seconds in [1, 2, 4, 8, 15, 15] {
        let (closed, span) =
            (Micros(bench.answer().closed_until) - bench.now(), Micros::from_secs(seconds));
        assert!(closed > span.scale(0.8) && closed <= span, "{closed} of {span}");
        bench.advance(closed);
        bench.pass(&ending(kind::TIMEOUT));
    }
    bench.advance(Micros::from_secs(15));
    assert_eq!(bench.succeed().limit, 2);
    bench.cell().slot_blocked = 1;
    bench.cell().in_flight = 1;
    assert_eq!(end_at(&mut bench, 2, &ending(kind::SUCCESS)).limit, 3);
}

#[test]
fn failures_weigh_half_of_a_time_out() {
    for code in [kind::SERVER_ERROR, kind::NETWORK] {
        let mut bench = bench(8);
        for limit in [8, 8, 8, 8, 8, 1] {
            bench.advance(Micros::SECOND);
            assert_eq!(bench.pass(&ending(code)).limit, limit);
        }
    }
}

#[test]
fn a_time_out_counts_only_when_nothing_sent_later_was_taken_up() {
    let mut bench = bench(8);
    for _ in 0..20 {
        let slow = bench.admit();
        bench.advance(Micros::SECOND);
        bench.succeed();
        assert_eq!(bench.end(&slow, &ending(kind::TIMEOUT)).limit, 8);
    }
    let callers = Ending { deadline: deadline::CLIENT, ..ending(kind::TIMEOUT) };
    for _ in 0..20 {
        bench.advance(Micros::SECOND);
        assert_eq!(bench.pass(&callers).limit, 8);
    }
}

#[test]
fn a_size_class_that_times_out_alone_is_capped_alone() {
    let mut bench = bench(16);
    for _ in 0..3 {
        bench.advance(Micros::SECOND);
        let long = Attempt { size_class: 3, ..bench.admit() };
        bench.advance(Micros::SECOND);
        bench.succeed();
        bench.end(&long, &ending(kind::TIMEOUT));
    }
    assert_eq!((bench.answer().limit, bench.answer().caps), (16, (0, 0, 0, 1)));
    let mut caps = Vec::new();
    for _ in 0..4 {
        let long = Attempt { size_class: 3, ..bench.admit() };
        caps.push(bench.end(&long, &ending(kind::SUCCESS)).caps.3);
    }
    assert_eq!(caps, [2, 4, 8, 0]);
}

#[test]
fn after_a_short_hint_the_whole_limit_opens() {
    let mut bench = holding(9);
    let answer = end_at(&mut bench, 10, &hinted(1));
    assert_eq!(
        (answer.reopen_with, answer.closed_until),
        (answer.limit, bench.now().0 + 1_000_000)
    );
}

#[test]
fn the_first_long_hint_at_a_level_that_holds_cuts_nothing() {
    let mut bench = holding(20);
    bench.cell().in_flight = 10;
    bench.succeed();
    let first = end_at(&mut bench, 15, &hinted(30));
    assert_eq!((first.limit, first.reopen_with), (20, 0));
    assert_eq!(first.closed_until, bench.now().0 + 30_000_000);
    let shorter = end_at(&mut bench, 15, &hinted(5));
    assert_eq!(shorter.closed_until, first.closed_until);
    assert_eq!(shorter.limit, 18, "the level has not held since");
}

#[test]
fn a_level_that_held_again_is_spared_again() {
    let mut bench = holding(20);
    bench.cell().in_flight = 10;
    assert_eq!(end_at(&mut bench, 15, &hinted(2)).limit, 20);
    bench.advance(Micros::from_secs(3));
    end_at(&mut bench, 20, &ending(kind::SUCCESS));
    assert_eq!(end_at(&mut bench, 20, &hinted(2)).limit, 20);
}

#[test]
fn a_swap_keeps_what_was_learned_within_new_bounds() {
    let mut bench = holding(30);
    bench.swap::<Ceiling>("", 0);
    assert_eq!(bench.answer().limit, 30);
    bench.advance(Micros::from_secs(15));
    bench.swap::<Ceiling>(r#"{"most": 12}"#, 0);
    assert_eq!(bench.succeed().limit, 12);
    bench.advance(Micros::from_secs(60));
    assert_eq!(bench.answer().limit, 12);
}

#[test]
fn bad_settings_are_refused_with_words() {
    let start = |settings| native(settings).unwrap_err();
    assert_eq!(
        start(r#"{"floor": 10, "most": 5}"#),
        "setting `floor` is 10, above `most`, which is 5"
    );
    assert_eq!(
        start(r#"{"hold_ms": 2000}"#),
        "setting `hold_ms` is 2000; it must be at least `shortest_hold_ms`, which is 5000, and at most \
         `longest_hold_ms`, which is 30000"
    );
    assert_eq!(
        start(r#"{"fall": 1}"#),
        "setting `fall` is 1; it must be at least 0.1 and at most 0.99"
    );
}

fn native(settings: &str) -> Result<(), String> {
    weir_sdk::native::limit::<Ceiling>(settings, 0).map(|_| ())
}
