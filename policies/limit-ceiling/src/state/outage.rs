//! Whether the provider still takes work up, as a whole and by size class.

use serde::{Deserialize, Serialize};
use weir_sdk::Micros;
use weir_sdk::limit::Attempt;

use super::closure::Reopen;
use super::{Phase, State};
use crate::Settings;

/// The first closure of an outage.
const FIRST: Micros = Micros::SECOND;

/// A kind of miss.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kind {
    /// How much it counts.
    weight: u32,
    /// The longest closure before the next probe.
    longest: Micros,
}

/// No answer in time.
pub(super) const TIMEOUT: Kind = Kind { weight: 2, longest: Micros::from_secs(15) };

/// An answer that says that the provider failed, or no way to it.
pub(super) const FAILURE: Kind = Kind { weight: 1, longest: Micros::from_secs(5) };

/// Successes and misses by when their attempts were sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Pulse {
    /// The latest that was taken up.
    taken: Micros,
    /// The latest miss.
    missed: Micros,
    /// The weight of misses since the last success that was sent after one of them.
    weight: u32,
}

impl Pulse {
    fn success(&mut self, sent: Micros) {
        self.taken = self.taken.max(sent);
        if sent >= self.missed {
            self.weight = 0;
        }
    }

    /// The weight with this miss; that of a healthy pulse when something sent later has been taken up.
    fn miss(&mut self, sent: Micros, weight: u32) -> u32 {
        if sent <= self.taken {
            return 0;
        }
        self.missed = self.missed.max(sent);
        self.weight = self.weight.saturating_add(weight);
        self.weight
    }
}

/// The pulse of the cell and of each size class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Outage {
    all: Pulse,
    classes: [Pulse; 4],
    /// 0 for no cap.
    caps: [u32; 4],
    /// The next closure; zero outside an outage.
    span: Micros,
}

impl Outage {
    pub(super) fn caps(&self) -> (u32, u32, u32, u32) {
        let [a, b, c, d] = self.caps;
        (a, b, c, d)
    }

    /// An attempt was taken up: a cap of its class doubles, and is dropped at the limit.
    pub(super) fn success(&mut self, attempt: &Attempt, limit: u32) {
        let class = usize::from(attempt.size_class.min(3));
        self.all.success(Micros(attempt.sent));
        self.classes[class].success(Micros(attempt.sent));
        let doubled = self.caps[class].saturating_mul(2);
        self.caps[class] = if doubled < limit { doubled } else { 0 };
    }

    /// Whether the misses mean an outage. Those of one class cap it.
    fn miss(&mut self, attempt: &Attempt, weight: u32, enough: u32) -> bool {
        let class = usize::from(attempt.size_class.min(3));
        let sent = Micros(attempt.sent);
        let of_class = self.classes[class].miss(sent, weight);
        if self.all.miss(sent, weight) >= enough {
            return true;
        }
        if of_class >= enough {
            self.caps[class] = 1;
        }
        false
    }

    /// Forgets counts and caps, but not what was taken up when.
    fn reset(&mut self) {
        self.caps = [0; 4];
        self.span = Micros::ZERO;
        for pulse in self.classes.iter_mut().chain([&mut self.all]) {
            pulse.weight = 0;
        }
    }
}

impl State {
    /// A time-out or failure.
    pub(super) fn miss(&mut self, settings: &Settings, now: Micros, attempt: &Attempt, kind: Kind) {
        if let Phase::Down { .. } = self.phase {
            if attempt.mark == self.mark {
                self.mark += 1;
                self.back_off(now, kind);
            }
        } else if self.outage.miss(attempt, kind.weight, settings.misses) {
            self.go_down(settings, now, kind);
        }
    }

    fn go_down(&mut self, settings: &Settings, now: Micros, kind: Kind) {
        let aim = match self.phase {
            Phase::Climb { aim } => aim,
            _ => self.ceiling,
        };
        self.outage.reset();
        self.mark += 1;
        self.phase = Phase::Down { aim };
        self.limit = settings.floor;
        self.wake = Micros::ZERO;
        self.back_off(now, kind);
    }

    /// Closes until the next probe.
    pub(super) fn back_off(&mut self, now: Micros, kind: Kind) {
        let span = (self.outage.span * 2).max(FIRST).min(kind.longest);
        self.outage.span = span;
        let until = now + self.jittered(span);
        self.closure.lengthen(now, until, Reopen::Floor);
    }

    /// A probe of a dead provider was taken up.
    pub(super) fn recover(&mut self, settings: &Settings, now: Micros, aim: u32) {
        self.outage.reset();
        self.phase = Phase::Climb { aim };
        self.limit = settings.floor.saturating_mul(2).min(aim);
        self.arrive(now);
    }
}
