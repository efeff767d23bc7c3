//! The search for the level: climb, hold, probe, fall.

use weir_sdk::Micros;
use weir_sdk::limit::{Attempt, Cell};

use super::closure::Reopen;
use super::{Phase, State};
use crate::Settings;

/// What a further refusal in a row multiplies the limit by.
const FURTHER: f64 = 0.8;

/// The refusal in a row from which the brake closes the cell.
const BRAKE: u32 = 4;

/// The closures of the brake: the first, doubling to the last.
const PAUSES: (Micros, Micros) = (Micros::SECOND, Micros::from_secs(5));

/// The share of `climb_ms` for which steps of a climb may be taken ahead of an even pace.
const AHEAD: u64 = 8;

impl State {
    /// A success while climbing.
    pub(super) fn climb(
        &mut self,
        settings: &Settings,
        now: Micros,
        cell: &Cell,
        attempt: &Attempt,
    ) {
        let full = nine_tenths(attempt.in_flight, attempt.limit) && cell.slot_blocked > 0;
        if full && cell.effective >= self.limit && self.paced(settings, now) {
            self.limit += 1;
            self.arrive(now);
        }
    }

    /// Holds if the climb has come to its aim.
    pub(super) fn arrive(&mut self, now: Micros) {
        if let Phase::Climb { aim } = self.phase
            && self.limit >= aim
        {
            self.settle(now, aim);
        }
    }

    /// A step of a climb is due. The generic cell rate algorithm, with a rate that grows with the limit.
    fn paced(&mut self, settings: &Settings, now: Micros) -> bool {
        let span = Micros::from_millis(settings.climb_ms);
        let due = self.pace.max(now);
        let fits = due - now <= span / AHEAD;
        if fits {
            self.pace = due + span / u64::from(self.limit);
        }
        fits
    }

    /// A refusal while climbing: one less was in flight when it still held.
    pub(super) fn overshot(&mut self, settings: &Settings, now: Micros, attempt: &Attempt) {
        self.count_refusal(self.limit);
        self.hold = Micros::from_millis(settings.hold_ms);
        let level = attempt.in_flight.min(self.limit).saturating_sub(1);
        self.settle(now, level.max(settings.floor));
        self.brake(now);
    }

    /// A success may prove a level above the ceiling.
    pub(super) fn prove(&mut self, settings: &Settings, now: Micros, attempt: &Attempt) {
        let level = attempt.in_flight.min(self.most);
        self.spared &= level < self.ceiling;
        if level <= self.ceiling {
            return;
        }
        self.ceiling = level;
        if level >= self.limit {
            self.limit = level;
            self.step = (self.step * 2).min(self.ceiling / 4).max(1);
            self.hold = (self.hold / 2).max(Micros::from_millis(settings.shortest_hold_ms));
            self.phase = Phase::Hold { until: now };
        }
    }

    /// A refusal above the ceiling: what was in flight before it is thought to hold.
    pub(super) fn probe_failed(&mut self, settings: &Settings, now: Micros, attempt: &Attempt) {
        let level = attempt.in_flight.min(self.limit).saturating_sub(1).max(self.ceiling);
        self.hold = (self.hold * 2).min(Micros::from_millis(settings.longest_hold_ms));
        self.settle(now, level);
    }

    /// A refusal at or below the ceiling.
    pub(super) fn fall(&mut self, settings: &Settings, now: Micros) {
        self.count_refusal(self.ceiling);
        let factor = if self.row == 1 { settings.fall } else { FURTHER };
        let level = (f64::from(self.limit.min(self.ceiling)) * factor).floor() as u32;
        self.hold = Micros::from_millis(settings.hold_ms);
        self.settle(now, level.max(settings.floor));
        if self.brake(now) {
            self.phase = Phase::Climb { aim: self.before };
        }
    }

    fn count_refusal(&mut self, level: u32) {
        self.row = self.row.saturating_add(1);
        if self.row == 1 {
            self.before = level;
        }
    }

    /// Closes the cell for a moment if refusals go on in a row.
    fn brake(&mut self, now: Micros) -> bool {
        let Some(beyond) = self.row.checked_sub(BRAKE) else { return false };
        let (first, last) = PAUSES;
        let span = (first * (1 << beyond.min(8))).min(last);
        let until = now + self.jittered(span);
        self.closure.lengthen(now, until, Reopen::Whole);
        true
    }

    /// Holds at a level.
    fn settle(&mut self, now: Micros, level: u32) {
        self.limit = level;
        self.ceiling = level;
        self.step = 1;
        let until = now + self.jittered(self.hold);
        self.wake = until;
        self.phase = Phase::Hold { until };
    }

    /// Probes when the hold is over and slots are wanted; takes a probe back that nobody used.
    pub(super) fn look(&mut self, now: Micros, cell: &Cell) {
        let wanted = cell.slot_blocked > 0 || cell.in_flight >= self.limit;
        match self.phase {
            Phase::Hold { until } if until <= now => {
                let open = cell.closed_until <= now.0 && cell.effective >= self.limit;
                if wanted && open && self.ceiling < self.most {
                    self.limit = self.ceiling.saturating_add(self.step).min(self.most);
                    self.probing(now);
                }
            }
            Phase::Probe { until } if until <= now && !wanted => {
                self.limit = self.ceiling;
                self.phase = Phase::Hold { until: now };
            }
            _ => {}
        }
    }

    fn probing(&mut self, now: Micros) {
        let until = now + self.hold;
        self.wake = until;
        self.phase = Phase::Probe { until };
    }
}

/// At least nine tenths of it.
fn nine_tenths(part: u32, whole: u32) -> bool {
    u64::from(part) * 10 >= u64::from(whole) * 9
}
