//! A cell of slots: how many attempts may be in flight at once.
//!
//! An account's cell is governed by the limit policy. What holds, the *effective* limit, is the least of
//! the policy's answer, the ramp after a closure and what the provider states; it is never below one, since
//! only a closure stops everything. Falling limits owe nothing: attempts in flight stay, and none starts
//! until enough have ended.
//!
//! A tenant's cell is a fixed cap.

mod answer;
mod ramp;

use weir_sdk::codes::reason;
use weir_sdk::limit::{self, Answer};

pub use answer::Nonsense;

use self::ramp::Ramp;
use crate::config;
use crate::ids::CellId;
use crate::ring::Ring;
use crate::units::Micros;

/// A policy that asks to be woken at once is woken no sooner than this.
const SOONEST_WAKE: Micros = Micros::from_millis(1);

/// A change of the effective limit, for `concurrency-changed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// Whose.
    pub cell: CellId,
    /// What the policy answered.
    pub limit: u32,
    /// What holds now.
    pub effective: u32,
    /// What held before.
    pub before: u32,
    /// A `reason` code: the policy's, or `rate_limited` and `recovered` when a closure, a ramp or the
    /// provider's word moved it.
    pub reason: u16,
}

/// How many attempts may be in flight at an account. See the module's text.
#[derive(Clone, Debug)]
pub struct SlotCell {
    /// The policy's last answer; before the first what is configured.
    limit: u32,
    caps: [u32; 4],
    reopen_with: u32,
    mark: u64,
    reason: u16,
    wake: Option<Micros>,
    /// The closure that the policy asked for last.
    asked: Micros,
    /// What the provider states.
    stated: Option<u32>,
    ramp: Option<Ramp>,
    share: u64,
    step: Micros,
    in_flight: u32,
    by_class: [u32; 4],
    slot_blocked: u32,
    last_start: Micros,
    second: Ring<10>,
    minute: Ring<60>,
    /// The effective limit that was last told.
    told: u32,
}

impl SlotCell {
    /// An open cell that starts with so many.
    pub(crate) fn new(start: u32, ramp: &config::Ramp) -> Self {
        let start = start.max(1);
        let mut cell = Self {
            limit: start,
            caps: [0; 4],
            reopen_with: 0,
            mark: 0,
            reason: reason::NONE,
            wake: None,
            asked: Micros::ZERO,
            stated: None,
            ramp: None,
            share: 0,
            step: ramp.step,
            in_flight: 0,
            by_class: [0; 4],
            slot_blocked: 0,
            last_start: Micros::ZERO,
            second: Ring::new(Micros::SECOND),
            minute: Ring::new(Micros::from_secs(60)),
            told: start,
        };
        cell.configure(ramp);
        cell
    }

    /// Other configuration; the policy's limit stays.
    pub(crate) fn configure(&mut self, ramp: &config::Ramp) {
        self.share = (ramp.share.clamp(0.0, 1.0) * 1e3).round() as u64;
        self.step = ramp.step;
    }

    /// The policy's last answer.
    #[must_use]
    pub fn limit(&self) -> u32 {
        self.limit
    }

    /// In flight now.
    #[must_use]
    pub fn in_flight(&self) -> u32 {
        self.in_flight
    }

    /// The policy's mark, for attempts that are admitted now.
    #[must_use]
    pub fn mark(&self) -> u64 {
        self.mark
    }

    /// What holds now, closures aside.
    #[must_use]
    pub fn effective(&self, now: Micros) -> u32 {
        let ramp = self.ramp.map_or(u32::MAX, |ramp| ramp.value(now));
        self.limit.min(ramp).min(self.stated.unwrap_or(u32::MAX)).max(1)
    }

    /// Slots that are free now for a size class, leaving `spare` free.
    #[must_use]
    pub fn free(&self, now: Micros, class: u8, spare: u32) -> u32 {
        let all = self.effective(now).saturating_sub(self.in_flight).saturating_sub(spare);
        let class = usize::from(class.min(3));
        match self.caps[class] {
            0 => all,
            cap => all.min(cap.saturating_sub(self.by_class[class])),
        }
    }

    /// As the limit policy is told it.
    pub(crate) fn view(
        &self,
        now: Micros,
        id: CellId,
        closed_until: Option<Micros>,
    ) -> limit::Cell {
        limit::Cell {
            id: id.0,
            limit: self.limit,
            effective: self.effective(now),
            in_flight: self.in_flight,
            slot_blocked: self.slot_blocked,
            last_start: self.last_start.0,
            starts_1s: small(self.second.total(now)),
            starts_60s: small(self.minute.total(now)),
            closed_until: closed_until.map_or(0, |until| until.0),
        }
    }

    /// What a policy that is new to the cell starts with: the configured limit, or that of the one before.
    pub(crate) fn opening(&self) -> limit::Opening {
        limit::Opening { start: self.limit, ceiling: 0 }
    }

    /// Takes an answer over, closures and rates aside.
    pub(crate) fn apply(&mut self, now: Micros, answer: &Answer) -> Result<(), Nonsense> {
        answer::check(now, answer)?;
        let (a, b, c, d) = answer.caps;
        self.limit = answer.limit.max(1);
        self.caps = [a, b, c, d];
        self.reopen_with = answer.reopen_with;
        self.mark = answer.mark;
        self.reason = answer.reason;
        self.wake = (answer.wake != 0).then(|| Micros(answer.wake).max(now.plus(SOONEST_WAKE)));
        // A verdict closes the cell before the policy hears of it: what it opens with is said here.
        let base = self.base();
        if let Some(ramp) = &mut self.ramp {
            ramp.rebase(now, base);
        }
        Ok(())
    }

    /// The closure that an answer asks for, if it is news. A policy repeats what it asked for in every later
    /// answer; that must not close again what an operator or a success has opened since.
    pub(crate) fn asks(&mut self, closed_until: Micros) -> Option<Micros> {
        let before = std::mem::replace(&mut self.asked, closed_until);
        (closed_until != before).then_some(closed_until)
    }

    /// What the provider states it takes at once; nothing is changed by zero.
    pub(crate) fn state(&mut self, stated: u32) {
        if stated > 0 {
            self.stated = Some(stated);
        }
    }

    /// A closure until then: the limit comes back by a ramp.
    pub(crate) fn closed(&mut self, until: Micros) {
        self.ramp = Some(Ramp::new(until, self.step, self.base()));
    }

    /// What a ramp begins with: the policy's word, else a share of its limit.
    pub(crate) fn base(&self) -> u32 {
        match self.reopen_with {
            0 => small((u64::from(self.limit) * self.share / 1_000).max(1)),
            base => base,
        }
    }

    /// An operator opened it: no ramp.
    pub(crate) fn reopened(&mut self) {
        self.ramp = None;
    }

    /// A refusal for load holds the ramp where it is for a step.
    pub(crate) fn refused(&mut self, now: Micros) {
        if self.ramping(now)
            && let Some(ramp) = &mut self.ramp
        {
            ramp.hold(now);
        }
    }

    /// The effective limit moved since it was last told. `by_policy`: an answer moved it.
    pub(crate) fn tell(&mut self, now: Micros, cell: CellId, by_policy: bool) -> Option<Change> {
        let (before, effective) = (self.told, self.effective(now));
        if !self.ramping(now) {
            self.ramp = None;
        }
        self.told = effective;
        let moved = if effective > before { reason::RECOVERED } else { reason::RATE_LIMITED };
        let reason = if by_policy && self.reason != reason::NONE { self.reason } else { moved };
        (effective != before).then_some(Change {
            cell,
            limit: self.limit,
            effective,
            before,
            reason,
        })
    }

    /// When it opens by itself next: the ramp goes on.
    pub(crate) fn next_open(&self, now: Micros) -> Option<Micros> {
        self.ramp.filter(|_| self.ramping(now)).map(|ramp| ramp.next(now))
    }

    /// When the policy wants to be woken.
    pub(crate) fn wake(&self) -> Option<Micros> {
        self.wake
    }

    /// Takes a wake that is due.
    pub(crate) fn take_wake(&mut self, now: Micros) -> bool {
        self.wake.take_if(|wake| *wake <= now).is_some()
    }

    /// Sets how many wait for slots here and for nothing else.
    pub(crate) fn set_slot_blocked(&mut self, waiting: u32) {
        self.slot_blocked = waiting;
    }

    /// An attempt starts, or a parked one goes on.
    pub(crate) fn take(&mut self, slots: u32, class: u8) {
        let class = usize::from(class.min(3));
        self.in_flight = self.in_flight.saturating_add(slots);
        self.by_class[class] = self.by_class[class].saturating_add(slots);
    }

    /// An attempt ended, or is parked.
    pub(crate) fn give(&mut self, slots: u32, class: u8) {
        let class = usize::from(class.min(3));
        self.in_flight = self.in_flight.saturating_sub(slots);
        self.by_class[class] = self.by_class[class].saturating_sub(slots);
    }

    /// Counts a start.
    pub(crate) fn started(&mut self, now: Micros) {
        self.last_start = now;
        self.second.add(now, 1);
        self.minute.add(now, 1);
    }

    /// In flight of all classes, for audits.
    pub(crate) fn sum_of_classes(&self) -> u32 {
        self.by_class.iter().sum()
    }

    fn ramping(&self, now: Micros) -> bool {
        let most = self.limit.min(self.stated.unwrap_or(u32::MAX));
        self.ramp.is_some_and(|ramp| now < ramp.opens() || ramp.value(now) < most)
    }
}

/// A fixed cap of slots.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cap {
    pub(crate) limit: u32,
    pub(crate) in_flight: u32,
}

impl Cap {
    /// Slots that are free.
    pub(crate) fn free(self) -> u32 {
        self.limit.saturating_sub(self.in_flight)
    }
}

fn small(n: u64) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
