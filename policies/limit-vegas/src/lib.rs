//! The queue at the provider, estimated from latency.
//!
//! The rule of Netflix's `VegasLimit`, after TCP Vegas (Brakmo and Peterson, 1995). The least latency seen,
//! `rtt0`, is thought to be that of an idle provider; what a request takes beyond it was spent in a queue:
//!
//! ```text
//! queue = ⌈limit × (1 − rtt0 / latency)⌉        log = max(1, ⌊log10 limit⌋)
//! ```
//!
//! | queue | limit |
//! |---|---|
//! | at most `log` | + `high` × `log` |
//! | below `low` × `log` | + `log` |
//! | above `high` × `log`, or a drop | − `log` |
//! | between | stays |
//!
//! Each success acts, unless less than half of the limit was in use when it was sent. After a random share
//! between a half and all of `probe` × limit successes `rtt0` is taken anew from the next, so that an
//! old best does not hold the limit down for good.
//!
//! A drop is a refusal for load or a time-out; it acts once for each epoch (the `mark`). The latency of what
//! failed is no sample. Each size class has an `rtt0` of its own.
//!
//! Known weakness: where latency varies for other reasons than a queue, as with answers of different
//! lengths, nearly every request is slower than the best one, and the limit stays low. The new `rtt0` lets
//! it rise for a while, without a restart. It is here to compare with; `limit-ceiling` does not look at
//! latency.
//!
//! A hint how long to wait (Retry-After) closes the cell for that long, and a closure only lengthens; the
//! host ramps up afterwards.

use weir_sdk::limit::{Answer, Attempt, Cell, Ending, Limit, Opening};
use weir_sdk::{About, Micros, Policy};

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
        /// Below a queue of so many times `log` the limit grows.
        low: u32 = 3, in 1..=1_000;
        /// Above a queue of so many times `log` the limit falls.
        high: u32 = 6, in 1..=1_000;
        /// The latency of an idle provider is taken anew after at most so many times the limit of successes.
        probe: u32 = 30, in 1..=100_000;
    }
}

/// The policy.
pub struct Vegas(Settings);

impl Policy for Vegas {
    const ABOUT: About = weir_sdk::about!();
    type Settings = Settings;

    fn start(settings: Settings, _now: Micros) -> Result<Self, String> {
        let Settings { floor, most, low, high, .. } = settings;
        for (lower, less, upper, more) in
            [("floor", floor, "most", most), ("low", low, "high", high)]
        {
            if less > more {
                return Err(format!(
                    "setting `{lower}` is {less}, above `{upper}`, which is {more}"
                ));
            }
        }
        Ok(Self(settings))
    }
}

impl Limit for Vegas {
    type State = State;

    fn open(&mut self, _now: Micros, cell: &Cell, opening: &Opening) -> State {
        State::new(&self.0, cell, opening)
    }

    fn answer(&self, state: &State) -> Answer {
        state.answer()
    }

    fn ended(
        &mut self,
        state: &mut State,
        now: Micros,
        _cell: &Cell,
        attempt: &Attempt,
        ending: &Ending,
    ) -> Answer {
        let reason = state.learn(&self.0, now, attempt, ending);
        Answer { reason, ..state.answer() }
    }

    fn adopt(&mut self, saved: State, fresh: State) -> State {
        saved.within(&self.0, &fresh)
    }
}

weir_sdk::export!(Vegas: limit);
