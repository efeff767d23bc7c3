//! Which answers of a limit policy make sense.

use weir_sdk::limit::Answer;

use crate::ids::CellId;
use crate::ledger::LONGEST_CLOSURE;
use crate::units::Micros;

/// No provider is asked for more at once.
const MOST: u32 = 1_000_000;

/// No rate is above this, in requests or tokens a second.
const FASTEST: f64 = 1e9;

/// No policy may close a cell for longer ahead. Providers do say to wait for more than a day.
const FARTHEST: Micros = LONGEST_CLOSURE;

/// A limit policy's answer that makes no sense.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Nonsense {
    /// The cell is not an account's cell of slots.
    #[error("cell {0} is no cell of slots that a policy governs")]
    NoSuchCell(CellId),
    /// A limit or cap is absurd.
    #[error("{what} is {value}; at most {MOST} makes sense")]
    TooMany {
        /// Which number.
        what: &'static str,
        /// What it was.
        value: u32,
    },
    /// A rate is no number, not positive, or absurd.
    #[error("{what} is {value}; a rate is above 0 and at most {FASTEST} a second")]
    Rate {
        /// Which.
        what: &'static str,
        /// What it was.
        value: f64,
    },
    /// A time lies too far ahead.
    #[error("closed-until is {ahead} ahead; at most {FARTHEST} makes sense")]
    TooFar {
        /// How far.
        ahead: Micros,
    },
}

/// Checks all of an answer.
pub(super) fn check(now: Micros, answer: &Answer) -> Result<(), Nonsense> {
    let (a, b, c, d) = answer.caps;
    for (what, value) in [("limit", answer.limit), ("reopen-with", answer.reopen_with)]
        .into_iter()
        .chain([("caps.0", a), ("caps.1", b), ("caps.2", c), ("caps.3", d)])
    {
        if value > MOST {
            return Err(Nonsense::TooMany { what, value });
        }
    }
    rate("request-rate", answer.request_rate)?;
    rate("token-rate", answer.token_rate)?;
    let ahead = Micros(answer.closed_until).minus(now);
    if ahead > FARTHEST { Err(Nonsense::TooFar { ahead }) } else { Ok(()) }
}

fn rate(what: &'static str, value: Option<f64>) -> Result<(), Nonsense> {
    match value {
        Some(value) if !(value > 0.0 && value <= FASTEST) => Err(Nonsense::Rate { what, value }),
        _ => Ok(()),
    }
}
