//! The policy that each slot's project starts with.

#![cfg_attr(test, allow(unreachable_pub, reason = "a project exports its policy"))]

use weir_core::Slot;

// Compiled and tested here as they stand, so that none goes out that does not work.
#[cfg(test)]
mod classify;
#[cfg(test)]
mod fanout;
#[cfg(test)]
mod limit;
#[cfg(test)]
mod priority;
#[cfg(test)]
mod retry;
#[cfg(test)]
mod route;
#[cfg(test)]
mod schedule;

/// A whole policy with its tests, to be changed into another.
pub(super) struct Start {
    /// One sentence for the manifest, which `weir policy list` and `check` show.
    pub(super) summary: &'static str,
    /// Its source.
    pub(super) source: &'static str,
}

/// The start of a slot.
pub(super) const fn start(slot: Slot) -> Start {
    let (summary, source) = match slot {
        Slot::Priority => (
            "Short requests before long ones, within their class.",
            include_str!("slots/priority.rs"),
        ),
        Slot::Schedule => {
            ("First in, first out, with a line for each lane.", include_str!("slots/schedule.rs"))
        }
        Slot::Limit => (
            "Halves the limit at each refusal, and climbs by one after some successes in a row.",
            include_str!("slots/limit.rs"),
        ),
        Slot::Classify => {
            ("Reads a refusal by its status, 420 included.", include_str!("slots/classify.rs"))
        }
        Slot::Retry => (
            "A few more times, after waits that grow and are drawn by chance.",
            include_str!("slots/retry.rs"),
        ),
        Slot::Route => (
            "The cheapest candidate that is not slow, then the others by price.",
            include_str!("slots/route.rs"),
        ),
        Slot::Fanout => (
            "A few children at a time, each with an even part of what is left.",
            include_str!("slots/fanout.rs"),
        ),
    };
    Start { summary, source }
}
