//! What is kept for one cell.

use serde::{Deserialize, Serialize};
use weir_sdk::Micros;
use weir_sdk::codes::{kind, reason, scope};
use weir_sdk::limit::{Answer, Attempt, Cell, Opening};
use weir_sdk::types::Verdict;

use crate::Settings;

/// The ceiling where none is set and the cell opens with less.
const CEILING: u32 = 64;

/// What is kept for one cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    limit: u32,
    ceiling: u32,
    /// The most that was configured for the cell.
    configured: u32,
    /// The level below the last raise, until it fails.
    proven: Option<u32>,
    /// Successes in a row.
    streak: u32,
    /// The epoch: how many refusals have acted.
    mark: u64,
    closed_until: Micros,
    /// The closure is short enough to open with the whole limit.
    pause: bool,
    /// When something last happened; the end of a closure counts, whoever closed.
    active: Micros,
    /// It has been idle, and nothing happened since.
    rested: bool,
}

impl State {
    pub(crate) fn new(settings: &Settings, now: Micros, opening: &Opening) -> Self {
        let set = |number: u32| (number > 0).then_some(number);
        let configured = set(opening.ceiling).unwrap_or(u32::MAX);
        let most = set(settings.ceiling).unwrap_or(opening.start.max(CEILING));
        let ceiling = most.min(configured).max(settings.floor);
        Self {
            limit: opening.start.clamp(settings.floor, ceiling),
            ceiling,
            configured,
            proven: None,
            streak: 0,
            mark: 0,
            closed_until: Micros::ZERO,
            pause: false,
            active: now,
            rested: false,
        }
    }

    pub(crate) fn answer(&self, settings: &Settings) -> Answer {
        let idle = Micros::from_secs(settings.idle_s);
        let sleeps = idle == Micros::ZERO || self.rested;
        Answer {
            limit: self.limit,
            closed_until: self.closed_until.0,
            reopen_with: if self.pause { self.limit } else { 0 },
            wake: if sleeps { 0 } else { (self.active + idle).0 },
            mark: self.mark,
            ..Answer::default()
        }
    }

    /// Something happened: the cell is not idle.
    pub(crate) fn touch(&mut self, now: Micros) {
        self.active = self.active.max(now);
        self.rested = false;
    }

    /// Learns from an end; the reason code of what changed.
    pub(crate) fn learn(
        &mut self,
        settings: &Settings,
        now: Micros,
        cell: &Cell,
        attempt: &Attempt,
        verdict: &Verdict,
    ) -> u16 {
        if kind::is_success(verdict.kind) {
            let wanted = cell.slot_blocked > 0 && cell.effective >= self.limit;
            return self.success(settings, wanted);
        }
        if !teaches(verdict) {
            return reason::NONE;
        }
        self.streak = 0;
        if let Some(wait) = verdict.wait {
            self.close(settings, now, Micros(wait));
        }
        if attempt.mark == self.mark { self.cut(settings) } else { reason::NONE }
    }

    /// Closes the cell for as long as the provider said.
    fn close(&mut self, settings: &Settings, now: Micros, wait: Micros) {
        let over = now >= self.closed_until;
        let short = wait <= Micros::from_millis(settings.pause_ms);
        self.pause = short && (over || self.pause);
        self.closed_until = self.closed_until.max(now + wait);
        self.active = self.active.max(self.closed_until);
    }

    /// One more in a row; raises the limit when that is enough and somebody waits.
    fn success(&mut self, settings: &Settings, wanted: bool) -> u16 {
        self.streak = self.streak.saturating_add(1);
        if self.streak < settings.streak || !wanted || self.limit >= self.ceiling {
            return reason::NONE;
        }
        self.streak = 0;
        self.proven = Some(self.limit);
        self.limit += 1;
        reason::RECOVERED
    }

    /// Falls back to the proven level, or by the factor when there is none below.
    fn cut(&mut self, settings: &Settings) -> u16 {
        self.mark += 1;
        let before = self.limit;
        match self.proven {
            Some(proven) if proven < self.limit => self.limit = proven,
            _ => {
                self.proven = None;
                let less = (f64::from(self.limit) * settings.factor).floor() as u32;
                self.limit = less.max(settings.floor);
            }
        }
        if self.limit < before { reason::RATE_LIMITED } else { reason::NONE }
    }

    /// Forgets what was learned, if the cell has been idle for long enough.
    pub(crate) fn rest(&mut self, settings: &Settings, now: Micros, cell: &Cell) -> u16 {
        self.active = self.active.max(Micros(cell.last_start)).max(Micros(cell.closed_until));
        if cell.in_flight > 0 || cell.slot_blocked > 0 {
            self.touch(now);
        }
        let idle = Micros::from_secs(settings.idle_s);
        if idle == Micros::ZERO || now < self.active + idle {
            return reason::NONE;
        }
        let before = self.limit;
        *self = Self { limit: self.ceiling, proven: None, streak: 0, rested: true, ..*self };
        if self.limit == before { reason::NONE } else { reason::IDLE_RESET }
    }

    /// Held to the bounds that a freshly opened state has. Where no ceiling is set the cell may have opened
    /// with more, long ago, than it has now.
    pub(crate) fn within(self, settings: &Settings, fresh: &Self) -> Self {
        let Self { configured, .. } = *fresh;
        let known = if settings.ceiling == 0 { self.ceiling.min(configured) } else { 0 };
        let ceiling = fresh.ceiling.max(known);
        let limit = self.limit.clamp(settings.floor, ceiling);
        let proven = self.proven.filter(|proven| *proven < limit);
        let active = self.active.max(fresh.active);
        Self { limit, ceiling, configured, proven, active, ..self }
    }
}

/// Whether fewer at once would have avoided it.
fn teaches(verdict: &Verdict) -> bool {
    let bare = verdict.kind == kind::REQUEST_WINDOW && verdict.scope == scope::UNKNOWN;
    kind::teaches_slots(verdict.kind) || bare
}
