//! How a limit comes back after a closure.

use crate::cell::doubled;
use crate::units::Micros;

/// From `base` when the closure ends, doubling each step without a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ramp {
    opens: Micros,
    step: Micros,
    base: u32,
}

impl Ramp {
    /// From `opens` on.
    pub(crate) fn new(opens: Micros, step: Micros, base: u32) -> Self {
        Self { opens, step: Micros(step.0.max(1)), base: base.max(1) }
    }

    /// When the closure ends.
    pub(crate) fn opens(&self) -> Micros {
        self.opens
    }

    /// What it allows now; the base while the closure lasts.
    pub(crate) fn value(&self, now: Micros) -> u32 {
        u32::try_from(doubled(self.base, self.steps(now))).unwrap_or(u32::MAX)
    }

    /// When it doubles next.
    pub(crate) fn next(&self, now: Micros) -> Micros {
        if now < self.opens {
            return self.opens;
        }
        self.opens.plus(Micros(self.step.0.saturating_mul(self.steps(now) + 1)))
    }

    /// What a closure that still lasts opens with.
    pub(crate) fn rebase(&mut self, now: Micros, base: u32) {
        if now < self.opens {
            self.base = base.max(1);
        }
    }

    /// A refusal: what it allows now begins a step anew.
    pub(crate) fn hold(&mut self, now: Micros) {
        if now >= self.opens {
            *self = Self::new(now, self.step, self.value(now));
        }
    }

    fn steps(&self, now: Micros) -> u64 {
        now.minus(self.opens).0 / self.step.0
    }
}
