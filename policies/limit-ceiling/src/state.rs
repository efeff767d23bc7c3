//! What is kept for one cell, and what each kind of news does to it.

use serde::{Deserialize, Serialize};
use weir_sdk::Micros;
use weir_sdk::codes::{deadline, kind, reason, scope};
use weir_sdk::limit::{Answer, Attempt, Cell, Ending, Opening};
use weir_sdk::types::Verdict;

use self::closure::{Closure, Reopen};
use self::outage::Outage;
use crate::{Settings, jitter};

mod closure;
mod level;
mod outage;

/// How the limit is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Phase {
    /// Slow start, up to a level that has held before or to the most.
    Climb { aim: u32 },
    /// At the ceiling until then, and beyond while nobody waits for a slot.
    Hold { until: Micros },
    /// A step above the ceiling; taken back then if nobody uses it.
    Probe { until: Micros },
    /// The provider is dead; afterwards a climb.
    Down { aim: u32 },
}

/// What is kept for one cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    cell: u32,
    limit: u32,
    most: u32,
    phase: Phase,
    /// The greatest level that is thought to hold; means nothing while climbing.
    ceiling: u32,
    /// How far the next probe goes above it.
    step: u32,
    /// The next hold.
    hold: Micros,
    /// The epoch: how often a refusal or an outage has acted.
    mark: u64,
    /// Refusals that have acted since the last success under the present mark, probes aside.
    row: u32,
    /// The level before the first of them.
    before: u32,
    /// A refusal with a long hint cut nothing, and the ceiling has not held since.
    spared: bool,
    /// When the next step of a climb is due, if steps were evenly spaced.
    pace: Micros,
    closure: Closure,
    outage: Outage,
    wake: Micros,
    /// How many spans have been jittered.
    spans: u32,
}

impl State {
    pub(crate) fn new(settings: &Settings, cell: &Cell, opening: &Opening) -> Self {
        let configured = if opening.ceiling > 0 { opening.ceiling } else { u32::MAX };
        let most = settings.most.min(configured).max(settings.floor);
        let limit = opening.start.clamp(settings.floor, most);
        let mut state = Self {
            cell: cell.id,
            limit,
            most,
            phase: Phase::Climb { aim: most },
            ceiling: limit,
            step: 1,
            hold: Micros::from_millis(settings.hold_ms),
            mark: 0,
            row: 0,
            before: limit,
            spared: false,
            pace: Micros::ZERO,
            closure: Closure::default(),
            outage: Outage::default(),
            wake: Micros::ZERO,
            spans: 0,
        };
        state.arrive(Micros::ZERO);
        state
    }

    pub(crate) fn limit(&self) -> u32 {
        self.limit
    }

    pub(crate) fn answer(&self, settings: &Settings) -> Answer {
        Answer {
            limit: self.limit,
            caps: self.outage.caps(),
            closed_until: self.closure.until().0,
            reopen_with: match self.closure.reopen() {
                Reopen::Floor => settings.floor,
                Reopen::Ramp => 0,
                Reopen::Whole => self.limit,
            },
            wake: self.wake.0,
            mark: self.mark,
            ..Answer::default()
        }
    }

    /// The answer, with the reason why the limit is no longer what it was.
    pub(crate) fn report(&self, settings: &Settings, before: u32) -> Answer {
        let reason = match (self.limit.cmp(&before), self.phase) {
            (std::cmp::Ordering::Equal, _) => reason::NONE,
            (std::cmp::Ordering::Greater, _) => reason::RECOVERED,
            (std::cmp::Ordering::Less, Phase::Down { .. }) => reason::BACKOFF,
            (std::cmp::Ordering::Less, _) => reason::RATE_LIMITED,
        };
        Answer { reason, ..self.answer(settings) }
    }

    /// Learns from an end.
    pub(crate) fn learn(
        &mut self,
        settings: &Settings,
        now: Micros,
        cell: &Cell,
        attempt: &Attempt,
        ending: &Ending,
    ) {
        match ending.verdict.kind {
            kind::SUCCESS => self.success(settings, now, cell, attempt),
            kind::TIMEOUT if ending.deadline == deadline::CLIENT => {}
            kind::TIMEOUT => self.miss(settings, now, attempt, outage::TIMEOUT),
            kind::SERVER_ERROR | kind::NETWORK => {
                self.miss(settings, now, attempt, outage::FAILURE);
            }
            _ if teaches(&ending.verdict) => {
                self.refused(settings, now, attempt, ending.verdict.wait.map(Micros));
            }
            _ => {}
        }
    }

    /// The provider took an attempt up. Hearing it twice, with the headers and at the end, proves nothing
    /// new above the ceiling, and a climb is paced.
    pub(crate) fn success(
        &mut self,
        settings: &Settings,
        now: Micros,
        cell: &Cell,
        attempt: &Attempt,
    ) {
        self.outage.success(attempt, self.limit);
        if attempt.mark != self.mark {
            return;
        }
        self.row = 0;
        match self.phase {
            Phase::Down { aim } => self.recover(settings, now, aim),
            Phase::Climb { .. } => self.climb(settings, now, cell, attempt),
            Phase::Hold { .. } | Phase::Probe { .. } => {
                self.prove(settings, now, attempt);
                self.look(now, cell);
            }
        }
    }

    /// The provider refused for load.
    fn refused(
        &mut self,
        settings: &Settings,
        now: Micros,
        attempt: &Attempt,
        hint: Option<Micros>,
    ) {
        let long = hint.is_some_and(|wait| wait > Micros::from_millis(settings.pause_ms));
        if let Some(wait) = hint {
            let reopen = if long { Reopen::Ramp } else { Reopen::Whole };
            self.closure.lengthen(now, now + wait, reopen);
        }
        if attempt.mark != self.mark {
            return;
        }
        self.mark += 1;
        match self.phase {
            Phase::Down { .. } => self.back_off(now, outage::FAILURE),
            Phase::Climb { .. } => self.overshot(settings, now, attempt),
            _ if attempt.in_flight > self.ceiling => self.probe_failed(settings, now, attempt),
            _ if long && !self.spared => self.spared = true,
            _ => self.fall(settings, now),
        }
    }

    /// The time came.
    pub(crate) fn wake(&mut self, now: Micros, cell: &Cell) {
        self.wake = Micros::ZERO;
        self.look(now, cell);
    }

    /// Held to the bounds that a freshly opened state has.
    pub(crate) fn within(self, settings: &Settings, fresh: &Self) -> Self {
        let most = fresh.most;
        let bound = |level: u32| level.clamp(settings.floor, most);
        let phase = match self.phase {
            Phase::Climb { aim } if aim == self.most => Phase::Climb { aim: most },
            Phase::Climb { aim } => Phase::Climb { aim: bound(aim) },
            Phase::Down { aim } => Phase::Down { aim: bound(aim) },
            other => other,
        };
        let longest = Micros::from_millis(settings.longest_hold_ms);
        let hold = self.hold.clamp(Micros::from_millis(settings.shortest_hold_ms), longest);
        let (limit, ceiling, before) = (bound(self.limit), bound(self.ceiling), bound(self.before));
        Self { cell: fresh.cell, limit, most, phase, ceiling, hold, before, ..self }
    }

    /// A span of this cell's, jittered.
    fn jittered(&mut self, span: Micros) -> Micros {
        self.spans = self.spans.wrapping_add(1);
        jitter::shorten(span, self.cell, self.spans)
    }
}

/// Whether fewer at once would have avoided it.
fn teaches(verdict: &Verdict) -> bool {
    let bare = verdict.kind == kind::REQUEST_WINDOW && verdict.scope == scope::UNKNOWN;
    kind::teaches_slots(verdict.kind) || bare
}
