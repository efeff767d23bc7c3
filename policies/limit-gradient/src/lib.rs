//! The gradient between long-term and recent latency.
//!
//! The rule of Netflix's `Gradient2Limit`. Latency that rises above its long-term mean means that work
//! queues at the provider:
//!
//! ```text
//! gradient = clamp(tolerance × long / short, 0.5, 1)
//! limit    = (1 − smoothing) × limit + smoothing × (gradient × limit + queue)
//! ```
//!
//! `short` is the mean of a window of at least `window_ms` and `samples` successes; `long` is an exponential
//! mean over `memory` successes. When `long` is more than twice `short` it is let down by a twentieth, so
//! that the past of an overload fades. The limit moves only when at least half of it was in use.
//!
//! Where this differs from the original, and why:
//!
//! - **Drops count.** A refusal for load or a time-out multiplies the limit by `drop`, once for each epoch (the
//!   `mark`). The original does not look at drops: refusals that come fast seem a low latency to it, and
//!   the limit climbs while nearly everything is refused.
//! - **No growth while the gradient is below one.** Else a gradient of 0.8 and the queue allowance balance
//!   at a limit far above the level where latency began to rise.
//! - **Time-outs freeze the baseline.** Only successes are samples, and a window in which something timed out
//!   teaches `long` nothing. Else the baseline learns the time-out, and the limit climbs to the most.
//! - **A window waits until it has its samples.** Calls of seconds give fewer than ten a second; a window
//!   that is thrown away for want of samples never moves the limit.
//! - **Sizes are judged apart.** A sample is measured against the mean of its own size class.
//!
//! A hint how long to wait (Retry-After) closes the cell for that long, and a closure only lengthens; the
//! host ramps up afterwards. Latency cannot show a hard limit on concurrency before it refuses: where
//! providers have one, `limit-ceiling` is refused far less often.

use weir_sdk::limit::{Answer, Attempt, Cell, Ending, Limit, Opening};
use weir_sdk::{About, Micros, Policy};

mod baseline;
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
        most: u32 = 200, in 1..=100_000;
        /// Recent latency may be so many times the long-term one before the limit falls.
        tolerance: f64 = 1.5, in 1.0..=10.0;
        /// The weight of the newest window.
        smoothing: f64 = 0.2, in 0.01..=1.0;
        /// How many may queue at the provider.
        queue: u32 = 4, in 1..=1_000;
        /// What a refusal or time-out multiplies the limit by.
        drop: f64 = 0.9, in 0.1..=0.99;
        /// The least length of a window, in milliseconds.
        window_ms: u64 = 1_000, in 1..=600_000;
        /// The least number of successes in a window.
        samples: u32 = 10, in 1..=10_000;
        /// How many successes the long-term mean remembers.
        memory: u32 = 600, in 10..=1_000_000;
    }
}

/// The policy.
pub struct Gradient(Settings);

impl Policy for Gradient {
    const ABOUT: About = weir_sdk::about!();
    type Settings = Settings;

    fn start(settings: Settings, _now: Micros) -> Result<Self, String> {
        let Settings { floor, most, .. } = settings;
        if floor > most {
            return Err(format!("setting `floor` is {floor}, above `most`, which is {most}"));
        }
        Ok(Self(settings))
    }
}

impl Limit for Gradient {
    type State = State;

    fn open(&mut self, now: Micros, _cell: &Cell, opening: &Opening) -> State {
        State::new(&self.0, now, opening)
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

weir_sdk::export!(Gradient: limit);
