//! What happened, in counters and in a log of the last attempts.

use std::collections::{BTreeMap, VecDeque};

use serde::Serialize;

use crate::clock::Micros;
use crate::limiter::Dimension;

/// Attempts kept in the log; the oldest goes first.
const KEPT: usize = 1024;

/// Counters of one provider since its start.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Stats {
    /// Generating requests, whatever became of them.
    pub requests: u64,
    /// Requests that got a slot.
    pub accepted: u64,
    /// Requests answered with 429, by what ran out; scripted ones included.
    pub refused: BTreeMap<Dimension, u64>,
    /// Requests with something wrong in them: a bad body or key, an unknown model, too long.
    pub rejected: u64,
    /// Requests that a scripted fault struck, scripted refusals included.
    pub faults: u64,
    /// Accepted requests whose last byte was handed over.
    pub finished: u64,
    /// Accepted requests whose client went before the end.
    pub disconnected: u64,
    /// Accepted requests now in flight.
    pub in_flight: u32,
    /// The most that were in flight at once.
    pub peak_in_flight: u32,
    /// Input tokens of accepted requests.
    pub input_tokens: u64,
    /// Output tokens generated.
    pub output_tokens: u64,
}

/// One request and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Attempt {
    /// The request's number among the well-formed ones, from 1; 0 when it was not well-formed.
    pub number: u64,
    /// The model it named; empty when it could not be read.
    pub model: String,
    /// Whether it asked for a stream.
    pub stream: bool,
    /// Arrival in microseconds since the start.
    pub at_us: Micros,
    /// End in microseconds since the start.
    pub ended_us: Micros,
    /// Input tokens.
    pub input_tokens: u64,
    /// Output tokens generated.
    pub output_tokens: u64,
    /// What became of it.
    pub outcome: Outcome,
}

/// What became of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The last byte was handed over.
    Finished,
    /// The client went before the end.
    Disconnected,
    /// The script closed the connection or ended the stream with an error.
    Broken,
    /// 429 for this.
    Refused(Dimension),
    /// Another error status.
    Failed(u16),
}

impl Stats {
    /// All refusals together.
    #[must_use]
    pub fn refused_total(&self) -> u64 {
        self.refused.values().sum()
    }

    /// Refusals for one reason.
    #[must_use]
    pub fn refused_by(&self, dimension: Dimension) -> u64 {
        self.refused.get(&dimension).copied().unwrap_or(0)
    }
}

/// The counters and the log, kept together.
#[derive(Debug, Default)]
pub(crate) struct Book {
    pub(crate) stats: Stats,
    log: VecDeque<Attempt>,
}

impl Book {
    pub(crate) fn started(&mut self, in_flight: u32, input: u64) {
        self.stats.accepted += 1;
        self.stats.input_tokens += input;
        self.stats.in_flight = in_flight;
        self.stats.peak_in_flight = self.stats.peak_in_flight.max(in_flight);
    }

    /// Counts an attempt's end; of an accepted one, what is in flight after it.
    pub(crate) fn ended(&mut self, attempt: Attempt, in_flight: u32) {
        self.stats.in_flight = in_flight;
        self.stats.output_tokens += attempt.output_tokens;
        match attempt.outcome {
            Outcome::Finished => self.stats.finished += 1,
            Outcome::Disconnected => self.stats.disconnected += 1,
            Outcome::Refused(dimension) => *self.stats.refused.entry(dimension).or_default() += 1,
            Outcome::Broken | Outcome::Failed(_) => {}
        }
        self.log.push_back(attempt);
        if self.log.len() > KEPT {
            self.log.pop_front();
        }
    }

    pub(crate) fn log(&self) -> Vec<Attempt> {
        self.log.iter().cloned().collect()
    }
}
