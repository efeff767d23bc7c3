//! Halves the limit at each refusal, and climbs by one after some successes in a row.
//!
//! What it is told and what it may answer stands in `sdk/wit/limit.wit`.

use serde::{Deserialize, Serialize};
use weir_sdk::codes::{kind, reason};
use weir_sdk::limit::{Answer, Attempt, Cell, Ending, Limit, Opening};
use weir_sdk::{About, Micros, Policy};

weir_sdk::settings! {
    /// What can be set.
    pub struct Settings {
        /// Successes in a row that raise the limit by one.
        streak: u32 = 8, in 1..=1_000;
    }
}

/// The policy.
pub struct Halving(Settings);

/// What is kept for one cell: the host saves it, and hands it to the next version.
#[derive(Serialize, Deserialize)]
pub struct State {
    limit: u32,
    ceiling: u32,
    streak: u32,
    /// How often it was halved. An attempt that began before the last time says nothing new.
    mark: u64,
}

impl Policy for Halving {
    const ABOUT: About = weir_sdk::about!();
    type Settings = Settings;

    fn start(settings: Settings, _now: Micros) -> Result<Self, String> {
        Ok(Self(settings))
    }
}

impl Limit for Halving {
    type State = State;

    fn open(&mut self, _now: Micros, _cell: &Cell, opening: &Opening) -> State {
        let ceiling = if opening.ceiling > 0 { opening.ceiling } else { u32::MAX };
        State { limit: opening.start, ceiling, streak: 0, mark: 0 }
    }

    fn answer(&self, state: &State) -> Answer {
        Answer { limit: state.limit, mark: state.mark, ..Answer::default() }
    }

    fn ended(
        &mut self,
        state: &mut State,
        _now: Micros,
        cell: &Cell,
        attempt: &Attempt,
        ending: &Ending,
    ) -> Answer {
        let mut reason = reason::NONE;
        if kind::teaches_slots(ending.verdict.kind) && attempt.mark == state.mark {
            (state.limit, state.streak) = ((state.limit / 2).max(1), 0);
            state.mark += 1;
            reason = reason::RATE_LIMITED;
        } else if kind::is_success(ending.verdict.kind) {
            state.streak += 1;
            let wanted = cell.slot_blocked > 0 && state.limit < state.ceiling;
            if state.streak >= self.0.streak && wanted {
                (state.limit, state.streak) = (state.limit + 1, 0);
                reason = reason::RECOVERED;
            }
        }
        Answer { reason, ..self.answer(state) }
    }
}

weir_sdk::export!(Halving: limit);

#[cfg(test)]
mod tests {
    use weir_sdk::testing::{LimitBench, ending};

    use super::*;

    #[test]
    fn a_refusal_halves_it_once_whatever_else_was_on_its_way() {
        let mut bench = LimitBench::open::<Halving>("", 8, 0);
        let (first, second) = (bench.admit(), bench.admit());
        assert_eq!(bench.end(&first, &ending(kind::CONCURRENCY)).limit, 4);
        assert_eq!(bench.end(&second, &ending(kind::CONCURRENCY)).limit, 4);
        assert_eq!(bench.throttle(kind::CONCURRENCY).limit, 2);
    }

    #[test]
    fn successes_raise_it_while_somebody_waits() {
        let mut bench = LimitBench::open::<Halving>(r#"{"streak": 2}"#, 8, 9);
        bench.succeed();
        assert_eq!(bench.succeed().limit, 8, "nobody waits");
        bench.cell().slot_blocked = 1;
        assert_eq!(bench.succeed().limit, 9);
        bench.succeed();
        assert_eq!(bench.succeed().limit, 9, "the ceiling");
    }
}
