//! What is kept for one cell.

use serde::{Deserialize, Serialize};
use weir_sdk::Micros;
use weir_sdk::codes::{deadline, kind, reason, scope};
use weir_sdk::limit::{Answer, Attempt, Ending, Opening};
use weir_sdk::types::Verdict;

use crate::Settings;
use crate::baseline::Baseline;

/// The gradient never takes away more than half.
const STEEPEST: f64 = 0.5;

/// What is kept for one cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    limit: f64,
    most: u32,
    baselines: [Baseline; 4],
    window: Window,
    /// The epoch: how many drops have acted.
    mark: u64,
    closed_until: Micros,
}

/// Successes since it began.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Window {
    since: Micros,
    /// Each with its size class.
    latencies: Vec<(u8, Micros)>,
    /// The most in flight when one of them was sent.
    in_flight: u32,
    timed_out: bool,
}

impl Window {
    fn new(since: Micros) -> Self {
        Self { since, latencies: Vec::new(), in_flight: 0, timed_out: false }
    }
}

impl State {
    pub(crate) fn new(settings: &Settings, now: Micros, opening: &Opening) -> Self {
        let configured = if opening.ceiling > 0 { opening.ceiling } else { u32::MAX };
        let most = settings.most.min(configured).max(settings.floor);
        Self {
            limit: f64::from(opening.start.clamp(settings.floor, most)),
            most,
            baselines: [Baseline::default(); 4],
            window: Window::new(now),
            mark: 0,
            closed_until: Micros::ZERO,
        }
    }

    pub(crate) fn answer(&self) -> Answer {
        Answer {
            limit: self.limit as u32,
            closed_until: self.closed_until.0,
            mark: self.mark,
            ..Answer::default()
        }
    }

    /// Learns from an end; the reason code of what changed.
    pub(crate) fn learn(
        &mut self,
        settings: &Settings,
        now: Micros,
        attempt: &Attempt,
        ending: &Ending,
    ) -> u16 {
        let before = self.limit as u32;
        let verdict = &ending.verdict;
        let why = match verdict.kind {
            kind::SUCCESS => {
                self.sample(settings, now, attempt, Micros(ending.latency));
                reason::LATENCY
            }
            kind::TIMEOUT if ending.deadline != deadline::CLIENT => {
                self.window.timed_out = true;
                self.dropped(settings, attempt);
                reason::LATENCY
            }
            _ if teaches(verdict) => {
                let wait = Micros(verdict.wait.unwrap_or(0));
                if wait > Micros::ZERO {
                    self.closed_until = self.closed_until.max(now + wait);
                }
                self.dropped(settings, attempt);
                reason::RATE_LIMITED
            }
            _ => reason::NONE,
        };
        if self.limit as u32 == before { reason::NONE } else { why }
    }

    /// Multiplies the limit, once for each epoch.
    fn dropped(&mut self, settings: &Settings, attempt: &Attempt) {
        if attempt.mark == self.mark {
            self.mark += 1;
            self.limit = self.bounded(settings, (self.limit * settings.drop).floor());
        }
    }

    /// Takes a success in, and moves the limit when that fills a window.
    fn sample(&mut self, settings: &Settings, now: Micros, attempt: &Attempt, latency: Micros) {
        if attempt.mark != self.mark {
            return;
        }
        let window = &mut self.window;
        if window.latencies.len() < settings.samples.max(1_000) as usize {
            window.latencies.push((attempt.size_class.min(3), latency));
        }
        window.in_flight = window.in_flight.max(attempt.in_flight);
        let long_enough = now - window.since >= Micros::from_millis(settings.window_ms);
        if long_enough && window.latencies.len() >= settings.samples as usize {
            let full = std::mem::replace(window, Window::new(now));
            self.moved(settings, &full);
        }
    }

    /// Moves the limit by a full window.
    fn moved(&mut self, settings: &Settings, window: &Window) {
        let ratio = self.ratio(window);
        if !window.timed_out {
            for (class, latency) in &window.latencies {
                self.baselines[usize::from(*class)].add(*latency, settings.memory);
            }
            if ratio < STEEPEST {
                self.baselines.iter_mut().for_each(Baseline::fade);
            }
        }
        if f64::from(window.in_flight) * 2.0 < self.limit {
            return;
        }
        let gradient = (settings.tolerance / ratio).clamp(STEEPEST, 1.0);
        let wanted = gradient * self.limit + f64::from(settings.queue);
        let next = self.limit + settings.smoothing * (wanted - self.limit);
        let next = if gradient < 1.0 { next.min(self.limit) } else { next };
        self.limit = self.bounded(settings, next);
    }

    /// Recent latency by the long-term one, averaged over the samples of a window.
    fn ratio(&self, window: &Window) -> f64 {
        let of =
            |(class, latency): &(u8, Micros)| self.baselines[usize::from(*class)].ratio(*latency);
        let sum: f64 = window.latencies.iter().map(of).sum();
        // A latency of nothing is no reason to divide by it.
        (sum / window.latencies.len().max(1) as f64).max(1e-3)
    }

    fn bounded(&self, settings: &Settings, limit: f64) -> f64 {
        limit.clamp(f64::from(settings.floor), f64::from(self.most))
    }

    /// Held to the bounds that a freshly opened state has.
    pub(crate) fn within(self, settings: &Settings, fresh: &Self) -> Self {
        let limit = fresh.bounded(settings, self.limit);
        Self { limit, most: fresh.most, ..self }
    }
}

/// Whether fewer at once would have avoided it.
fn teaches(verdict: &Verdict) -> bool {
    let bare = verdict.kind == kind::REQUEST_WINDOW && verdict.scope == scope::UNKNOWN;
    kind::teaches_slots(verdict.kind) || bare
}
