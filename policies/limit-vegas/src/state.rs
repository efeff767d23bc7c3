//! What is kept for one cell.

use serde::{Deserialize, Serialize};
use weir_sdk::codes::{deadline, kind, reason, scope};
use weir_sdk::limit::{Answer, Attempt, Cell, Ending, Opening};
use weir_sdk::types::Verdict;
use weir_sdk::{Draw, Micros};

use crate::Settings;

/// What is kept for one cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    cell: u32,
    limit: u32,
    most: u32,
    /// By size class, the latency of an idle provider.
    idle: [Option<Micros>; 4],
    /// Successes since those were taken anew.
    successes: u32,
    /// How often they were.
    probes: u32,
    /// The epoch: how many drops have acted.
    mark: u64,
    closed_until: Micros,
}

impl State {
    pub(crate) fn new(settings: &Settings, cell: &Cell, opening: &Opening) -> Self {
        let configured = if opening.ceiling > 0 { opening.ceiling } else { u32::MAX };
        let most = settings.most.min(configured).max(settings.floor);
        Self {
            cell: cell.id,
            limit: opening.start.clamp(settings.floor, most),
            most,
            idle: [None; 4],
            successes: 0,
            probes: 0,
            mark: 0,
            closed_until: Micros::ZERO,
        }
    }

    pub(crate) fn answer(&self) -> Answer {
        Answer {
            limit: self.limit,
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
        let before = self.limit;
        let verdict = &ending.verdict;
        let why = match verdict.kind {
            kind::SUCCESS => {
                self.sample(settings, attempt, Micros(ending.latency));
                reason::LATENCY
            }
            kind::TIMEOUT if ending.deadline != deadline::CLIENT => {
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
        if self.limit == before { reason::NONE } else { why }
    }

    /// Lowers the limit, once for each epoch.
    fn dropped(&mut self, settings: &Settings, attempt: &Attempt) {
        if attempt.mark == self.mark {
            self.mark += 1;
            self.limit = self.limit.saturating_sub(log(self.limit)).max(settings.floor);
        }
    }

    /// Moves the limit by a success.
    fn sample(&mut self, settings: &Settings, attempt: &Attempt, latency: Micros) {
        self.probe(settings);
        let class = usize::from(attempt.size_class.min(3));
        let idle = self.idle[class].map_or(latency, |idle| idle.min(latency));
        self.idle[class] = Some(idle);
        if u64::from(attempt.in_flight) * 2 < u64::from(self.limit) {
            return;
        }
        let beyond = u128::from((latency - idle).0);
        let queue = (u128::from(self.limit) * beyond).div_ceil(u128::from(latency.0.max(1)));
        let log = log(self.limit);
        let times = |factor: u32| u128::from(factor) * u128::from(log);
        let next = if queue <= u128::from(log) {
            self.limit.saturating_add(settings.high.saturating_mul(log))
        } else if queue < times(settings.low) {
            self.limit.saturating_add(log)
        } else if queue > times(settings.high) {
            self.limit.saturating_sub(log)
        } else {
            self.limit
        };
        self.limit = next.clamp(settings.floor, self.most);
    }

    /// Forgets the latency of an idle provider when it has been believed for long enough.
    fn probe(&mut self, settings: &Settings) {
        self.successes = self.successes.saturating_add(1);
        let longest = f64::from(settings.probe) * f64::from(self.limit);
        let share = 0.5 + 0.5 * draw(self.cell, self.probes).unit();
        if f64::from(self.successes) >= share * longest {
            self.idle = [None; 4];
            self.successes = 0;
            self.probes = self.probes.wrapping_add(1);
        }
    }

    /// Held to the bounds that a freshly opened state has.
    pub(crate) fn within(self, settings: &Settings, fresh: &Self) -> Self {
        let limit = self.limit.clamp(settings.floor, fresh.most);
        Self { cell: fresh.cell, limit, most: fresh.most, ..self }
    }
}

/// The step that the bounds are counted in.
fn log(limit: u32) -> u32 {
    limit.checked_ilog10().unwrap_or(0).max(1)
}

/// Whether fewer at once would have avoided it.
fn teaches(verdict: &Verdict) -> bool {
    let bare = verdict.kind == kind::REQUEST_WINDOW && verdict.scope == scope::UNKNOWN;
    kind::teaches_slots(verdict.kind) || bare
}

/// A limit policy is given no random draw: the finalizer of SplitMix64 (Steele, Lea and Flood, 2014) spreads
/// the cell and a counter.
fn draw(cell: u32, count: u32) -> Draw {
    let seed = u64::from(cell) << 32 | u64::from(count);
    let a = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let b = (a ^ (a >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let c = (b ^ (b >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    Draw(c ^ (c >> 31))
}
