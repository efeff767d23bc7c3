//! A fixed limit.
//!
//! Holds each cell at `limit`, or at the limit that was configured for it, whatever the provider says. A
//! refusal with a hint (Retry-After) still closes the cell for that long, and a closure is never shortened.
//! It is the policy to compare others with, and the right one where a provider states its limit.

use serde::{Deserialize, Serialize};
use weir_sdk::codes::kind;
use weir_sdk::limit::{Answer, Attempt, Cell, Ending, Limit, Opening};
use weir_sdk::{About, Micros, Policy};

weir_sdk::settings! {
    /// What can be set.
    pub struct Settings {
        /// The limit of every cell; 0 takes the one that it opens with.
        limit: u32 = 0, in 0..=100_000;
    }
}

/// The policy.
pub struct Fixed(Settings);

/// What is kept for a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    limit: u32,
    closed_until: Micros,
}

impl Policy for Fixed {
    const ABOUT: About = weir_sdk::about!();
    type Settings = Settings;

    fn start(settings: Settings, _now: Micros) -> Result<Self, String> {
        Ok(Self(settings))
    }
}

impl Limit for Fixed {
    type State = State;

    fn open(&mut self, _now: Micros, _cell: &Cell, opening: &Opening) -> State {
        let wanted = if self.0.limit > 0 { self.0.limit } else { opening.start };
        let most = if opening.ceiling > 0 { opening.ceiling } else { u32::MAX };
        State { limit: wanted.min(most).max(1), closed_until: Micros::ZERO }
    }

    fn answer(&self, state: &State) -> Answer {
        let closed_until = state.closed_until.0;
        Answer { limit: state.limit, closed_until, ..Answer::default() }
    }

    fn ended(
        &mut self,
        state: &mut State,
        now: Micros,
        _cell: &Cell,
        _attempt: &Attempt,
        ending: &Ending,
    ) -> Answer {
        if let (true, Some(wait)) = (kind::is_throttle(ending.verdict.kind), ending.verdict.wait) {
            state.closed_until = state.closed_until.max(now + Micros(wait));
        }
        self.answer(state)
    }

    fn adopt(&mut self, saved: State, fresh: State) -> State {
        State { closed_until: saved.closed_until, ..fresh }
    }
}

weir_sdk::export!(Fixed: limit);

#[cfg(test)]
mod tests {
    use weir_sdk::testing::LimitBench;

    use super::*;

    #[test]
    fn the_limit_is_the_one_it_opens_with() {
        let mut bench = LimitBench::open::<Fixed>("", 8, 0);
        for _ in 0..10 {
            bench.succeed();
            assert_eq!(bench.throttle(kind::CONCURRENCY).limit, 8);
        }
        assert_eq!(bench.answer().closed_until, 0);
    }

    #[test]
    fn a_set_limit_holds_below_the_ceiling() {
        let bench = LimitBench::open::<Fixed>(r#"{"limit": 12}"#, 8, 0);
        assert_eq!(bench.answer().limit, 12);
        let bench = LimitBench::open::<Fixed>(r#"{"limit": 12}"#, 8, 10);
        assert_eq!(bench.answer().limit, 10);
    }

    #[test]
    fn a_hint_closes_and_only_lengthens() {
        let mut bench = LimitBench::open::<Fixed>("", 8, 0);
        let until = bench.now() + Micros::from_secs(30);
        bench.throttle_for(kind::CONCURRENCY, Micros::from_secs(30));
        assert_eq!(bench.answer().closed_until, until.0);
        bench.throttle_for(kind::CONCURRENCY, Micros::from_secs(2));
        assert_eq!(bench.answer().closed_until, until.0);
    }

    #[test]
    fn a_swap_keeps_the_closure_and_takes_todays_limit() {
        let mut bench = LimitBench::open::<Fixed>("", 8, 0);
        let until = bench.throttle_for(kind::BURST, Micros::from_secs(9)).closed_until;
        bench.swap::<Fixed>(r#"{"limit": 3}"#, 0);
        let answer = bench.succeed();
        assert_eq!((answer.limit, answer.closed_until), (3, until));
    }
}
