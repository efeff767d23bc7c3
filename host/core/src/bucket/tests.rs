use proptest::prelude::*;

use super::*;

fn window(limit: u64, remaining: u64, reset: Option<Micros>) -> Window {
    Window { limit: Some(limit), remaining: Some(remaining), reset }
}

#[test]
fn refills_exactly_however_time_is_split() {
    let mut split = Bucket::per_minute(Micros(0), Some(7));
    let mut whole = split.clone();
    split.take(Micros(0), 7);
    whole.take(Micros(0), 7);
    for now in 0..10_000_000 / 977 {
        split.take(Micros(now * 977), 0);
    }
    let end = Micros(10_000_000);
    assert_eq!(split.filled(end), whole.filled(end));
}

#[test]
fn says_when_an_amount_fits_to_the_microsecond() {
    let mut bucket = Bucket::per_minute(Micros(0), Some(500));
    assert_eq!(bucket.until(Micros(0), 500), Some(Micros(0)));
    bucket.take(Micros(0), 500);
    let at = bucket.until(Micros(0), 1).unwrap();
    assert_eq!(at, Micros(120_000), "60 s / 500");
    assert_eq!(bucket.level(at), 1);
    assert_eq!(bucket.level(Micros(at.0 - 1)), 0);
}

#[test]
fn more_than_its_capacity_goes_when_full_and_leaves_debt() {
    let mut bucket = Bucket::per_minute(Micros(0), Some(60));
    assert_eq!(bucket.until(Micros(0), 100), Some(Micros(0)));
    bucket.take(Micros(0), 100);
    assert_eq!(bucket.level(Micros(0)), -40);
    assert_eq!(bucket.until(Micros(0), 100), Some(Micros::from_secs(100)));
}

#[test]
fn a_capacity_of_zero_never_fits_and_no_capacity_always_does() {
    let none = Bucket::per_minute(Micros(0), Some(0));
    assert_eq!((none.until(Micros(9), 1), none.until(Micros(9), 0)), (None, Some(Micros(9))));
    let free = Bucket::per_minute(Micros(0), None);
    assert_eq!(
        (free.until(Micros(9), u64::MAX), free.room(Micros(9))),
        (Some(Micros(9)), u64::MAX)
    );
}

#[test]
fn believes_what_is_stated_less_what_is_not_seen() {
    let mut bucket = Bucket::per_minute(Micros(0), Some(1_000));
    bucket.correct(Micros(0), &window(500, 499, Some(Micros::from_millis(120))), 30);
    assert_eq!((bucket.capacity(), bucket.level(Micros(0))), (Some(500), 469));
    bucket.correct(Micros(0), &Window { limit: Some(0), remaining: Some(0), reset: None }, 0);
    assert_eq!(bucket.capacity(), Some(500), "a limit of zero is not believed");
    bucket.correct(Micros(0), &window(500, u64::MAX, None), 0);
    assert_eq!(bucket.level(Micros(0)), 500, "no more than it holds");
}

#[test]
fn learns_a_window_of_a_day_from_its_reset() {
    let mut bucket = Bucket::per_minute(Micros(0), None);
    // Groq: 14,400 a day; 30 used are back in three minutes.
    bucket.correct(Micros(0), &window(14_400, 14_370, Some(Micros::from_secs(180))), 0);
    assert_eq!(bucket.level(Micros::from_secs(60)), 14_380);
    assert_eq!(bucket.level(Micros::from_secs(180)), 14_400);
}

#[test]
fn another_limit_keeps_the_share_and_the_debt() {
    let mut bucket = Bucket::per_minute(Micros(0), Some(100));
    bucket.take(Micros(0), 50);
    bucket.configure(Micros(0), Some(10));
    assert_eq!(bucket.level(Micros(0)), 5);
    bucket.take(Micros(0), 25);
    bucket.configure(Micros(0), Some(1_000));
    assert_eq!(bucket.level(Micros(0)), -20);
}

#[test]
fn paces_by_the_second() {
    let mut bucket = Bucket::per_minute(Micros(0), None);
    bucket.pace(Micros(0), Some(0.5));
    bucket.take(Micros(0), 1);
    assert_eq!(bucket.until(Micros(0), 1), Some(Micros::from_secs(2)));
    bucket.pace(Micros(0), Some(2.5));
    assert_eq!(bucket.until(Micros(0), 1), Some(Micros(400_000)));
    bucket.pace(Micros(0), None);
    assert_eq!(bucket.room(Micros(0)), u64::MAX);
}

proptest! {
    /// What was taken less what was given back is missing, less refill, to the millionth.
    #[test]
    fn never_makes_or_loses_tokens(
        limit in 1_u64..100_000,
        steps in prop::collection::vec((0_u64..2_000_000, 0_u64..5_000, any::<bool>()), 1..50),
    ) {
        let mut bucket = Bucket::per_minute(Micros(0), Some(limit));
        let mut now = Micros(0);
        // The same in exact fractions: millionths times the period.
        let scale = MICRO * i128::from(MINUTE);
        let top = scale * i128::from(limit);
        let mut exact = top;
        for (span, amount, back) in steps {
            now = now.plus(Micros(span));
            exact = (exact + i128::from(span) * MICRO * i128::from(limit)).min(top);
            let units = i128::from(amount) * scale;
            if back {
                bucket.give(now, amount);
                exact = (exact + units).min(top);
            } else {
                bucket.take(now, amount);
                exact -= units;
            }
            let (level, carry) = bucket.filled(now);
            prop_assert!(level <= MICRO * i128::from(limit));
            // A clamp at the top drops a remainder below one millionth.
            let held = level * i128::from(MINUTE) + carry;
            prop_assert!((exact - held).abs() <= i128::from(MINUTE), "{exact} {held}");
        }
    }

    /// An amount fits at the time that is said, and not a microsecond before.
    #[test]
    fn until_is_the_first_moment(
        limit in 1_u64..1_000_000,
        taken in 0_u64..3_000_000,
        amount in 1_u64..2_000_000,
    ) {
        let mut bucket = Bucket::per_minute(Micros(0), Some(limit));
        bucket.take(Micros(0), taken);
        let at = bucket.until(Micros(0), amount).unwrap();
        prop_assert_eq!(bucket.until(at, amount), Some(at));
        if at > Micros(0) {
            let before = Micros(at.0 - 1);
            prop_assert!(bucket.until(before, amount) > Some(before));
        }
    }
}
