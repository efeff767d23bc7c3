//! A provider with a hidden limit.

use weir_sdk::Micros;

use crate::chance::Chance;

/// When the headers of an answer come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Headers {
    /// Soon, as those of a stream do.
    Early,
    /// With the end.
    Late,
}

/// How it behaves; a test changes it between two spans of time.
#[derive(Clone, Debug)]
pub(crate) struct Provider {
    /// It takes so many at once.
    pub(crate) level: u32,
    /// Service time: mean in seconds, and the sigma of its logarithm.
    pub(crate) service: (f64, f64),
    pub(crate) headers: Headers,
    /// The gateway gives up after so long.
    pub(crate) patience: Micros,
    /// The share that is never answered.
    pub(crate) lost: f64,
    /// Nothing is answered.
    pub(crate) dead: bool,
    /// Until then it refuses all, and says so.
    pub(crate) shut: Micros,
    /// At work now.
    pub(crate) running: u32,
}

/// What comes of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Refused { hint: Option<Micros> },
    Served { headers: Micros, end: Micros },
    Silence,
}

/// How long a refusal takes.
pub(crate) const REFUSAL: Micros = Micros::from_millis(50);

impl Provider {
    /// Of a level, with a mean service time of 2 s.
    pub(crate) fn new(level: u32) -> Self {
        Self {
            level,
            service: (2.0, 0.8),
            headers: Headers::Early,
            patience: Micros::from_secs(600),
            lost: 0.0,
            dead: false,
            shut: Micros::ZERO,
            running: 0,
        }
    }

    pub(crate) fn take(&mut self, now: Micros, chance: &mut Chance) -> Fate {
        if self.dead {
            return Fate::Silence;
        }
        if now < self.shut {
            return Fate::Refused { hint: Some(self.shut - now) };
        }
        if self.running >= self.level {
            return Fate::Refused { hint: None };
        }
        self.running += 1;
        if chance.unit() < self.lost {
            return Fate::Silence;
        }
        let (mean, sigma) = self.service;
        let end = chance.lognormal(mean, sigma);
        let headers = match self.headers {
            Headers::Early => chance.lognormal(0.3, 0.5).min(end),
            Headers::Late => end,
        };
        Fate::Served { headers, end }
    }

    pub(crate) fn release(&mut self) {
        self.running -= 1;
    }
}
