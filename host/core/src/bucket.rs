//! A token bucket whose sums are exact.
//!
//! Levels are integers, in millionths of a unit; refill keeps the remainder of its division, so that any
//! split of a span refills the same as the span at once. A level may fall below zero: that is debt, and
//! refill pays it before anything else fits.
//!
//! The capacity is what the provider states, else what is configured; both are amounts for a minute unless
//! the provider's own words say that its window is longer. Without either the bucket limits nothing.
//!
//! A request larger than the capacity fits when the bucket is full, and leaves it in debt. Only a capacity
//! of zero can never fit.

use crate::input::Window;
use crate::units::Micros;

/// Parts of a unit.
const MICRO: i128 = 1_000_000;

/// Any capacity above is read as this: sums then stay far inside `i128`.
pub(crate) const MAX_AMOUNT: u64 = 1_000_000_000_000;

const MINUTE: u64 = 60_000_000;

/// No window is believed to be longer than 31 days.
const LONGEST: u64 = 31 * 24 * 60 * MINUTE;

/// A stated reset beyond a minute and a second (headers round up to seconds) is not a minute's window.
const BEYOND_A_MINUTE: u64 = MINUTE + 1_000_000;

/// A token bucket. See the module's text.
#[derive(Clone, Debug)]
pub(crate) struct Bucket {
    configured: Option<u64>,
    stated: Option<u64>,
    /// The capacity refills in this time.
    period: u64,
    /// In millionths; means something only while there is a capacity.
    level: i128,
    /// Remainder of the last refill, in millionths times microseconds, below `period`.
    carry: i128,
    at: Micros,
}

impl Bucket {
    /// A full bucket of so much a minute.
    pub(crate) fn per_minute(now: Micros, configured: Option<u64>) -> Self {
        let configured = configured.map(|limit| limit.min(MAX_AMOUNT));
        let level = MICRO * i128::from(configured.unwrap_or(0));
        Self { configured, stated: None, period: MINUTE, level, carry: 0, at: now }
    }

    /// What it holds when full; `None` when it limits nothing.
    pub(crate) fn capacity(&self) -> Option<u64> {
        self.stated.or(self.configured)
    }

    /// Whole units that it holds now; negative in debt. 0 when it limits nothing.
    #[cfg(test)]
    pub(crate) fn level(&self, now: Micros) -> i128 {
        self.capacity().map_or(0, |_| self.filled(now).0.div_euclid(MICRO))
    }

    /// What a request may take now: all that one could ask for when it is full or limits nothing.
    pub(crate) fn room(&self, now: Micros) -> u64 {
        let Some(capacity) = self.capacity() else { return u64::MAX };
        let whole = self.filled(now).0.div_euclid(MICRO);
        if capacity > 0 && whole >= i128::from(capacity) {
            return u64::MAX;
        }
        u64::try_from(whole).unwrap_or(0)
    }

    /// When so much fits: `now` when it does already, `None` when it never will.
    pub(crate) fn until(&self, now: Micros, amount: u64) -> Option<Micros> {
        let Some(capacity) = self.capacity() else { return Some(now) };
        if amount == 0 {
            return Some(now);
        }
        if capacity == 0 {
            return None;
        }
        let (level, carry) = self.filled(now);
        let missing = MICRO * i128::from(amount.min(capacity)) - level;
        if missing <= 0 {
            return Some(now);
        }
        let rate = MICRO * i128::from(capacity);
        let span = div_ceil(missing * i128::from(self.period) - carry, rate);
        Some(now.plus(Micros(u64::try_from(span).unwrap_or(u64::MAX))))
    }

    /// Takes so much, into debt if need be.
    pub(crate) fn take(&mut self, now: Micros, amount: u64) {
        self.shift(now, -i128::from(amount));
    }

    /// Puts so much back; what does not go in is lost.
    pub(crate) fn give(&mut self, now: Micros, amount: u64) {
        self.shift(now, i128::from(amount));
    }

    /// The provider refused although something was left: nothing is.
    pub(crate) fn drain(&mut self, now: Micros) {
        self.refill(now);
        self.level = self.level.min(0);
    }

    /// Goes over to another configured limit. A stated one was for the old and is forgotten.
    pub(crate) fn configure(&mut self, now: Micros, configured: Option<u64>) {
        let configured = configured.map(|limit| limit.min(MAX_AMOUNT));
        if configured != self.configured {
            self.resize(now, configured, None);
        }
    }

    /// A rate of the limit policy: a second's worth at once, at least one.
    pub(crate) fn pace(&mut self, now: Micros, per_second: Option<f64>) {
        let capacity = per_second.map(|rate| (rate.ceil() as u64).clamp(1, MAX_AMOUNT));
        if capacity != self.capacity() {
            self.resize(now, capacity, None);
        }
        if let Some((rate, capacity)) = per_second.zip(capacity) {
            let period = (capacity as f64 * 1e6 / rate).round();
            self.refill(now);
            self.set_period((period as u64).clamp(1, LONGEST));
        }
    }

    /// Believes what the provider states. `unseen` is what was sent and is not in its numbers yet.
    ///
    /// A stated limit of zero is not believed: nothing would be sent any more that could correct it.
    pub(crate) fn correct(&mut self, now: Micros, window: &Window, unseen: u64) {
        let stated = window.limit.filter(|limit| *limit > 0).map(|limit| limit.min(MAX_AMOUNT));
        if stated.is_some() && stated != self.stated {
            self.resize(now, self.configured, stated);
        }
        self.refill(now);
        let Some((capacity, remaining)) = self.capacity().zip(window.remaining) else { return };
        let remaining = remaining.min(capacity);
        self.level = MICRO * (i128::from(remaining) - i128::from(unseen));
        self.carry = 0;
        if let Some(reset) = window.reset {
            self.learn_period(capacity, capacity - remaining, reset);
        }
    }

    /// The level, never above the capacity, for audits: (level, capacity) in millionths.
    pub(crate) fn audit(&self) -> Option<(i128, i128)> {
        self.capacity().map(|capacity| (self.level, MICRO * i128::from(capacity)))
    }

    /// Reset is the time until the bucket is full again (OpenAI, Anthropic): with what is used it tells
    /// how long the whole refills. Most are minutes, and small resets are rounded too much to learn from.
    fn learn_period(&mut self, capacity: u64, used: u64, reset: Micros) {
        if reset.0 > BEYOND_A_MINUTE && used > 0 {
            let whole = u128::from(reset.0) * u128::from(capacity) / u128::from(used);
            self.set_period(u64::try_from(whole).unwrap_or(LONGEST).clamp(MINUTE, LONGEST));
        } else if used >= capacity / 2 && used > 0 {
            self.set_period(MINUTE);
        }
    }

    fn set_period(&mut self, period: u64) {
        self.carry = self.carry * i128::from(period) / i128::from(self.period);
        self.period = period;
    }

    /// Another capacity: what is held keeps its share of it, debt stays as it is.
    fn resize(&mut self, now: Micros, configured: Option<u64>, stated: Option<u64>) {
        self.refill(now);
        let before = self.capacity();
        self.configured = configured;
        self.stated = stated;
        let Some(after) = self.capacity().map(i128::from) else { return };
        self.level = match before.map(i128::from) {
            Some(before) if before > 0 && self.level > 0 => self.level * after / before,
            Some(_) => self.level,
            None => MICRO * after,
        };
        self.carry = 0;
    }

    fn shift(&mut self, now: Micros, units: i128) {
        self.refill(now);
        if let Some(capacity) = self.capacity() {
            self.level = (self.level + MICRO * units).min(MICRO * i128::from(capacity));
        }
    }

    fn refill(&mut self, now: Micros) {
        if self.capacity().is_some() {
            (self.level, self.carry) = self.filled(now);
        }
        self.at = self.at.max(now);
    }

    /// Level and remainder as they are at `now`.
    fn filled(&self, now: Micros) -> (i128, i128) {
        let capacity = MICRO * i128::from(self.capacity().unwrap_or(0));
        let span = i128::from(now.minus(self.at).0);
        let gained = span * capacity + self.carry;
        let level = self.level + gained / i128::from(self.period);
        if level >= capacity {
            return (capacity, 0);
        }
        (level, gained % i128::from(self.period))
    }
}

fn div_ceil(a: i128, b: i128) -> i128 {
    a.div_euclid(b) + i128::from(a.rem_euclid(b) != 0)
}

#[cfg(test)]
mod tests;
