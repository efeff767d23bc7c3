use weir_sdk::codes::{kind, reason, scope};
use weir_sdk::testing::{LimitBench, ending, verdict};
use weir_sdk::types::Verdict;

use super::*;

fn bench(start: u32) -> LimitBench {
    LimitBench::open::<Aimd>("", start, 0)
}

fn blocked(start: u32) -> LimitBench {
    let mut bench = bench(start);
    bench.cell().slot_blocked = 1;
    bench
}

fn succeed(bench: &mut LimitBench, times: u32) -> Answer {
    for _ in 0..times {
        bench.succeed();
    }
    *bench.answer()
}

#[test]
fn a_refusal_cuts_to_three_quarters_rounded_down_and_never_below_the_floor() {
    let mut bench = bench(8);
    let limits: Vec<u32> = (0..6).map(|_| bench.throttle(kind::CONCURRENCY).limit).collect();
    assert_eq!(limits, [6, 4, 3, 2, 1, 1]);
}

#[test]
fn reasons_say_what_changed() {
    let mut bench = blocked(8);
    assert_eq!(bench.throttle(kind::CONCURRENCY).reason, reason::RATE_LIMITED);
    assert_eq!(succeed(&mut bench, 3).reason, reason::NONE);
    assert_eq!(succeed(&mut bench, 1).reason, reason::RECOVERED);
}

#[test]
fn four_successes_in_a_row_raise_it_while_somebody_waits_for_a_slot() {
    let mut bench = blocked(8);
    assert_eq!(succeed(&mut bench, 3).limit, 8);
    assert_eq!(succeed(&mut bench, 1).limit, 9);
    assert_eq!(succeed(&mut bench, 4).limit, 10);
    bench.cell().slot_blocked = 0;
    assert_eq!(succeed(&mut bench, 40).limit, 10);
}

#[test]
fn it_never_climbs_above_the_ceiling() {
    let mut bench = blocked(63);
    assert_eq!(succeed(&mut bench, 100).limit, 64);
    let mut bench = LimitBench::open::<Aimd>("", 8, 10);
    bench.cell().slot_blocked = 1;
    assert_eq!(succeed(&mut bench, 100).limit, 10);
}

#[test]
fn a_cell_that_opens_above_the_standard_ceiling_keeps_its_own() {
    let mut bench = blocked(200);
    assert_eq!(bench.throttle(kind::CONCURRENCY).limit, 150);
    bench.swap::<Aimd>("", 0);
    assert_eq!(succeed(&mut bench, 1_000).limit, 200, "the swap opened it at 150");
    bench.swap::<Aimd>("", 180);
    assert_eq!(succeed(&mut bench, 1).limit, 180, "what is configured holds");
}

#[test]
fn a_refusal_from_an_older_epoch_clears_the_streak_and_lengthens_the_closure_alone() {
    let mut bench = blocked(8);
    let (first, second) = (bench.admit(), bench.admit());
    bench.end(&first, &ending(kind::CONCURRENCY));
    assert_eq!((bench.answer().limit, bench.answer().mark), (6, 1));
    succeed(&mut bench, 3);
    let late = Ending {
        verdict: Verdict { wait: Some(5_000_000), ..verdict(kind::CONCURRENCY) },
        ..ending(kind::CONCURRENCY)
    };
    bench.end(&second, &late);
    assert_eq!((bench.answer().limit, bench.answer().mark), (6, 1));
    assert_eq!(bench.answer().closed_until, bench.now().0 + 5_000_000);
    assert_eq!(succeed(&mut bench, 3).limit, 6);
    assert_eq!(succeed(&mut bench, 1).limit, 7);
}

#[test]
fn a_failed_probe_falls_back_to_the_proven_level() {
    let mut bench = blocked(20);
    assert_eq!(succeed(&mut bench, 4).limit, 21);
    assert_eq!(bench.throttle(kind::CONCURRENCY).limit, 20);
    assert_eq!(succeed(&mut bench, 4).limit, 21);
    assert_eq!(bench.throttle(kind::CONCURRENCY).limit, 20);
}

#[test]
fn a_refusal_at_the_proven_level_cuts_as_usual() {
    let mut bench = blocked(20);
    succeed(&mut bench, 4);
    bench.throttle(kind::CONCURRENCY);
    assert_eq!(bench.throttle(kind::CONCURRENCY).limit, 15);
}

#[test]
fn a_hint_closes_the_cell_and_a_shorter_one_does_not_open_it() {
    let mut bench = bench(8);
    let until = (bench.now() + Micros::from_secs(30)).0;
    let first = bench.throttle_for(kind::OVERLOADED, Micros::from_secs(30));
    assert_eq!(first.closed_until, until);
    let second = bench.throttle_for(kind::OVERLOADED, Micros::from_secs(1));
    assert_eq!(second.closed_until, until);
}

#[test]
fn after_a_short_closure_the_cell_opens_with_its_whole_limit() {
    let short = Micros::from_millis(200);
    let mut bench = bench(8);
    assert_eq!(bench.throttle_for(kind::CONCURRENCY, short).reopen_with, 6);
    assert_eq!(bench.throttle_for(kind::CONCURRENCY, Micros::from_secs(30)).reopen_with, 0);
    let still = bench.throttle_for(kind::CONCURRENCY, short);
    assert_eq!(still.reopen_with, 0, "the long closure holds");
    bench.advance(Micros::from_secs(31));
    let answer = bench.throttle_for(kind::CONCURRENCY, short);
    assert_eq!(answer.reopen_with, answer.limit);
}

#[test]
fn while_the_host_ramps_up_the_limit_stays() {
    let mut bench = blocked(8);
    bench.cell().effective = 2;
    let attempt = bench.admit();
    assert_eq!(bench.end(&attempt, &ending(kind::SUCCESS)).limit, 8);
    for _ in 0..20 {
        bench.cell().effective = 2;
        assert_eq!(bench.succeed().limit, 8);
    }
}

#[test]
fn only_a_refusal_for_too_many_at_once_teaches() {
    let teaching = [kind::CONCURRENCY, kind::BURST, kind::OVERLOADED, kind::REQUEST_WINDOW];
    for &(code, name) in kind::ALL.iter().filter(|(code, _)| !kind::is_success(*code)) {
        let expected = if teaching.contains(&code) { 6 } else { 8 };
        assert_eq!(bench(8).throttle(code).limit, expected, "{name}");
    }
}

#[test]
fn a_window_whose_scope_is_known_teaches_nothing() {
    let verdict = Verdict { scope: scope::MODEL, ..verdict(kind::REQUEST_WINDOW) };
    let mut bench = bench(8);
    assert_eq!(bench.pass(&Ending { verdict, ..ending(kind::REQUEST_WINDOW) }).limit, 8);
}

#[test]
fn five_minutes_idle_forget_and_return_to_the_ceiling() {
    let mut bench = bench(8);
    bench.throttle(kind::CONCURRENCY);
    bench.advance(Micros::from_secs(299));
    assert_eq!(bench.answer().limit, 6);
    bench.advance(Micros::from_secs(1));
    assert_eq!((bench.answer().limit, bench.answer().reason), (64, reason::IDLE_RESET));
    assert_eq!(bench.answer().wake, 0);
}

#[test]
fn a_cell_with_work_in_flight_is_not_idle() {
    let mut bench = bench(8);
    let running = bench.admit();
    bench.throttle(kind::CONCURRENCY);
    bench.advance(Micros::from_secs(301));
    assert_eq!(bench.answer().limit, 6);
    bench.end(&running, &ending(kind::SUCCESS));
    bench.advance(Micros::from_secs(299));
    assert_eq!(bench.answer().limit, 6);
}

#[test]
fn a_closed_cell_is_not_idle() {
    let mut bench = bench(8);
    bench.throttle_for(kind::CONCURRENCY, Micros::from_secs(3_600));
    bench.advance(Micros::from_secs(3_600));
    assert_eq!(bench.answer().limit, 6);
}

#[test]
fn a_cell_that_the_host_closed_is_not_idle() {
    let mut bench = bench(8);
    bench.throttle(kind::CONCURRENCY);
    bench.cell().closed_until = (bench.now() + Micros::from_secs(600)).0;
    bench.advance(Micros::from_secs(899));
    assert_eq!(bench.answer().limit, 6);
    bench.advance(Micros::from_secs(1));
    assert_eq!(bench.answer().limit, 64);
}

#[test]
fn a_swap_keeps_what_was_learned_within_new_bounds() {
    let mut bench = blocked(20);
    succeed(&mut bench, 4);
    bench.swap::<Aimd>("", 0);
    assert_eq!(bench.throttle(kind::CONCURRENCY).limit, 20);
    bench.swap::<Aimd>(r#"{"ceiling": 12}"#, 0);
    assert_eq!(bench.succeed().limit, 12);
}

#[test]
fn bad_settings_are_refused_with_words() {
    let start = |settings| weir_sdk::native::limit::<Aimd>(settings, 0).err();
    assert_eq!(
        start(r#"{"ceilling": 5}"#).unwrap(),
        "unknown setting `ceilling`; did you mean `ceiling`? \
         The settings are: factor, streak, floor, ceiling, pause_ms, idle_s"
    );
    assert_eq!(
        start(r#"{"floor": 10, "ceiling": 5}"#).unwrap(),
        "setting `floor` is 10, above `ceiling`, which is 5"
    );
    assert_eq!(
        start(r#"{"streak": 0}"#).unwrap(),
        "setting `streak` is 0; it must be at least 1 and at most 10000"
    );
}
