//! A provider's window of requests or tokens.
//!
//! A bucket refills all the time and is full after `per`; a fixed window is full again at the end of each `per` from
//! the start of the run. Both can be overdrawn: what turns out larger than was known at the start is owed.

use weir_core::Window as Told;
use weir_core::units::Micros;

use crate::scenario::{Counted, Shape, Window};

/// How much a window holds.
#[derive(Clone, Debug)]
pub(crate) struct State {
    plan: Window,
    /// What is left, in millionths, so that a bucket's refill loses nothing.
    left: i128,
    /// When that was so.
    at: Micros,
}

const UNIT: i128 = 1_000_000;

impl State {
    pub(crate) fn new(plan: &Window) -> Self {
        let left = i128::from(plan.limit) * UNIT;
        Self { plan: plan.clone(), left, at: Micros::ZERO }
    }

    pub(crate) const fn counts(&self) -> Counted {
        self.plan.counts
    }

    pub(crate) const fn limit(&self) -> u64 {
        self.plan.limit
    }

    pub(crate) fn is_for(&self, model: usize) -> bool {
        self.plan.models.is_empty() || self.plan.models.contains(&model)
    }

    fn full(&self) -> i128 {
        i128::from(self.plan.limit) * UNIT
    }

    fn refill(&mut self, now: Micros) {
        let (limit, per) = (i128::from(self.plan.limit), i128::from(self.plan.per.0));
        let more = match self.plan.shape {
            Shape::Bucket => limit * UNIT * i128::from(now.minus(self.at).0) / per,
            Shape::Fixed => {
                limit * UNIT * i128::from(now.0 / self.plan.per.0 - self.at.0 / self.plan.per.0)
            }
        };
        if more > 0 {
            self.left = (self.left + more).min(self.full());
            self.at = now;
        }
    }

    /// From now until so much fits; `None`: it does. A request larger than the window fits when that is full.
    pub(crate) fn wait(&mut self, now: Micros, amount: u64) -> Option<Micros> {
        self.refill(now);
        let missing = (i128::from(amount) * UNIT).min(self.full()) - self.left;
        if missing <= 0 {
            return None;
        }
        let per = i128::from(self.plan.per.0);
        let micros = match self.plan.shape {
            Shape::Bucket => missing * per / self.full() + 1,
            Shape::Fixed => {
                let windows = (missing + self.full() - 1) / self.full();
                windows * per - i128::from(now.0 % self.plan.per.0)
            }
        };
        Some(Micros(u64::try_from(micros).unwrap_or(u64::MAX)))
    }

    /// Takes so much; a negative amount is given back.
    pub(crate) fn take(&mut self, now: Micros, amount: i64) {
        self.refill(now);
        self.left = (self.left - i128::from(amount) * UNIT).min(self.full());
    }

    /// What is left, whole.
    pub(crate) fn left(&mut self, now: Micros) -> u64 {
        self.refill(now);
        u64::try_from(self.left / UNIT).unwrap_or(0)
    }

    /// As the headers of an answer tell it.
    pub(crate) fn told(&mut self, now: Micros) -> Told {
        let remaining = self.left(now);
        let reset = self.wait(now, self.plan.limit).unwrap_or(Micros::ZERO);
        Told { limit: Some(self.plan.limit), remaining: Some(remaining), reset: Some(reset) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(shape: Shape) -> State {
        let per = Micros::from_secs(60);
        State::new(&Window { counts: Counted::Requests, limit: 60, per, shape, models: vec![1] })
    }

    #[test]
    fn a_bucket_refills_all_the_time() {
        let mut bucket = window(Shape::Bucket);
        assert_eq!(bucket.wait(Micros::ZERO, 60), None);
        bucket.take(Micros::ZERO, 60);
        assert_eq!(bucket.wait(Micros::ZERO, 1), Some(Micros(1_000_001)));
        assert_eq!(bucket.left(Micros::from_millis(2_500)), 2);
        assert_eq!(bucket.wait(Micros::from_secs(3), 3), None);
        assert_eq!(bucket.left(Micros::from_secs(3_600)), 60, "never above its limit");
    }

    #[test]
    fn a_fixed_window_is_full_again_all_at_once() {
        let mut fixed = window(Shape::Fixed);
        fixed.take(Micros::from_secs(10), 60);
        assert_eq!(fixed.left(Micros::from_secs(59)), 0);
        assert_eq!(fixed.wait(Micros::from_secs(59), 1), Some(Micros::SECOND));
        assert_eq!(fixed.left(Micros::from_secs(60)), 60);
    }

    #[test]
    fn what_is_owed_is_paid_first() {
        let mut bucket = window(Shape::Bucket);
        bucket.take(Micros::ZERO, 90);
        assert_eq!(bucket.wait(Micros::ZERO, 1), Some(Micros(31_000_001)));
        assert_eq!(bucket.left(Micros::from_secs(29)), 0);
        let mut fixed = window(Shape::Fixed);
        fixed.take(Micros::ZERO, 90);
        assert_eq!(fixed.left(Micros::from_secs(60)), 30);
    }

    #[test]
    fn a_request_larger_than_the_window_fits_when_that_is_full() {
        let mut bucket = window(Shape::Bucket);
        assert_eq!(bucket.wait(Micros::ZERO, 1_000), None);
        bucket.take(Micros::ZERO, 1);
        assert!(bucket.wait(Micros::ZERO, 1_000).is_some());
    }

    #[test]
    fn it_is_for_its_models_alone() {
        let state = window(Shape::Bucket);
        assert!(state.is_for(1) && !state.is_for(0));
    }
}
