//! The cheapest candidate that is not slow, then the others by price.
//!
//! What it is told and what it may answer stands in `sdk/wit/route.wit`.

use weir_sdk::route::{Candidate, Choice, Request, Route};
use weir_sdk::{About, Draw, Micros, Policy};

weir_sdk::settings! {
    /// What can be set.
    pub struct Settings {
        /// Milliseconds of latency from which a candidate counts as slow.
        slow_ms: u64 = 10_000, in 1..=600_000;
    }
}

/// The policy.
pub struct Cheapest(Settings);

/// Reason codes; `explain` has their words.
const CHEAP: u16 = 1;
const SLOW: u16 = 2;

impl Policy for Cheapest {
    const ABOUT: About = weir_sdk::about!();
    type Settings = Settings;

    fn start(settings: Settings, _now: Micros) -> Result<Self, String> {
        Ok(Self(settings))
    }
}

impl Route for Cheapest {
    fn order(
        &mut self,
        _now: Micros,
        _request: &Request,
        candidates: &[Candidate],
        _draw: Draw,
    ) -> Vec<Choice> {
        let slow = Micros::from_millis(self.0.slow_ms).0;
        let mut known: Vec<_> =
            candidates.iter().map(|one| (one.latency >= slow, one.cost, one.id)).collect();
        known.sort_unstable();
        let choice = |(slow, cost, candidate)| Choice {
            candidate,
            score: cost as f64,
            reason: if slow { SLOW } else { CHEAP },
            patience: 0,
        };
        known.into_iter().map(choice).collect()
    }

    fn explain(&self, reason: u16) -> String {
        let words = match reason {
            CHEAP => "by price",
            SLOW => "slow, so after the others",
            _ => "unknown",
        };
        words.to_owned()
    }
}

weir_sdk::export!(Cheapest: route);

#[cfg(test)]
mod tests {
    use weir_sdk::native;
    use weir_sdk::testing::{candidate, request};

    use super::*;

    #[test]
    fn by_price_and_the_slow_ones_last() {
        let mut policy = native::route::<Cheapest>("", 0).unwrap();
        let all = [
            Candidate { cost: 9, ..candidate(1) },
            Candidate { cost: 3, latency: 20_000_000, ..candidate(2) },
            Candidate { cost: 5, ..candidate(3) },
        ];
        let order = policy.order(0, &request(1), &all, 0);
        assert_eq!(order.iter().map(|one| one.candidate).collect::<Vec<_>>(), [3, 1, 2]);
        assert_eq!(policy.explain(order[2].reason), "slow, so after the others");
    }
}
