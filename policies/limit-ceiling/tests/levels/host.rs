//! The host's side of one cell: its counts, closures and ramp.

use weir_sdk::Micros;
use weir_sdk::codes::kind;
use weir_sdk::limit::{Answer, Attempt, Cell, Ending, Opening};
use weir_sdk::{native, testing};

/// Between doublings of the ramp.
const STEP: Micros = Micros::SECOND;

/// One cell, as the core keeps it.
pub(crate) struct Host {
    policy: Box<dyn native::Limit>,
    answer: Answer,
    in_flight: u32,
    by_class: [u32; 4],
    closed_until: Micros,
    asked: Micros,
    /// From when it doubles, and from what.
    ramp: Option<(Micros, u32)>,
}

impl Host {
    pub(crate) fn new(mut policy: Box<dyn native::Limit>, start: u32) -> Self {
        let cell = Cell { limit: start, effective: start, ..testing::cell(1) };
        let answer = policy.open(0, &cell, &Opening { start, ceiling: 0 });
        Self {
            policy,
            answer,
            in_flight: 0,
            by_class: [0; 4],
            closed_until: Micros::ZERO,
            asked: Micros::ZERO,
            ramp: None,
        }
    }

    pub(crate) fn limit(&self) -> u32 {
        self.answer.limit.max(1)
    }

    pub(crate) fn wake(&self) -> Option<Micros> {
        (self.answer.wake > 0).then_some(Micros(self.answer.wake))
    }

    pub(crate) fn effective(&self, now: Micros) -> u32 {
        let ramp = self.ramp.map_or(u32::MAX, |(opens, base)| {
            let steps = u32::try_from((now - opens).0 / STEP.0).unwrap_or(u32::MAX);
            base.saturating_mul(1_u32.checked_shl(steps).unwrap_or(u32::MAX))
        });
        self.limit().min(ramp).max(1)
    }

    /// Slots for a class.
    pub(crate) fn free(&self, now: Micros, class: u8) -> u32 {
        if now < self.closed_until {
            return 0;
        }
        let all = self.effective(now).saturating_sub(self.in_flight);
        let (a, b, c, d) = self.answer.caps;
        let class = usize::from(class);
        match [a, b, c, d][class] {
            0 => all,
            cap => all.min(cap.saturating_sub(self.by_class[class])),
        }
    }

    /// When time alone opens slots next.
    pub(crate) fn opens(&self, now: Micros) -> Option<Micros> {
        if now < self.closed_until {
            return Some(self.closed_until);
        }
        let (opens, _) = self.ramp.filter(|_| self.effective(now) < self.limit())?;
        Some(opens + STEP * ((now - opens).0 / STEP.0 + 1))
    }

    pub(crate) fn start(&mut self, now: Micros, class: u8) -> Attempt {
        self.in_flight += 1;
        self.by_class[usize::from(class)] += 1;
        Attempt {
            in_flight: self.in_flight,
            limit: self.effective(now),
            size_class: class,
            ..testing::attempt(now.0, self.answer.mark)
        }
    }

    pub(crate) fn accepted(&mut self, now: Micros, waiting: u32, attempt: &Attempt) {
        let cell = self.view(now, waiting);
        let answer = self.policy.accepted(now.0, &cell, attempt);
        self.apply(now, answer);
    }

    /// A refusal holds the ramp, and its hint closes the cell, before the policy hears of it.
    pub(crate) fn ended(&mut self, now: Micros, waiting: u32, attempt: &Attempt, ending: &Ending) {
        self.in_flight -= 1;
        self.by_class[usize::from(attempt.size_class)] -= 1;
        if kind::is_throttle(ending.verdict.kind) {
            let value = self.effective(now);
            if let Some(ramp) = self.ramp.as_mut().filter(|(opens, _)| *opens <= now) {
                *ramp = (now, value);
            }
        }
        if let Some(wait) = ending.verdict.wait {
            self.close(now + Micros(wait));
        }
        let cell = self.view(now, waiting);
        let answer = self.policy.ended(now.0, &cell, attempt, ending);
        self.apply(now, answer);
    }

    pub(crate) fn woken(&mut self, now: Micros, waiting: u32) {
        self.answer.wake = 0;
        let cell = self.view(now, waiting);
        let answer = self.policy.wake(now.0, &cell);
        self.apply(now, answer);
    }

    fn apply(&mut self, now: Micros, answer: Answer) {
        self.answer = answer;
        let until = Micros(self.answer.closed_until);
        if until != std::mem::replace(&mut self.asked, until) {
            self.close(until);
        }
        let base = self.base();
        if let Some(ramp) = self.ramp.as_mut().filter(|(opens, _)| now < *opens) {
            ramp.1 = base;
        }
        if self.effective(now) == self.limit() && now >= self.closed_until {
            self.ramp = None;
        }
    }

    fn close(&mut self, until: Micros) {
        if until > self.closed_until {
            self.closed_until = until;
            self.ramp = Some((until, self.base()));
        }
    }

    fn base(&self) -> u32 {
        match self.answer.reopen_with {
            0 => (self.limit() / 10).max(1),
            base => base,
        }
    }

    fn view(&self, now: Micros, waiting: u32) -> Cell {
        let closed = now < self.closed_until;
        Cell {
            limit: self.limit(),
            effective: self.effective(now),
            in_flight: self.in_flight,
            slot_blocked: if closed { 0 } else { waiting },
            closed_until: if closed { self.closed_until.0 } else { 0 },
            ..testing::cell(1)
        }
    }
}
