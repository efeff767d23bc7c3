//! What goes wrong, and when.
//!
//! A fault strikes a request when all its conditions hold: the span of time, every n-th request, the
//! chance. Faults are tried in the script's order and the first that strikes decides. Every fault with a
//! chance draws once for each request whether or not another struck before, so that adding conditions to
//! one fault does not change the luck of the next.

use serde::Deserialize;

use crate::clock::{Micros, millis};
use crate::sample::Dice;
use crate::script::Hint;

/// The statuses [`Effect::Status`] may have.
pub(crate) const STATUSES: [u16; 7] = [401, 403, 500, 502, 503, 504, 529];

/// A fault and its conditions; a condition that is absent holds always.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FaultScript {
    /// Strikes from this time on, in milliseconds since the server started.
    #[serde(default)]
    pub from_ms: u64,
    /// Strikes until before this time.
    #[serde(default)]
    pub until_ms: Option<u64>,
    /// Strikes every n-th well-formed request, counted from the provider's first.
    #[serde(default)]
    pub every: Option<u64>,
    /// Strikes with this probability.
    #[serde(default)]
    pub chance: Option<f64>,
    /// What happens.
    pub effect: Effect,
}

/// What happens to a request. Effects on a stream leave plain answers alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// 429 with the provider's words for what ran out.
    Refuse(RefuseEffect),
    /// One of 401, 403, 500, 502, 503, 504, 529, with the provider's error type for it.
    Status(u16),
    /// The provider's words for overload: 503 from OpenAI, 529 from Anthropic.
    Overloaded,
    /// 400: the prompt is too long.
    ContextLength,
    /// 200 with a body that is not JSON.
    Garbage,
    /// The headers come this much later.
    SlowHeaders(Pause),
    /// Nothing comes; after the pause the connection is closed.
    StallHeaders(Pause),
    /// The stream rests after some chunks, then goes on.
    StallStream(StreamPause),
    /// The connection is closed after some chunks.
    CutStream(StreamCut),
    /// The stream ends with an error event after some chunks.
    ErrorEvent(ErrorEvent),
}

/// A scripted 429.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RefuseEffect {
    /// What ran out.
    pub kind: RefuseKind,
    /// Which header tells when to come back.
    #[serde(default)]
    pub hint: Hint,
    /// What it tells, in milliseconds.
    #[serde(default = "one_second")]
    pub hint_ms: u64,
}

/// What a scripted 429 says ran out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RefuseKind {
    /// Requests a minute.
    Requests,
    /// Tokens a minute (input tokens by Anthropic).
    Tokens,
    /// Requests in flight.
    Concurrency,
    /// The account's quota or spend limit; never carries a hint.
    Quota,
}

/// A rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pause {
    /// In milliseconds.
    pub ms: u64,
}

/// A rest within a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StreamPause {
    /// Chunks of content before it.
    pub after_chunks: u64,
    /// In milliseconds.
    pub ms: u64,
}

/// The end of a connection within a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StreamCut {
    /// Chunks of content before it.
    pub after_chunks: u64,
}

/// An error within a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorEvent {
    /// Chunks of content before it.
    pub after_chunks: u64,
    /// What it says.
    pub kind: ErrorKind,
}

/// What an error within a stream says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorKind {
    /// Too much load.
    Overloaded,
    /// A rate limit.
    RateLimit,
    /// The server failed.
    Server,
}

impl FaultScript {
    /// A fault that always strikes.
    #[must_use]
    pub fn always(effect: Effect) -> Self {
        Self { from_ms: 0, until_ms: None, every: None, chance: None, effect }
    }

    /// A fault that strikes every n-th request.
    #[must_use]
    pub fn every(n: u64, effect: Effect) -> Self {
        Self { every: Some(n), ..Self::always(effect) }
    }

    /// A fault that strikes between two times, in milliseconds since the server started.
    #[must_use]
    pub fn between(from_ms: u64, until_ms: u64, effect: Effect) -> Self {
        Self { from_ms, until_ms: Some(until_ms), ..Self::always(effect) }
    }

    fn strikes(&self, now: Micros, number: u64, dice: &mut Dice) -> bool {
        let lucky = self.chance.is_none_or(|chance| dice.uniform() < chance);
        let due = now >= millis(self.from_ms)
            && self.until_ms.is_none_or(|until| now < millis(until))
            && self.every.is_none_or(|every| number.is_multiple_of(every));
        lucky && due
    }
}

/// The effect that strikes request `number` (from 1) at `now`.
pub(crate) fn strike(
    faults: &[FaultScript],
    now: Micros,
    number: u64,
    dice: &mut Dice,
) -> Option<Effect> {
    let mut struck = None;
    for fault in faults {
        if fault.strikes(now, number, dice) {
            struck = struck.or(Some(fault.effect));
        }
    }
    struck
}

const fn one_second() -> u64 {
    1000
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::SECOND;

    fn struck(faults: &[FaultScript], now: Micros) -> Vec<u64> {
        let strikes = |n: &u64| strike(faults, now, *n, &mut Dice::new(1, *n)).is_some();
        (1..=1000).filter(strikes).collect()
    }

    #[test]
    fn conditions_hold_together() {
        let mut fault = FaultScript::between(1000, 2000, Effect::Overloaded);
        fault.every = Some(400);
        assert!(struck(&[fault], SECOND - 1).is_empty());
        assert_eq!(struck(&[fault], SECOND), [400, 800]);
        assert!(struck(&[fault], 2 * SECOND).is_empty());
    }

    #[test]
    fn chance_is_met_and_repeats() {
        let mut fault = FaultScript::always(Effect::Garbage);
        fault.chance = Some(0.1);
        let hits = struck(&[fault], 0);
        assert!((60..140).contains(&hits.len()), "{} of 1000", hits.len());
        assert_eq!(hits, struck(&[fault], 5 * SECOND));
    }

    #[test]
    fn the_first_fault_decides() {
        let faults =
            [FaultScript::every(2, Effect::Garbage), FaultScript::always(Effect::Overloaded)];
        let effect = |n| strike(&faults, 0, n, &mut Dice::new(1, n));
        assert_eq!(effect(1), Some(Effect::Overloaded));
        assert_eq!(effect(2), Some(Effect::Garbage));
    }
}
