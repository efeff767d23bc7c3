//! What policies answered, as data.

use serde::{Deserialize, Serialize};
use weir_sdk::{classify, fanout, limit, priority, retry, route, schedule};

use crate::policies::{Fault, Slot};

/// An answer, or a fault in its place. Floating-point numbers travel as their bits, so that they come back
/// as they were.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// To a question of priority.
    Place(Result<priority::Placement, Fault>),
    /// To a pick.
    Pick(Result<schedule::Choice, Fault>),
    /// To a question about a cell of slots.
    Limit(Result<Bits<limit::Answer>, Fault>),
    /// To a question of meaning.
    Classify(Result<classify::Classification, Fault>),
    /// To a question of trying again.
    Retry(Result<retry::Decision, Fault>),
    /// To a question of order.
    Order(Result<Vec<Bits<route::Choice>>, Fault>),
    /// To a question of children.
    Fanout(Result<fanout::Plan, Fault>),
    /// To something told: a batch, an outcome, a closed cell, a slice of the truth, a change of guard.
    Told(Result<(), Fault>),
    /// A slot's standby instance changed; the core learned of it now.
    Standby(Slot, Option<u64>),
}

impl Answer {
    /// What kind of question it answers.
    #[must_use]
    pub const fn question(&self) -> &'static str {
        match self {
            Self::Place(_) => "place",
            Self::Pick(_) => "pick",
            Self::Limit(_) => "limit",
            Self::Classify(_) => "classify",
            Self::Retry(_) => "retry",
            Self::Order(_) => "order",
            Self::Fanout(_) => "fanout",
            Self::Told(_) => "told",
            Self::Standby(..) => "standby",
        }
    }
}

/// A record without its floating-point numbers, and those as bits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bits<T> {
    rest: T,
    bits: Vec<Option<u64>>,
}

impl Bits<limit::Answer> {
    pub(super) fn of_limit(answer: &limit::Answer) -> Self {
        let bits = vec![answer.request_rate.map(f64::to_bits), answer.token_rate.map(f64::to_bits)];
        let mut rest = *answer;
        (rest.request_rate, rest.token_rate) = (None, None);
        Self { rest, bits }
    }

    pub(super) fn limit(&self) -> limit::Answer {
        let rate = |place: usize| self.bits.get(place).copied().flatten().map(f64::from_bits);
        let mut answer = self.rest;
        (answer.request_rate, answer.token_rate) = (rate(0), rate(1));
        answer
    }
}

impl Bits<route::Choice> {
    pub(super) fn of_choice(choice: &route::Choice) -> Self {
        let bits = vec![Some(choice.score.to_bits())];
        let mut rest = *choice;
        rest.score = 0.0;
        Self { rest, bits }
    }

    pub(super) fn choice(&self) -> route::Choice {
        let mut choice = self.rest;
        choice.score = self.bits.first().copied().flatten().map_or(0.0, f64::from_bits);
        choice
    }
}
