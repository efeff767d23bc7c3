//! What flows have been given, and the rule that compares it.

use weir_sdk::schedule::Sharing;

/// What one flow has been given for each unit of its weight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counter {
    served: i64,
    /// Units that have not made a whole one for each unit of weight.
    rest: i64,
    weight: i64,
}

/// What siblings have in common.
#[derive(Clone, Debug)]
pub struct Counters {
    /// The greatest counter that has had a turn, before it was charged for that.
    front: i64,
    /// How far behind the front a counter that has its turn may be.
    lag: i64,
}

impl Counters {
    pub(crate) fn new(lag: i64) -> Self {
        Self { front: 0, lag }
    }
}

impl Sharing for Counters {
    type Account = Counter;

    fn join(&self) -> Counter {
        Counter { served: 0, rest: 0, weight: 1 }
    }

    fn weigh(&mut self, counter: &mut Counter, weight: u32) {
        counter.weight = i64::from(weight).max(1);
    }

    /// Whoever comes back keeps its debt and has no credit.
    fn wait(&mut self, counter: &mut Counter, least: Option<i64>) {
        counter.served = counter.served.max(least.unwrap_or(self.front));
    }

    fn serve(&mut self, counter: &mut Counter) {
        counter.served = counter.served.max(self.front.saturating_sub(self.lag));
        self.front = self.front.max(counter.served);
    }

    fn charge(&mut self, counter: &mut Counter, units: i64) -> bool {
        let units = units.saturating_add(counter.rest);
        counter.served = counter.served.saturating_add(units.div_euclid(counter.weight));
        counter.rest = units.rem_euclid(counter.weight);
        units > 0
    }

    fn turn(&self, counter: &Counter) -> i64 {
        counter.served
    }

    /// How far it is before the front: debt when positive. Credit is worth keeping of who waits alone.
    fn standing(&self, counter: &Counter, waits: bool) -> Option<i64> {
        let standing = counter.served.saturating_sub(self.front);
        (standing > 0 || waits).then_some(standing)
    }

    fn adopt(&mut self, counter: &mut Counter, standing: i64) {
        counter.served = self.front.saturating_add(standing);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_grows_by_units_for_each_unit_of_weight_and_loses_no_rest() {
        let mut all = Counters::new(1_000);
        let mut counter = all.join();
        all.weigh(&mut counter, 7);
        (0..7).for_each(|_| _ = all.charge(&mut counter, 10));
        assert_eq!(counter, Counter { served: 10, rest: 0, weight: 7 });
        (0..7).for_each(|_| _ = all.charge(&mut counter, -10));
        assert_eq!(counter, Counter { served: 0, rest: 0, weight: 7 });
    }

    #[test]
    fn whoever_returns_is_lifted_to_the_least_that_waits_or_to_the_front() {
        let mut all = Counters::new(1_000);
        let mut counter = all.join();
        all.wait(&mut counter, Some(40));
        assert_eq!(all.turn(&counter), 40);
        all.wait(&mut counter, Some(30));
        assert_eq!(all.turn(&counter), 40, "debt is kept");
        all.charge(&mut counter, 60);
        all.serve(&mut counter);
        let mut idle = all.join();
        all.wait(&mut idle, None);
        assert_eq!(all.turn(&idle), 100);
    }

    #[test]
    fn whoever_waited_behind_a_closed_lane_catches_up_by_no_more_than_the_lag() {
        let mut all = Counters::new(1_000);
        let (mut served, mut stuck) = (all.join(), all.join());
        all.charge(&mut served, 5_000);
        all.serve(&mut served);
        all.serve(&mut stuck);
        assert_eq!(all.turn(&stuck), 4_000);
    }

    #[test]
    fn the_largest_charge_does_not_overflow() {
        let mut all = Counters::new(1_000);
        let mut counter = all.join();
        all.charge(&mut counter, i64::MAX);
        all.charge(&mut counter, i64::MAX);
        assert_eq!(all.turn(&counter), i64::MAX);
    }
}
