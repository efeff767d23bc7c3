//! Weighted deficit round robin over tenants, then over the sessions of a tenant.
//!
//! After Shreedhar and Varghese (1995), with the changes that a cost known only afterwards asks for:
//!
//! - A flow is served while its deficit is above zero, and is charged when an item *started*, never when it was
//!   picked. Corrections (`charged`) follow while output is produced. Debt is kept, so a flow that understates
//!   what it needs pays later; this is the settlement rule of VTC (Sheng and others, 2024).
//! - A flow that has nothing to wait for gains no credit. Rounds that pass meanwhile pay its debt, and no more:
//!   it comes back with what it still owes, or with nothing.
//! - Rounds in which nobody could be served are not gone through one by one: each flow knows the round in
//!   which its deficit turns positive, and the earliest is served. A pick costs a few look-ups in ordered maps,
//!   whatever waits and whatever is owed.
//!
//! - What the host starts without a pick, because there was nothing to choose, is charged too. When nobody else
//!   waits the rounds pass meanwhile, so that no debt is left of what nobody else wanted.
//!
//! Within a tenant the more urgent class goes first, with aging; between sessions of one class the round
//! robin decides; within a session rank, arrival and id. A class orders a tenant's own requests and takes
//! nothing from another tenant's share. One state serves all lanes of a group, so shares hold across them.

use weir_sdk::schedule::{Schedule, Shares, Units};
use weir_sdk::types::GroupId;
use weir_sdk::{About, Micros, Policy};

mod account;
mod rounds;
#[cfg(test)]
mod tests;

pub use account::Account;
pub use rounds::Rounds;

weir_sdk::settings! {
    /// What can be set.
    pub struct Settings {
        /// Units of work that a flow of weight 1 is given in a round. No more than a small request: a flow whose
        /// credit is used up waits until each of the others has used its own.
        quantum: u32 = 100, in 1..=10_000_000;
        /// Units that an input token counts as.
        input: u32 = 1, in 0..=1_000;
        /// Units that an output token counts as.
        output: u32 = 2, in 0..=1_000;
        /// Units that a request without any tokens counts as; 0 counts it as a quantum.
        request: u32 = 0, in 0..=10_000_000;
        /// How many tenants, and how many sessions of each, are looked at for an item that may pass a held
        /// head.
        look: u32 = 16, in 1..=64;
    }
}

/// The policy.
pub struct Drr(Settings);

impl Policy for Drr {
    const ABOUT: About = weir_sdk::about!();
    type Settings = Settings;

    fn start(settings: Settings, _now: Micros) -> Result<Self, String> {
        if settings.input == 0 && settings.output == 0 {
            return Err("settings `input` and `output` are both 0; tokens must count".to_owned());
        }
        Ok(Self(settings))
    }
}

impl Schedule for Drr {
    type Group = Shares<Rounds>;

    fn group(&self, _id: GroupId) -> Shares<Rounds> {
        let Settings { quantum, input, output, request, look } = self.0;
        let request = if request == 0 { quantum } else { request };
        Shares::new(Rounds::new(quantum), Units { request, input, output }, look as usize)
    }
}

weir_sdk::export!(Drr: schedule);
