//! Falls to one below what was too many, and climbs a notch at a time.
//!
//! A refusal tells how many were in flight when the refused attempt was sent: one fewer may be what the provider
//! takes. So a raise that fails costs one notch, and what works is not halved. A refusal that follows a fall says
//! that the provider takes far fewer than it did; then a quarter goes.
//!
//! While somebody waits the limit is raised by one after a rest. Each refusal doubles the rest, so that a provider
//! whose limit stands still is asked for one more ever more rarely; the second raise in a row halves it, and so
//! does each after it.

use serde::{Deserialize, Serialize};
use weir_sdk::codes::{kind, reason};
use weir_sdk::limit::{Answer, Attempt, Cell, Ending, Limit, Opening};
use weir_sdk::{About, Micros, Policy};

weir_sdk::settings! {
    /// What can be set.
    pub struct Settings {
        /// Milliseconds between two raises at best.
        rest_ms: u64 = 500, in 10..=60_000;
        /// Milliseconds between two raises at worst.
        longest_rest_ms: u64 = 30_000, in 10..=3_600_000;
    }
}

/// The policy.
pub struct Notch {
    best: Micros,
    worst: Micros,
}

/// What is kept for one cell.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct State {
    limit: u32,
    ceiling: u32,
    /// How often it fell. An attempt that began before the last time says nothing new.
    mark: u64,
    /// Between two raises.
    rest: Micros,
    /// No raise before this.
    raise_at: Micros,
    /// The last change was a raise, or there was none.
    climbing: bool,
}

impl Policy for Notch {
    const ABOUT: About = weir_sdk::about!();
    type Settings = Settings;

    fn start(settings: Settings, _now: Micros) -> Result<Self, String> {
        let Settings { rest_ms, longest_rest_ms } = settings;
        if rest_ms > longest_rest_ms {
            return Err(format!(
                "setting `rest_ms` is {rest_ms}, above `longest_rest_ms`, which is {longest_rest_ms}"
            ));
        }
        Ok(Self { best: Micros::from_millis(rest_ms), worst: Micros::from_millis(longest_rest_ms) })
    }
}

impl Notch {
    fn fall(&self, state: &mut State, now: Micros, attempt: &Attempt) {
        let below = attempt.in_flight.min(state.limit).saturating_sub(1);
        let quarter = if state.climbing { 0 } else { state.limit / 4 };
        state.limit = below.min(state.limit - quarter).max(1);
        state.mark += 1;
        state.rest = Micros(state.rest.0.saturating_mul(2)).min(self.worst);
        (state.raise_at, state.climbing) = (now + state.rest, false);
    }

    fn climb(&self, state: &mut State, now: Micros) {
        state.limit += 1;
        if state.climbing {
            state.rest = Micros(state.rest.0 / 2).max(self.best);
        }
        (state.raise_at, state.climbing) = (now + state.rest, true);
    }
}

impl Limit for Notch {
    type State = State;

    fn open(&mut self, now: Micros, _cell: &Cell, opening: &Opening) -> State {
        let ceiling = if opening.ceiling > 0 { opening.ceiling } else { u32::MAX };
        let limit = opening.start.min(ceiling);
        let raise_at = now + self.best;
        State { limit, ceiling, mark: 0, rest: self.best, raise_at, climbing: true }
    }

    fn answer(&self, state: &State) -> Answer {
        Answer { limit: state.limit, mark: state.mark, ..Answer::default() }
    }

    fn ended(
        &mut self,
        state: &mut State,
        now: Micros,
        cell: &Cell,
        attempt: &Attempt,
        ending: &Ending,
    ) -> Answer {
        let wanted = cell.slot_blocked > 0 && cell.effective >= state.limit;
        let mut reason = reason::NONE;
        if kind::teaches_slots(ending.verdict.kind) && attempt.mark == state.mark {
            self.fall(state, now, attempt);
            reason = reason::RATE_LIMITED;
        } else if kind::is_success(ending.verdict.kind)
            && wanted
            && state.limit < state.ceiling
            && now >= state.raise_at
        {
            self.climb(state, now);
            reason = reason::RECOVERED;
        }
        Answer { reason, ..self.answer(state) }
    }

    fn adopt(&mut self, saved: State, fresh: State) -> State {
        let limit = saved.limit.min(fresh.ceiling);
        let rest = saved.rest.clamp(self.best, self.worst);
        State { limit, ceiling: fresh.ceiling, rest, ..saved }
    }
}

weir_sdk::export!(Notch: limit);

#[cfg(test)]
mod tests {
    use weir_sdk::testing::{LimitBench, ending};

    use super::*;

    fn bench(start: u32) -> LimitBench {
        let mut bench = LimitBench::open::<Notch>("", start, 0);
        bench.cell().slot_blocked = 1;
        bench
    }

    #[test]
    fn it_falls_to_one_below_what_was_in_flight_and_once_for_all_of_them() {
        let mut bench = bench(20);
        let sent: Vec<_> = (0..9).map(|_| bench.admit()).collect();
        assert_eq!(bench.end(&sent[8], &ending(kind::CONCURRENCY)).limit, 8);
        assert_eq!(bench.end(&sent[7], &ending(kind::CONCURRENCY)).limit, 8);
    }

    #[test]
    fn a_refusal_after_a_fall_takes_a_quarter() {
        let mut bench = bench(20);
        let sent: Vec<_> = (0..20).map(|_| bench.admit()).collect();
        assert_eq!(bench.end(&sent[19], &ending(kind::CONCURRENCY)).limit, 19);
        assert_eq!(bench.throttle(kind::CONCURRENCY).limit, 15);
    }

    #[test]
    fn it_climbs_after_each_rest_while_somebody_waits() {
        let mut bench = bench(4);
        assert_eq!(bench.succeed().limit, 4, "too early");
        bench.advance(Micros::from_millis(500));
        assert_eq!(bench.succeed().limit, 5);
        bench.advance(Micros::from_millis(500));
        bench.cell().slot_blocked = 0;
        assert_eq!(bench.succeed().limit, 5, "nobody waits");
    }

    #[test]
    fn each_refusal_doubles_the_rest_up_to_the_longest() {
        let mut bench = bench(4);
        bench.throttle(kind::CONCURRENCY);
        bench.advance(Micros::from_millis(999));
        assert_eq!(bench.succeed().limit, 1);
        bench.advance(Micros::from_millis(1));
        assert_eq!(bench.succeed().limit, 2);
        for _ in 0..20 {
            bench.throttle(kind::CONCURRENCY);
        }
        bench.advance(Micros::from_secs(30));
        assert_eq!(bench.succeed().limit, 2);
    }

    #[test]
    fn the_second_raise_in_a_row_halves_the_rest() {
        let mut bench = bench(4);
        let mut after = |millis| {
            bench.advance(Micros::from_millis(millis));
            bench.succeed().limit
        };
        assert_eq!([after(500), after(500), after(499), after(1)], [5, 6, 6, 7]);
        bench.throttle(kind::CONCURRENCY);
        bench.throttle(kind::CONCURRENCY);
        let mut after = |millis| {
            bench.advance(Micros::from_millis(millis));
            bench.succeed().limit
        };
        assert_eq!([after(2_000), after(2_000), after(999), after(1)], [2, 3, 3, 4]);
    }

    #[test]
    fn a_swap_keeps_the_level_under_the_new_ceiling() {
        let mut bench = bench(20);
        bench.swap::<Notch>("", 12);
        assert_eq!(bench.succeed().limit, 12);
    }

    #[test]
    fn rests_that_contradict_each_other_are_refused() {
        let start = weir_sdk::native::limit::<Notch>(r#"{"longest_rest_ms": 100}"#, 0);
        let words = start.err().unwrap();
        assert_eq!(words, "setting `rest_ms` is 500, above `longest_rest_ms`, which is 100");
    }
}
