//! A modelled provider: what it takes, how long it works, and what goes wrong.
//!
//! A request is looked at when it comes: a fault may strike it, then the slots, then the windows. It takes all that it
//! needs or nothing. Input is counted at once. Of output a joint window counts what the request allows and
//! gives back what was not made, as OpenAI does; an output window counts what is made, as Anthropic does, so
//! that it can be overdrawn.

mod window;
mod wire;

use weir_core::units::Micros;
use weir_core::{Facts, Response};

use self::window::State;
pub(crate) use self::wire::Refusal;
use crate::chance::{Chance, Stream};
use crate::record::Fate;
use crate::scenario::{Counted, Dist, Failing, Provider as Plan};

/// A provider as it stands.
pub(crate) struct Provider {
    pub(crate) plan: Plan,
    concurrency: Option<u32>,
    in_flight: u32,
    per_model: Vec<u32>,
    windows: Vec<State>,
    chance: Chance,
    next_change: usize,
}

/// What a request is like to a provider.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    pub(crate) model: usize,
    pub(crate) input: u64,
    pub(crate) output: u64,
    /// The most output that it allows.
    pub(crate) allowed: u64,
    /// How far its service lies from the middle, in deviations.
    pub(crate) luck: f64,
    /// How long it takes, if the demand says.
    pub(crate) service: Option<Dist>,
}

/// What a provider does with a request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Reply {
    /// It works: headers and end after such spans.
    Works { accepted: Micros, ended: Micros },
    /// It takes the request and is silent.
    Silent,
    /// It refuses, after a span.
    Refuses { refusal: Refusal, after: Micros, fate: Fate },
    /// The connection breaks after a span.
    Breaks { after: Micros },
    /// There is no connection.
    Unreachable { after: Micros },
}

/// What an attempt holds at a provider until it leaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Taken {
    slot: bool,
    model: usize,
    /// Of a joint window, for output.
    reserved: u64,
}

impl Provider {
    pub(crate) fn new(plan: &Plan, place: usize, seed: u64) -> Self {
        Self {
            concurrency: plan.concurrency,
            in_flight: 0,
            per_model: vec![0; plan.models.len()],
            windows: plan.windows.iter().map(State::new).collect(),
            chance: Chance::new(seed, Stream::Faults(place)),
            next_change: 0,
            plan: plan.clone(),
        }
    }

    /// What it takes at once now; `u32::MAX`: any number.
    pub(crate) fn hidden(&mut self, now: Micros) -> u32 {
        while let Some(change) = self.plan.changes.get(self.next_change).filter(|c| c.at <= now) {
            self.concurrency = Some(change.concurrency);
            self.next_change += 1;
        }
        self.concurrency.unwrap_or(u32::MAX)
    }

    /// What it works on now.
    pub(crate) const fn in_flight(&self) -> u32 {
        self.in_flight
    }

    /// A request comes.
    pub(crate) fn ask(&mut self, now: Micros, asked: Asked) -> (Reply, Taken) {
        let mut slow = 1.0;
        if let Some((what, until)) = self.struck(now, asked.model) {
            match what {
                Failing::Slow(factor) => slow = factor,
                Failing::Hang => return (Reply::Silent, self.occupy(asked.model)),
                other => return (self.fails(now, other, until), Taken::default()),
            }
        }
        match self.lacks(now, asked) {
            Some(refusal) => {
                let fate = match refusal {
                    Refusal::TooMany { .. } => Fate::TooMany,
                    _ => Fate::Window,
                };
                (Reply::Refuses { refusal, after: self.plan.refusal, fate }, Taken::default())
            }
            None => self.takes(now, asked, slow),
        }
    }

    /// An attempt leaves, having made so much output.
    pub(crate) fn leave(&mut self, now: Micros, taken: Taken, output: u64) {
        if !taken.slot {
            return;
        }
        self.in_flight = self.in_flight.saturating_sub(1);
        if let Some(count) = self.per_model.get_mut(taken.model) {
            *count = count.saturating_sub(1);
        }
        for window in self.windows.iter_mut().filter(|window| window.is_for(taken.model)) {
            match window.counts() {
                Counted::Output => window.take(now, signed(output)),
                Counted::Tokens => window.take(now, signed(output) - signed(taken.reserved)),
                Counted::Requests | Counted::Input => {}
            }
        }
    }

    /// A parent gives its slot up while it waits for its children.
    pub(crate) fn park(&mut self, taken: Taken) {
        self.in_flight = self.in_flight.saturating_sub(u32::from(taken.slot));
        if let Some(count) = self.per_model.get_mut(taken.model).filter(|_| taken.slot) {
            *count = count.saturating_sub(1);
        }
    }

    /// It goes on: its host keeps the limit.
    pub(crate) fn unpark(&mut self, taken: Taken) {
        self.in_flight += u32::from(taken.slot);
        if let Some(count) = self.per_model.get_mut(taken.model) {
            *count += u32::from(taken.slot);
        }
    }

    /// A refusal as the core is told of it.
    pub(crate) fn response(&mut self, now: Micros, model: usize, refusal: Refusal) -> Response {
        let name = self.plan.models.get(model).map_or("", String::as_str);
        wire::response(self.plan.kind, name, now, refusal, &mut self.windows, model)
    }

    /// What the headers of an answer say.
    pub(crate) fn facts(&mut self, now: Micros, model: usize) -> Facts {
        if !self.plan.headers || self.windows.is_empty() {
            return Facts::default();
        }
        wire::facts(now, &mut self.windows, model)
    }

    /// The first fault in force that strikes a request, and when that ends.
    fn struck(&mut self, now: Micros, model: usize) -> Option<(Failing, Micros)> {
        let mut struck = None;
        for fault in &self.plan.faults {
            let on = (fault.from..fault.until).contains(&now);
            let here = fault.models.is_empty() || fault.models.contains(&model);
            // Every fault in force draws, so that one of them leaves the luck of the next alone.
            if on && here && self.chance.even() < fault.share && struck.is_none() {
                struck = Some((fault.what, fault.until));
            }
        }
        struck
    }

    fn fails(&self, now: Micros, what: Failing, until: Micros) -> Reply {
        let after = self.plan.refusal;
        match what {
            Failing::Error { status, retry_after } => Reply::Refuses {
                refusal: Refusal::Error { status, retry_after },
                after,
                fate: if matches!(status, 429 | 503 | 529) { Fate::Throttled } else { Fate::Error },
            },
            Failing::Throttle { retry_after } => Reply::Refuses {
                refusal: Refusal::Throttle { wait: retry_after.unwrap_or(until.minus(now)) },
                after,
                fate: Fate::Throttled,
            },
            Failing::Reset => Reply::Breaks { after },
            Failing::Unreachable | Failing::Hang | Failing::Slow(_) => Reply::Unreachable { after },
        }
    }

    /// What keeps it from taking a request.
    fn lacks(&mut self, now: Micros, asked: Asked) -> Option<Refusal> {
        let own = self.plan.per_model.get(asked.model).copied().flatten().unwrap_or(u32::MAX);
        let of_model = self.per_model.get(asked.model).copied().unwrap_or(0);
        if self.in_flight >= self.hidden(now) || of_model >= own {
            return Some(Refusal::TooMany { retry_after: self.plan.retry_after });
        }
        let mut worst: Option<Refusal> = None;
        for window in self.windows.iter_mut().filter(|window| window.is_for(asked.model)) {
            let amount = match window.counts() {
                Counted::Requests | Counted::Output => 1,
                Counted::Tokens => asked.input + asked.allowed,
                Counted::Input => asked.input,
            };
            let Some(wait) = window.wait(now, amount) else { continue };
            if !matches!(worst, Some(Refusal::Window { wait: longest, .. }) if longest >= wait) {
                let (counts, limit) = (window.counts(), window.limit());
                worst = Some(Refusal::Window { counts, limit, wait });
            }
        }
        worst
    }

    fn takes(&mut self, now: Micros, asked: Asked, slow: f64) -> (Reply, Taken) {
        let mut taken = self.occupy(asked.model);
        for window in self.windows.iter_mut().filter(|window| window.is_for(asked.model)) {
            let amount = match window.counts() {
                Counted::Requests => 1,
                Counted::Input => asked.input,
                Counted::Tokens => {
                    taken.reserved = asked.allowed;
                    asked.input + asked.allowed
                }
                Counted::Output => 0,
            };
            window.take(now, signed(amount));
        }
        let service = asked.service.unwrap_or(self.plan.service);
        let base = service.span(asked.luck).0 as f64 * slow * self.loaded();
        let (accepted, ended) = match self.plan.token_rate {
            Some(rate) => (base, base + asked.output as f64 / rate * 1e6 * slow * self.loaded()),
            None => (base * self.plan.accepts, base),
        };
        (Reply::Works { accepted: Micros(accepted as u64), ended: Micros(ended as u64) }, taken)
    }

    fn occupy(&mut self, model: usize) -> Taken {
        self.in_flight += 1;
        if let Some(count) = self.per_model.get_mut(model) {
            *count += 1;
        }
        Taken { slot: true, model, reserved: 0 }
    }

    /// How many times as long it takes under its load.
    fn loaded(&self) -> f64 {
        self.plan.load.map_or(1.0, |load| {
            let above = self.in_flight.saturating_sub(load.free);
            1.0 + load.slope * f64::from(above) / f64::from(load.free)
        })
    }
}

fn signed(amount: u64) -> i64 {
    i64::try_from(amount).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
