//! What the children that have ended say of the next.

use weir_sdk::codes::child;
use weir_sdk::fanout::Child;

/// The answers so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Answers {
    /// Children that answered or failed.
    pub(crate) count: u32,
    /// The worth of the best answer, 0 to 1.
    pub(crate) best: f64,
    worth: f64,
    tokens: f64,
}

impl Answers {
    pub(crate) fn of(children: &[Child]) -> Self {
        let mut all = Self::default();
        for child in children {
            match child.state {
                child::DONE => all.add(child.worth, child.spent),
                child::FAILED => all.add(0.0, child.spent),
                _ => {}
            }
        }
        all
    }

    fn add(&mut self, worth: f64, spent: u64) {
        let worth = if worth.is_nan() { 0.0 } else { worth.clamp(0.0, 1.0) };
        self.count = self.count.saturating_add(1);
        self.best = self.best.max(worth);
        self.worth += worth;
        self.tokens += spent as f64;
    }

    /// What a thousand tokens are expected to add to the best answer; none before the first.
    pub(crate) fn gain_per_1k(&self) -> Option<f64> {
        let count = f64::from(self.count);
        let gain = self.worth / count * (1.0 - self.best);
        let cost = (self.tokens / count / 1e3).max(1e-3);
        (self.count > 0).then(|| gain / cost)
    }
}

#[cfg(test)]
mod tests {
    use weir_sdk::testing;

    use super::*;

    fn ended(state: u16, worth: f64, spent: u64) -> Child {
        Child { state, worth, spent, ..testing::child(1) }
    }

    #[test]
    fn the_mean_worth_times_what_is_left_to_gain_over_the_mean_cost() {
        let children = [
            ended(child::DONE, 0.6, 3_000),
            ended(child::FAILED, 0.9, 1_000),
            ended(child::CANCELLED, 1.0, 9_000),
            ended(child::RUNNING, 1.0, 9_000),
        ];
        let gain = Answers::of(&children).gain_per_1k().unwrap();
        assert!((gain - 0.3 * 0.4 / 2.0).abs() < 1e-9, "{gain}");
        assert_eq!(Answers::of(&children[2..]).gain_per_1k(), None);
    }

    #[test]
    fn strange_numbers_make_no_strange_gain() {
        for worth in [f64::NAN, f64::INFINITY, -3.0] {
            let gain = Answers::of(&[ended(child::DONE, worth, 0)]).gain_per_1k().unwrap();
            assert!((0.0..=1e3).contains(&gain), "{gain} for {worth}");
        }
    }
}
