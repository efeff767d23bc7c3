//! Holds just under the level that failed.
//!
//! A provider that takes `L` requests at once tells so by refusing one more. A rule that cuts by a factor at
//! each refusal and climbs back forgets what it was told: it works at a share of `L` and pays a refusal for
//! every climb. This one remembers the level that failed as a *ceiling*, stays there, and looks above it on
//! a timer. It finds `L` in a few service times, then spends one refusal per look.
//!
//! # Levels
//!
//! - **Climb** (slow start, Jacobson 1988). Each success that was sent while the limit was full, and with others
//!   waiting, raises the limit by one, at most e-fold in `climb_ms`, so that the refusals on their way
//!   when the level is passed stay few. A refusal ends it: the ceiling is one less than what was in
//!   flight when the refused attempt was sent.
//! - **Hold**. The limit is the ceiling for `hold_ms`, jittered downward by up to a fifth.
//! - **Probe**. After the hold, and only while requests wait for slots, the limit is the ceiling and a
//!   step. A success that was sent above the ceiling proves its level. When the whole step is proven it doubles,
//!   up to a quarter of the ceiling, the hold halves, and the next probe goes out at once. A refused probe
//!   falls back to what is proven; the step is one again and the hold doubles, up to `longest_hold_ms`.
//! - **Fall**. A refusal at or below the ceiling means that capacity fell: the limit and ceiling are
//!   multiplied by `fall`. Further ones in a row, without a success in between, multiply by 0.8; from the
//!   fourth on the *brake* also closes the cell for 1 s, doubling to 5 s, and what was lost is then
//!   climbed for, not probed for.
//!
//! Refusals act once for each epoch (the `mark`, after NVIDIA's DataDesigner): those of attempts that were
//! admitted before the last one acted are one message with it. What counts as a success is the first news
//! that the provider took an attempt up, its headers or its end, so that long streams teach early.
//!
//! # Outages
//!
//! A time-out, failure of the provider or broken connection is a *miss* when nothing that was sent later
//! has been taken up. So single time-outs beside healthy traffic never count, however many there are. When
//! misses add up to `misses` without a success (a time-out weighs two) the provider counts as dead: the limit
//! is the floor, and the cell closes for 1 s and opens for a probe, doubling to 5 s for failures and 15 s
//! for time-outs. The first success of a probe begins a climb to the old level.
//!
//! Short and long requests are judged apart: when the misses of one size class add up while others
//! succeed, that class alone is capped at one, and its cap doubles with each of its successes.
//!
//! # Hints
//!
//! Retry-After closes the cell for that long; a closure only lengthens. After one of `pause_ms` at most the
//! whole limit opens, since the provider only shed what was too much. After a longer one the host ramps up
//! to the same limit: the provider spoke of time, not of a level, so the first such refusal at a level that
//! has held cuts nothing, until the level has held again.
//!
//! # What teaches
//!
//! Refusals that fewer at once would have avoided: `concurrency`, `burst`, `overloaded`, and a bare one that
//! names neither window nor scope. Windows of requests and tokens are other cells' business; cancels, callers'
//! deadlines, refused content and other keys' errors teach nothing.

use weir_sdk::limit::{Answer, Attempt, Cell, Ending, Limit, Opening};
use weir_sdk::{About, Micros, Policy};

mod jitter;
mod state;
#[cfg(test)]
mod tests;

pub use state::State;

weir_sdk::settings! {
    /// What can be set.
    pub struct Settings {
        /// The least limit.
        floor: u32 = 1, in 1..=100_000;
        /// The greatest limit; a lower one that was configured for the cell holds.
        most: u32 = 1_000, in 1..=100_000;
        /// What the first refusal at a level that has held multiplies it by.
        fall: f64 = 0.9, in 0.1..=0.99;
        /// The least time, in milliseconds, in which a climb multiplies the limit by e.
        climb_ms: u64 = 1_000, in 1..=600_000;
        /// The first hold at a new ceiling, in milliseconds.
        hold_ms: u64 = 15_000, in 1..=600_000;
        /// The hold that successful probes shorten it to, in milliseconds.
        shortest_hold_ms: u64 = 5_000, in 1..=600_000;
        /// The hold that refused probes lengthen it to, in milliseconds.
        longest_hold_ms: u64 = 30_000, in 1..=600_000;
        /// The longest closure, in milliseconds, after which the cell opens with its whole limit at once.
        pause_ms: u64 = 1_000, in 0..=600_000;
        /// Misses without a success that mean an outage; a time-out weighs two, any other failure one.
        misses: u32 = 6, in 1..=10_000;
    }
}

/// The policy.
pub struct Ceiling(Settings);

impl Policy for Ceiling {
    const ABOUT: About = weir_sdk::about!();
    type Settings = Settings;

    fn start(settings: Settings, _now: Micros) -> Result<Self, String> {
        let Settings { floor, most, hold_ms, shortest_hold_ms, longest_hold_ms, .. } = settings;
        if floor > most {
            return Err(format!("setting `floor` is {floor}, above `most`, which is {most}"));
        }
        if !(shortest_hold_ms..=longest_hold_ms).contains(&hold_ms) {
            return Err(format!(
                "setting `hold_ms` is {hold_ms}; it must be at least `shortest_hold_ms`, which is \
                 {shortest_hold_ms}, and at most `longest_hold_ms`, which is {longest_hold_ms}"
            ));
        }
        Ok(Self(settings))
    }
}

impl Limit for Ceiling {
    type State = State;

    fn open(&mut self, _now: Micros, cell: &Cell, opening: &Opening) -> State {
        State::new(&self.0, cell, opening)
    }

    fn answer(&self, state: &State) -> Answer {
        state.answer(&self.0)
    }

    fn accepted(
        &mut self,
        state: &mut State,
        now: Micros,
        cell: &Cell,
        attempt: &Attempt,
    ) -> Answer {
        let before = state.limit();
        state.success(&self.0, now, cell, attempt);
        state.report(&self.0, before)
    }

    fn ended(
        &mut self,
        state: &mut State,
        now: Micros,
        cell: &Cell,
        attempt: &Attempt,
        ending: &Ending,
    ) -> Answer {
        let before = state.limit();
        state.learn(&self.0, now, cell, attempt, ending);
        state.report(&self.0, before)
    }

    fn wake(&mut self, state: &mut State, now: Micros, cell: &Cell) -> Answer {
        let before = state.limit();
        state.wake(now, cell);
        state.report(&self.0, before)
    }

    fn adopt(&mut self, saved: State, fresh: State) -> State {
        saved.within(&self.0, &fresh)
    }
}

weir_sdk::export!(Ceiling: limit);
