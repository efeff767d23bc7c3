//! Scalars of the file that check themselves while they are read, so that a bad one is refused with its place.

use std::fmt;
use std::time::Duration;

use serde::Deserialize;
use weir_core::units::{Micros, NanoDollars};

/// A share of a whole, 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(try_from = "f64")]
pub(super) struct Share(pub(super) f64);

/// A finite number above zero.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(try_from = "f64")]
pub(super) struct Positive(pub(super) f64);

/// A finite number, zero or more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(try_from = "f64")]
pub(super) struct Amount(pub(super) f64);

/// US dollars, zero or more, kept in billionths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(try_from = "f64")]
pub(super) struct Dollars(pub(super) NanoDollars);

/// A span of time above zero, written `200ms`, `30s` or `1h 30m`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Span(pub(super) Micros);

/// A time from the start of the run, or a span that may be nothing: `0s` is allowed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Time(pub(super) Micros);

/// A shape of numbers above zero: lognormal with this arithmetic mean, `sigma` 0 for always the mean.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table such as { mean = 300, sigma = 0.8 }")]
pub(super) struct Counts {
    pub(super) mean: Positive,
    #[serde(default)]
    pub(super) sigma: Sigma,
}

/// A shape of spans of time.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table such as { mean = \"2s\", sigma = 0.8 }")]
pub(super) struct Spans {
    pub(super) mean: Span,
    #[serde(default)]
    pub(super) sigma: Sigma,
}

/// The spread of a lognormal: the standard deviation of its logarithm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(try_from = "f64")]
pub(super) struct Sigma(pub(super) f64);

/// A wider one has no use, and its means do not settle in any run.
const WIDEST: f64 = 3.0;

/// Why a scalar is refused: what stands there and what is wanted.
#[derive(Debug, thiserror::Error)]
#[error("{found} is not {wanted}")]
pub(super) struct Unfit {
    found: String,
    wanted: &'static str,
}

fn fit<T>(made: Option<T>, found: impl fmt::Display, wanted: &'static str) -> Result<T, Unfit> {
    made.ok_or_else(|| Unfit { found: found.to_string(), wanted })
}

impl TryFrom<f64> for Share {
    type Error = Unfit;

    fn try_from(number: f64) -> Result<Self, Unfit> {
        let made = (0.0..=1.0).contains(&number).then_some(Self(number));
        fit(made, number, "a share from 0 to 1")
    }
}

impl TryFrom<f64> for Positive {
    type Error = Unfit;

    fn try_from(number: f64) -> Result<Self, Unfit> {
        let made = (number.is_finite() && number > 0.0).then_some(Self(number));
        fit(made, number, "a number above 0")
    }
}

impl TryFrom<f64> for Amount {
    type Error = Unfit;

    fn try_from(number: f64) -> Result<Self, Unfit> {
        let made = (number.is_finite() && number >= 0.0).then_some(Self(number));
        fit(made, number, "a number, 0 or more")
    }
}

impl TryFrom<f64> for Sigma {
    type Error = Unfit;

    fn try_from(number: f64) -> Result<Self, Unfit> {
        let made = (0.0..=WIDEST).contains(&number).then_some(Self(number));
        fit(made, number, "a spread from 0 to 3")
    }
}

impl TryFrom<f64> for Dollars {
    type Error = Unfit;

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the range is checked before"
    )]
    fn try_from(dollars: f64) -> Result<Self, Unfit> {
        let nano = |dollars: f64| Self(NanoDollars((dollars * 1e9).round() as u64));
        let made = (0.0..=1e9).contains(&dollars).then(|| nano(dollars));
        fit(made, dollars, "an amount of US dollars from 0 to a billion")
    }
}

impl TryFrom<String> for Span {
    type Error = Unfit;

    fn try_from(text: String) -> Result<Self, Unfit> {
        let made = micros(&text).filter(|span| *span > Micros::ZERO).map(Self);
        fit(made, format!("{text:?}"), "a span of time above 0, such as \"200ms\" or \"30s\"")
    }
}

impl TryFrom<String> for Time {
    type Error = Unfit;

    fn try_from(text: String) -> Result<Self, Unfit> {
        fit(micros(&text).map(Self), format!("{text:?}"), "a time such as \"0s\" or \"10m\"")
    }
}

/// Longer than this is no run.
const LONGEST: Duration = Duration::from_secs(400 * 86_400);

fn micros(text: &str) -> Option<Micros> {
    let span = humantime::parse_duration(text).ok().filter(|span| *span <= LONGEST)?;
    Some(Micros(u64::try_from(span.as_micros()).unwrap_or(u64::MAX)))
}
