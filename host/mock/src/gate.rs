//! The gate: one provider's limits, counters and cached prefixes behind one lock, and the permit.
//!
//! A permit is what an accepted request holds. Dropping it is the only way to give it back, and gives back
//! exactly once: unless it was told how the response ended, its reader is gone.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::ask::Ask;
use crate::clock::{Clock, Micros};
use crate::limiter::{Claim, Levels, Limiter, Refusal};
use crate::prefix::Prefixes;
use crate::problem::Problem;
use crate::script::ProviderScript;
use crate::stats::{Attempt, Book, Outcome, Stats};

/// The state that all requests of a provider share.
#[derive(Debug)]
pub(crate) struct Gate {
    clock: Clock,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    limiter: Limiter,
    book: Book,
    prefixes: Option<Prefixes>,
    last_number: u64,
}

/// A request's right to be served.
#[derive(Debug)]
pub(crate) struct Permit {
    gate: Arc<Gate>,
    claim: Claim,
    attempt: Attempt,
}

/// A permit and what was true when it was given.
#[derive(Debug)]
pub(crate) struct Admission {
    pub(crate) permit: Permit,
    /// Others in flight.
    pub(crate) others: u32,
    /// The rates, after this request's share.
    pub(crate) levels: Levels,
}

impl Gate {
    pub(crate) fn new(script: &ProviderScript, clock: Clock) -> Self {
        let state = State {
            limiter: Limiter::new(&script.limits, script.window),
            book: Book::default(),
            prefixes: script.prompt_cache.then(Prefixes::default),
            last_number: 0,
        };
        Self { clock, state: Mutex::new(state) }
    }

    /// Counts a request that is about to be read.
    pub(crate) fn arrived(&self) {
        self.lock().book.stats.requests += 1;
    }

    /// Numbers a well-formed request and says how much of its prompt is cached.
    pub(crate) fn enter(&self, ask: &Ask) -> (u64, u64) {
        let mut state = self.lock();
        state.last_number += 1;
        let cached = state.prefixes.as_ref().map_or(0, |prefixes| prefixes.cached(&ask.prompt));
        (state.last_number, cached)
    }

    pub(crate) fn admit(
        self: &Arc<Self>,
        ask: &Ask,
        attempt: Attempt,
        claim: Claim,
    ) -> Result<Admission, Refusal> {
        let now = self.clock.now();
        let mut state = self.lock();
        state.limiter.admit(now, claim)?;
        let (in_flight, levels) = (state.limiter.in_flight(), state.limiter.levels(now));
        state.book.started(in_flight, attempt.input_tokens);
        if let Some(prefixes) = &mut state.prefixes {
            prefixes.remember(&ask.prompt);
        }
        drop(state);
        let permit = Permit { gate: Arc::clone(self), claim, attempt };
        Ok(Admission { permit, others: in_flight - 1, levels })
    }

    /// Notes a request that was not accepted.
    pub(crate) fn turned_away(&self, mut attempt: Attempt, problem: &Problem, status: u16) {
        let now = self.clock.now();
        attempt.ended_us = now;
        attempt.outcome = problem.dimension().map_or(Outcome::Failed(status), Outcome::Refused);
        let mut state = self.lock();
        state.book.stats.rejected += u64::from(attempt.number == 0);
        let in_flight = state.limiter.in_flight();
        state.book.ended(attempt, in_flight);
    }

    /// Counts a fault that struck.
    pub(crate) fn struck(&self) {
        self.lock().book.stats.faults += 1;
    }

    pub(crate) fn levels(&self) -> Levels {
        self.lock().limiter.levels(self.clock.now())
    }

    pub(crate) fn stats(&self) -> Stats {
        self.lock().book.stats.clone()
    }

    pub(crate) fn log(&self) -> Vec<Attempt> {
        self.lock().book.log()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No code under the lock leaves the state half changed.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn settle(&self, claim: Claim, mut attempt: Attempt) {
        let now = self.clock.now();
        attempt.ended_us = now;
        let mut state = self.lock();
        state.limiter.settle(now, claim, attempt.output_tokens);
        let in_flight = state.limiter.in_flight();
        state.book.ended(attempt, in_flight);
    }
}

impl Permit {
    /// Notes what has been generated so far.
    pub(crate) fn generated(&mut self, tokens: u64) {
        self.attempt.output_tokens = tokens;
    }

    /// Gives the permit back after an end that is not the client's doing.
    pub(crate) fn end(mut self, outcome: Outcome) {
        self.attempt.outcome = outcome;
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let attempt = std::mem::replace(&mut self.attempt, Attempt::arrived(0));
        self.gate.settle(self.claim, attempt);
    }
}

impl Attempt {
    /// An attempt that just arrived. Until somebody says how it ended, its client went.
    pub(crate) fn arrived(at: Micros) -> Self {
        Self {
            number: 0,
            model: String::new(),
            stream: false,
            at_us: at,
            ended_us: at,
            input_tokens: 0,
            output_tokens: 0,
            outcome: Outcome::Disconnected,
        }
    }
}
