//! Refusals by their reason.

use metrics::Counter;
use weir_core::Refusal;

/// A counter for each reason.
pub(crate) struct Refusals {
    by_reason: [Counter; REASONS.len()],
}

const REASONS: [&str; 8] =
    ["full", "not_until", "never", "budget", "expired", "shed", "deadlock", "no_candidate"];

impl Refusals {
    pub(super) fn new(make: impl Fn(&'static str) -> Counter) -> Self {
        Self { by_reason: REASONS.map(make) }
    }

    pub(crate) fn count(&self, refusal: &Refusal) {
        self.by_reason[place(refusal)].increment(1);
    }
}

/// The name of a refusal's reason.
pub(crate) fn reason(refusal: &Refusal) -> &'static str {
    REASONS[place(refusal)]
}

fn place(refusal: &Refusal) -> usize {
    match refusal {
        Refusal::Full { .. } => 0,
        Refusal::NotUntil { .. } => 1,
        Refusal::Never { .. } => 2,
        Refusal::Budget { .. } => 3,
        Refusal::Expired => 4,
        Refusal::Shed { .. } => 5,
        Refusal::Deadlock => 6,
        Refusal::NoCandidate => 7,
    }
}
