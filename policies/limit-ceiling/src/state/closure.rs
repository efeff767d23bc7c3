//! Until when a cell is closed, and how it opens.

use serde::{Deserialize, Serialize};
use weir_sdk::Micros;

/// How a cell opens after a closure; the more careful comes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) enum Reopen {
    /// With the floor.
    Floor,
    /// By the host's ramp.
    #[default]
    Ramp,
    /// With the whole limit.
    Whole,
}

/// The closure asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Closure {
    until: Micros,
    reopen: Reopen,
}

impl Closure {
    pub(super) fn until(self) -> Micros {
        self.until
    }

    pub(super) fn reopen(self) -> Reopen {
        self.reopen
    }

    /// Closes until then at the least. While it is closed the more careful opening stays.
    pub(super) fn lengthen(&mut self, now: Micros, until: Micros, reopen: Reopen) {
        self.reopen = if now < self.until { self.reopen.min(reopen) } else { reopen };
        self.until = self.until.max(until);
    }
}
