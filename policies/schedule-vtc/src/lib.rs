//! Virtual token counters over tenants, then over the sessions of a tenant.
//!
//! After Sheng and others, "Fairness in Serving Large Language Models" (OSDI 2024), with weights:
//!
//! - A counter says what a flow has been given: input tokens when an item *started*, output as it is produced
//!   (`charged`; a reservation that was not used is given back), each times its factor and divided by the
//!   flow's weight. The least counter goes first. No estimate has to be right: what was understated shows in
//!   the counter later.
//! - A flow that comes back starts at the greater of its own counter and the least of those that wait. It keeps
//!   its debt, and idleness has earned nothing. When nobody waits, the counter of whoever had the last turn
//!   stands for the least, as it was before that turn.
//! - One state serves all lanes, and a lane may be closed for long. Who waits there falls behind, and would
//!   then be served alone until it is level; so a turn lifts a counter to at most `lag` behind the front.
//! - What the host starts without a pick, because there was nothing to choose, is charged too, as if it had
//!   come and gone.
//!
//! Within a tenant the more urgent class goes first, with aging; between sessions of one class their counters
//! decide; within a session rank, arrival and id. A class orders a tenant's own requests and takes nothing
//! from another tenant's share. A pick costs a few look-ups in ordered maps, whatever waits.
//!
//! Against deficit round robin: no quantum to choose and no turns in rounds, so that service follows the
//! weights more closely; and who owes much is passed over until the others have caught up, whatever a round is.

use weir_sdk::schedule::{Schedule, Shares, Units};
use weir_sdk::types::GroupId;
use weir_sdk::{About, Micros, Policy};

mod counter;
#[cfg(test)]
mod tests;

pub use counter::{Counter, Counters};

weir_sdk::settings! {
    /// What can be set.
    pub struct Settings {
        /// Units that an input token counts as.
        input: u32 = 1, in 0..=1_000;
        /// Units that an output token counts as.
        output: u32 = 2, in 0..=1_000;
        /// Units that a request without any tokens counts as.
        request: u32 = 100, in 1..=10_000_000;
        /// Units for each unit of weight that a flow may be behind the front when it has its turn. More than
        /// the reservations of its requests in flight.
        lag: u64 = 1_000_000, in 1_000..=1_000_000_000_000;
        /// How many tenants, and how many sessions of each, are looked at for an item that may pass a held
        /// head.
        look: u32 = 16, in 1..=64;
    }
}

/// The policy.
pub struct Vtc(Settings);

impl Policy for Vtc {
    const ABOUT: About = weir_sdk::about!();
    type Settings = Settings;

    fn start(settings: Settings, _now: Micros) -> Result<Self, String> {
        if settings.input == 0 && settings.output == 0 {
            return Err("settings `input` and `output` are both 0; tokens must count".to_owned());
        }
        Ok(Self(settings))
    }
}

impl Schedule for Vtc {
    type Group = Shares<Counters>;

    fn group(&self, _id: GroupId) -> Shares<Counters> {
        let Settings { input, output, request, lag, look } = self.0;
        let counters = Counters::new(i64::try_from(lag).unwrap_or(i64::MAX));
        Shares::new(counters, Units { request, input, output }, look as usize)
    }
}

weir_sdk::export!(Vtc: schedule);
