//! A closure of a cell, and how a window comes back after one.

use crate::units::Micros;

/// Until when a cell admits nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Closure {
    /// When it began, or was last lengthened.
    began: Micros,
    until: Micros,
    /// Refusals without a hint since the last success, for the host's own back-off.
    strikes: u32,
}

impl Closure {
    /// Closed until then; `None` when open.
    pub(crate) fn until(&self, now: Micros) -> Option<Micros> {
        (self.until > now).then_some(self.until)
    }

    /// Of two closures the later holds. Answers whether this one is later.
    pub(crate) fn lengthen(&mut self, now: Micros, until: Micros) -> bool {
        if until <= self.until.max(now) {
            return false;
        }
        (self.began, self.until) = (now, until);
        true
    }

    /// How long to close after a refusal that gives no time: one second, doubling to a minute.
    pub(crate) fn strike(&mut self) -> Micros {
        let span = Micros::from_secs(60.min(1 << self.strikes.min(6)));
        self.strikes = self.strikes.saturating_add(1);
        span
    }

    /// A success of an attempt that was admitted at `sent`.
    pub(crate) fn succeeded(&mut self, sent: Micros) {
        if sent >= self.began {
            *self = Self::default();
        }
    }

    /// An operator opens it.
    pub(crate) fn reopen(&mut self) {
        *self = Self::default();
    }
}

/// How a window's traffic comes back after a closure: in each step twice the admissions of the last, until
/// a step allows as many as the account's slots. Buckets alone would let all that waits through at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Trickle {
    opens: Micros,
    step: Micros,
    /// Admissions of the first step.
    base: u32,
    /// A step that allows so many ends it.
    top: u32,
    admitted: u64,
}

impl Trickle {
    /// From `opens` on.
    pub(crate) fn new(opens: Micros, step: Micros, base: u32, top: u32) -> Self {
        Self { opens, step: Micros(step.0.max(1)), base: base.max(1), top, admitted: 0 }
    }

    /// It allows all that the slots allow.
    pub(crate) fn is_over(&self, now: Micros) -> bool {
        now >= self.opens && doubled(self.base, self.steps(now)) >= u64::from(self.top)
    }

    /// Nothing more in this step; when the next begins.
    pub(crate) fn full_until(&self, now: Micros) -> Option<Micros> {
        if self.is_over(now) {
            return None;
        }
        let allowed = doubled(self.base, self.steps(now) + 1) - u64::from(self.base);
        (self.admitted >= allowed).then(|| self.next(now))
    }

    /// When the next step begins.
    pub(crate) fn next(&self, now: Micros) -> Micros {
        self.opens.plus(Micros(self.step.0.saturating_mul(self.steps(now) + 1)))
    }

    /// One more was admitted.
    pub(crate) fn admit(&mut self) {
        self.admitted = self.admitted.saturating_add(1);
    }

    /// A refusal: the pace of now begins anew.
    pub(crate) fn hold(&mut self, now: Micros) {
        if now >= self.opens && !self.is_over(now) {
            let pace = doubled(self.base, self.steps(now));
            *self = Self::new(now, self.step, u32::try_from(pace).unwrap_or(u32::MAX), self.top);
        }
    }

    fn steps(&self, now: Micros) -> u64 {
        now.minus(self.opens).0 / self.step.0
    }
}

/// `base` doubled so often, far above any limit at the end.
pub(crate) fn doubled(base: u32, steps: u64) -> u64 {
    u64::from(base) << steps.min(31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lengthens_until_a_later_success() {
        let mut closure = Closure::default();
        assert!(closure.lengthen(Micros(10), Micros(100)));
        assert!(!closure.lengthen(Micros(20), Micros(90)));
        closure.succeeded(Micros(9));
        assert_eq!(closure.until(Micros(20)), Some(Micros(100)));
        closure.succeeded(Micros(10));
        assert_eq!(closure.until(Micros(20)), None);
    }

    #[test]
    fn backs_off_to_a_minute() {
        let mut closure = Closure::default();
        let spans: Vec<u64> = (0..8).map(|_| closure.strike().0 / 1_000_000).collect();
        assert_eq!(spans, [1, 2, 4, 8, 16, 32, 60, 60]);
    }

    #[test]
    fn a_window_comes_back_by_doubling() {
        let mut trickle = Trickle::new(Micros(0), Micros(10), 1, 8);
        let mut starts = Vec::new();
        for now in 0..30 {
            let mut step = 0;
            while trickle.full_until(Micros(now)).is_none() && !trickle.is_over(Micros(now)) {
                trickle.admit();
                step += 1;
            }
            if step > 0 {
                starts.push((now, step));
            }
        }
        assert_eq!(starts, [(0, 1), (10, 2), (20, 4)]);
        assert!(trickle.is_over(Micros(30)));
    }
}
