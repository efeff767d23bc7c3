//! Additive increase, multiplicative decrease, with epochs and a memory of the level that held.
//!
//! The rule, after TCP's congestion avoidance (Chiu and Jain, 1989), the epoch guard of NVIDIA's DataDesigner
//! and the ceiling memory that Vector's adaptive concurrency lacks:
//!
//! - A refusal for load cuts the limit to `max(floor, ⌊limit × factor⌋)`. It acts only when the attempt was
//!   admitted under the present `mark`; acting opens the next one. A burst of refusals that were all sent
//!   under one limit is one message, not many: the later ones clear the streak and lengthen the closure.
//! - `streak` successes in a row, while somebody waits for a slot and for nothing else, raise the limit by
//!   one, up to the ceiling. The level below is then *proven*: when the probe above it is refused, the limit
//!   falls straight back to it. A refusal at the proven level itself cuts as usual and forgets it.
//!   While the host still ramps up after a closure it is the ramp that they wait for: the limit stays.
//! - A hint how long to wait (Retry-After) closes the cell for that long, and a closure only lengthens. After
//!   one of `pause_ms` at most the cell opens with its whole limit, since the provider only shed what was
//!   too much; after a longer one the host ramps up.
//! - A cell that has been idle for `idle_s` forgets what it learned and returns to the ceiling.
//!
//! What teaches is a refusal that fewer at once would have avoided: `concurrency`, `burst`, `overloaded`, and
//! a bare refusal that names neither window nor scope. Windows of requests and tokens are other cells'
//! business; time-outs, cancels, refused content and failures teach nothing.

use weir_sdk::limit::{Answer, Attempt, Cell, Ending, Limit, Opening};
use weir_sdk::{About, Micros, Policy};

mod state;
#[cfg(test)]
mod tests;

pub use state::State;

weir_sdk::settings! {
    /// What can be set.
    pub struct Settings {
        /// What a refusal multiplies the limit by.
        factor: f64 = 0.75, in 0.1..=0.99;
        /// Successes in a row that raise the limit by one.
        streak: u32 = 4, in 1..=10_000;
        /// The least limit.
        floor: u32 = 1, in 1..=100_000;
        /// The greatest limit; a lower one that was configured for the cell holds. 0 takes 64, or the limit
        /// that the cell opens with where that is more.
        ceiling: u32 = 0, in 0..=100_000;
        /// The longest closure, in milliseconds, after which the cell opens with its whole limit at once.
        pause_ms: u64 = 1_000, in 0..=600_000;
        /// Seconds without a request after which a cell forgets what it learned; 0 never.
        idle_s: u64 = 300, in 0..=86_400;
    }
}

/// The policy.
pub struct Aimd(Settings);

impl Policy for Aimd {
    const ABOUT: About = weir_sdk::about!();
    type Settings = Settings;

    fn start(settings: Settings, _now: Micros) -> Result<Self, String> {
        let Settings { floor, ceiling, .. } = settings;
        if ceiling > 0 && floor > ceiling {
            return Err(format!("setting `floor` is {floor}, above `ceiling`, which is {ceiling}"));
        }
        Ok(Self(settings))
    }
}

impl Limit for Aimd {
    type State = State;

    fn open(&mut self, now: Micros, _cell: &Cell, opening: &Opening) -> State {
        State::new(&self.0, now, opening)
    }

    fn answer(&self, state: &State) -> Answer {
        state.answer(&self.0)
    }

    fn accepted(&mut self, state: &mut State, now: Micros, _: &Cell, _: &Attempt) -> Answer {
        state.touch(now);
        state.answer(&self.0)
    }

    fn ended(
        &mut self,
        state: &mut State,
        now: Micros,
        cell: &Cell,
        attempt: &Attempt,
        ending: &Ending,
    ) -> Answer {
        state.touch(now);
        let reason = state.learn(&self.0, now, cell, attempt, &ending.verdict);
        Answer { reason, ..state.answer(&self.0) }
    }

    fn wake(&mut self, state: &mut State, now: Micros, cell: &Cell) -> Answer {
        let reason = state.rest(&self.0, now, cell);
        Answer { reason, ..state.answer(&self.0) }
    }

    fn adopt(&mut self, saved: State, fresh: State) -> State {
        saved.within(&self.0, &fresh)
    }
}

weir_sdk::export!(Aimd: limit);
