//! A rate limit of so many units a minute, as a token bucket or as a fixed window.
//!
//! Levels are integers in sixty-millionths of a unit: a limit of L a minute then refills by exactly
//! L of them each microsecond, and no rounding error gathers. Time is an argument and never goes back;
//! an earlier `now` is read as the latest one seen.
//!
//! Invariants: the level stays within nothing and the capacity; what is taken was there.

use crate::clock::{MINUTE, Micros};
use crate::script::Window;

/// Parts of one unit, and microseconds of one minute.
const PARTS: u64 = MINUTE;

/// One dimension's allowance.
#[derive(Debug, Clone)]
pub(crate) struct Bucket {
    window: Window,
    limit: u64,
    level: u64,
    at: Micros,
}

/// Whether an amount can be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fit {
    /// Now.
    Now,
    /// After so many microseconds, if nobody else takes anything.
    After(Micros),
    /// The amount is larger than the whole limit.
    Never,
}

/// What a provider tells of a limit in its headers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Level {
    /// Units a minute.
    pub(crate) limit: u64,
    /// Whole units left.
    pub(crate) remaining: u64,
    /// Microseconds until nothing is missing.
    pub(crate) full_in: Micros,
}

impl Bucket {
    /// A full bucket of `limit` units a minute.
    pub(crate) fn new(window: Window, limit: u32) -> Self {
        let limit = u64::from(limit);
        Self { window, limit, level: limit * PARTS, at: 0 }
    }

    pub(crate) fn fit(&mut self, now: Micros, amount: u64) -> Fit {
        self.advance(now);
        if amount > self.limit {
            return Fit::Never;
        }
        match (amount * PARTS).saturating_sub(self.level) {
            0 => Fit::Now,
            missing => Fit::After(self.refill_time(missing)),
        }
    }

    /// Takes an amount that fits; of one that does not, what is there.
    pub(crate) fn take(&mut self, now: Micros, amount: u64) {
        self.advance(now);
        self.level = self.level.saturating_sub(amount.saturating_mul(PARTS));
    }

    /// Gives back what was reserved and not used.
    pub(crate) fn give_back(&mut self, now: Micros, amount: u64) {
        self.advance(now);
        self.level = self.level.saturating_add(amount.saturating_mul(PARTS)).min(self.capacity());
    }

    pub(crate) fn level(&mut self, now: Micros) -> Level {
        self.advance(now);
        let missing = self.capacity() - self.level;
        let full_in = if missing == 0 { 0 } else { self.refill_time(missing) };
        Level { limit: self.limit, remaining: self.level / PARTS, full_in }
    }

    fn capacity(&self) -> u64 {
        self.limit * PARTS
    }

    fn advance(&mut self, now: Micros) {
        let now = now.max(self.at);
        match self.window {
            Window::Bucket => {
                let refill = self.limit.saturating_mul(now - self.at);
                self.level = self.level.saturating_add(refill).min(self.capacity());
            }
            Window::Fixed if now / MINUTE > self.at / MINUTE => self.level = self.capacity(),
            Window::Fixed => {}
        }
        self.at = now;
    }

    fn refill_time(&self, missing: u64) -> Micros {
        match self.window {
            Window::Bucket => missing.div_ceil(self.limit),
            Window::Fixed => MINUTE - self.at % MINUTE,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::SECOND;
    use proptest::prelude::*;

    #[test]
    fn one_of_500_a_minute_is_back_after_120_ms() {
        let mut bucket = Bucket::new(Window::Bucket, 500);
        bucket.take(0, 1);
        assert_eq!(bucket.level(0), Level { limit: 500, remaining: 499, full_in: 120_000 });
        assert_eq!(bucket.level(120_000).remaining, 500);
    }

    #[test]
    fn a_bucket_says_when_the_amount_fits() {
        let mut bucket = Bucket::new(Window::Bucket, 60);
        bucket.take(0, 60);
        assert_eq!(bucket.fit(0, 3), Fit::After(3 * SECOND));
        assert_eq!(bucket.fit(3 * SECOND, 3), Fit::Now);
        assert_eq!(bucket.fit(0, 61), Fit::Never);
    }

    #[test]
    fn a_fixed_window_opens_at_the_minute() {
        let mut bucket = Bucket::new(Window::Fixed, 10);
        bucket.take(40 * SECOND, 10);
        assert_eq!(bucket.fit(59 * SECOND, 1), Fit::After(SECOND));
        assert_eq!(bucket.fit(60 * SECOND, 10), Fit::Now);
    }

    fn window() -> impl Strategy<Value = Window> {
        prop_oneof![Just(Window::Bucket), Just(Window::Fixed)]
    }

    proptest! {
        /// In any span, no more is granted than the windows it touches allow.
        #[test]
        fn grants_stay_within_the_rate(
            window in window(),
            limit in 1u32..5000,
            asks in prop::collection::vec((0u64..5_000_000, 1u64..400), 1..200),
        ) {
            let mut bucket = Bucket::new(window, limit);
            let (mut now, mut granted) = (0, 0u128);
            for (gap, amount) in asks {
                now += gap;
                if bucket.fit(now, amount) == Fit::Now {
                    bucket.take(now, amount);
                    granted += u128::from(amount);
                }
                let limit = u128::from(limit);
                let allowed = match window {
                    Window::Bucket => limit + limit * u128::from(now) / u128::from(MINUTE),
                    Window::Fixed => limit * (1 + u128::from(now / MINUTE)),
                };
                prop_assert!(granted <= allowed, "{granted} granted, {allowed} allowed");
            }
        }

        /// A promised wait is kept, and is not longer than needed.
        #[test]
        fn the_promised_wait_is_exact(
            window in window(),
            limit in 1u32..5000,
            used in 1u64..5000,
            amount in 1u64..5000,
            at in 0u64..200_000_000,
        ) {
            let mut bucket = Bucket::new(window, limit);
            bucket.take(at, used);
            if let Fit::After(wait) = bucket.fit(at, amount) {
                prop_assert_ne!(bucket.clone().fit(at + wait - 1, amount), Fit::Now);
                prop_assert_eq!(bucket.fit(at + wait, amount), Fit::Now);
            }
        }

        /// Taking and giving back leaves no trace, and never more than the capacity.
        #[test]
        fn giving_back_restores(window in window(), limit in 1u32..5000, amount in 0u64..5000) {
            let mut bucket = Bucket::new(window, limit);
            let amount = amount.min(u64::from(limit));
            bucket.take(7, amount);
            bucket.give_back(7, amount);
            prop_assert_eq!(bucket.level(7).remaining, u64::from(limit));
            bucket.give_back(7, amount);
            prop_assert_eq!(bucket.level(7).remaining, u64::from(limit));
        }
    }
}
