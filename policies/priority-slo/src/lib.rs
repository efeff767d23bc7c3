//! Classes by slack: how long a request could still wait and be answered by its deadline.
//!
//! Slack is the deadline less now, less how long it will run, less how long the line would hold it: the laxity
//! of least-laxity-first scheduling (Dertouzos and Mok, 1989), in steps, so that requests of like urgency keep
//! the order of a fair queue. A slack of at most `slack_ms[0]` makes class 0, and so on; more than the last makes
//! the class after it. Within a tenant and class less slack goes first. One without a deadline has the class
//! `standard`, and no request is more urgent than the class that its caller declared.
//!
//! A request that waits loses slack. So it ages by default after the time in which it falls to the next class,
//! and the host offers it first when its slack has come down to that of class 0. Asked again, the policy
//! answers without aging: the host counts that from the arrival, and the slack shows that time already.

use weir_sdk::codes::why;
use weir_sdk::priority::{Arrival, Placement, Priority};
use weir_sdk::{About, Micros, Policy};

#[cfg(test)]
mod tests;

/// Most thresholds: classes are numbered in a byte whose last value means none.
const THRESHOLDS: usize = 16;

weir_sdk::settings! {
    /// What can be set.
    pub struct Settings {
        /// Milliseconds of slack up to which a request has each class, rising.
        slack_ms: Vec<u64> = vec![2_000, 15_000, 120_000];
        /// The class of a request without a deadline.
        standard: u32 = 2, in 0..=16;
        /// Whether a declared class bounds how urgent a request can be.
        declared: bool = true;
        /// Milliseconds of waiting after which it counts as one class more urgent; 0 takes the time in which its
        /// slack falls to the next class.
        aging_ms: u64 = 0, in 0..=86_400_000;
        /// Milliseconds of waiting after which the host offers it first; 0 takes the time in which its slack
        /// falls to that of class 0.
        longest_wait_ms: u64 = 0, in 0..=86_400_000;
        /// Milliseconds that stand for the slack of a request without a deadline in the two above.
        patience_ms: u64 = 120_000, in 0..=86_400_000;
        /// The class from which on a request may be dropped under pressure.
        shed_from: u32 = 3, in 0..=255;
        /// Thousandths of a budget spent from which a request may be shed whatever its class; 1000 leaves
        /// the other classes to the hard limit.
        soft: u32 = 1_000, in 0..=1_000;
    }
}

/// The policy.
pub struct Slo(Settings);

impl Policy for Slo {
    const ABOUT: About = weir_sdk::about!();
    type Settings = Settings;

    fn start(settings: Settings, _now: Micros) -> Result<Self, String> {
        let Settings { slack_ms, standard, .. } = &settings;
        let count = slack_ms.len();
        if !(1..=THRESHOLDS).contains(&count) {
            return Err(format!("setting `slack_ms` has {count} entries; it must have 1 to 16"));
        }
        if let Some(pair) = slack_ms.windows(2).find(|pair| pair[0] >= pair[1]) {
            let [before, after] = [pair[0], pair[1]];
            return Err(format!("setting `slack_ms` has {after} after {before}; it must rise"));
        }
        if *standard as usize > count {
            return Err(format!("setting `standard` is {standard}; the last class is {count}"));
        }
        Ok(Self(settings))
    }
}

impl Slo {
    /// The slack up to which a request has a class; none for the last.
    fn threshold(&self, class: usize) -> Option<Micros> {
        self.0.slack_ms.get(class).copied().map(Micros::from_millis)
    }

    fn class(&self, slack: Option<Micros>, declared: u8) -> usize {
        let own = slack.map_or(self.0.standard as usize, |slack| {
            let reached = |most: &&u64| slack > Micros::from_millis(**most);
            self.0.slack_ms.iter().take_while(reached).count()
        });
        let last = self.0.slack_ms.len();
        let least =
            if self.0.declared && declared != 255 { usize::from(declared).min(last) } else { 0 };
        own.max(least)
    }

    /// How long it takes until it should count as one class more urgent, and until it should go first.
    fn patience(&self, class: usize, slack: Micros) -> (Micros, Micros) {
        let until = |class: usize| match self.threshold(class) {
            Some(threshold) => (slack - threshold).max(Micros(1)),
            None => Micros::ZERO,
        };
        let set = |millis, derived| if millis > 0 { Micros::from_millis(millis) } else { derived };
        let aging = if class > 0 { until(class - 1) } else { Micros::ZERO };
        (set(self.0.aging_ms, aging), set(self.0.longest_wait_ms, until(0)))
    }
}

/// How long it could still wait; none without a deadline.
fn slack(now: Micros, arrival: &Arrival) -> Option<Micros> {
    let before = now + Micros(arrival.expected) + Micros(arrival.wait);
    arrival.deadline.map(|deadline| Micros(deadline) - before)
}

impl Priority for Slo {
    fn place(&mut self, now: Micros, arrival: &Arrival) -> Placement {
        let slack = slack(now, arrival);
        let class = self.class(slack, arrival.declared_class);
        let left = slack.unwrap_or(Micros::from_millis(self.0.patience_ms));
        let (aging, longest) = self.patience(class, left);
        let first = arrival.why == why::ARRIVAL;
        Placement {
            class: u8::try_from(class).unwrap_or(u8::MAX),
            rank: slack
                .map_or(i32::MAX, |slack| i32::try_from(slack.as_millis()).unwrap_or(i32::MAX)),
            weight: 1,
            aging_step: if first { aging.0 } else { 0 },
            longest_wait: longest.0,
            may_shed: class >= self.0.shed_from as usize
                || u32::from(arrival.budget_spent) >= self.0.soft,
        }
    }
}

weir_sdk::export!(Slo: priority);
