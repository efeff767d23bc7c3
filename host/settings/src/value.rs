//! Scalars that check themselves while they are read, so that a bad one is refused with its place.

use std::fmt;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use weir_core::units::{Micros, NanoDollars};

/// A share of a whole, 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Share(f64);

/// A finite number above zero.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Positive(f64);

/// A finite number, zero or more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(try_from = "f64")]
pub struct Amount(f64);

/// US dollars, zero or more, kept in billionths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Dollars(NanoDollars);

/// A span of time above zero, written `200ms`, `30s` or `1h 30m`; 400 days at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct Span(Micros);

/// A time from a beginning, or a span that may be nothing: `0s` is allowed; 400 days at most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub struct Time(Micros);

/// Nothing here is waited for or run longer.
const LONGEST: Duration = Duration::from_secs(400 * 86_400);

impl Share {
    /// The nearest share to a number.
    #[must_use]
    pub const fn new(share: f64) -> Self {
        Self(share.clamp(0.0, 1.0))
    }

    /// From 0 to 1.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }

    /// In thousandths, rounded.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "0 to 1000 by construction"
    )]
    pub fn thousandths(self) -> u16 {
        (self.0 * 1_000.0).round() as u16
    }
}

impl Positive {
    /// The nearest such number to another.
    #[must_use]
    pub const fn new(number: f64) -> Self {
        Self(number.clamp(f64::MIN_POSITIVE, f64::MAX))
    }

    /// Finite and above 0.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }
}

impl Amount {
    /// Finite, 0 or more.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }
}

impl Dollars {
    /// In billionths.
    #[must_use]
    pub const fn nano(self) -> NanoDollars {
        self.0
    }
}

impl Span {
    /// A span that a program knows: at least a microsecond.
    #[must_use]
    pub const fn new(span: Micros) -> Self {
        Self(if span.0 == 0 { Micros(1) } else { span })
    }

    /// In microseconds.
    #[must_use]
    pub const fn get(self) -> Micros {
        self.0
    }

    /// As the standard library has it.
    #[must_use]
    pub const fn duration(self) -> Duration {
        Duration::from_micros(self.0.0)
    }
}

impl Time {
    /// In microseconds.
    #[must_use]
    pub const fn get(self) -> Micros {
        self.0
    }
}

/// Why a scalar is refused: what stands there and what is wanted.
#[derive(Debug, thiserror::Error)]
#[error("{found} is not {wanted}")]
pub struct Unfit {
    found: String,
    wanted: &'static str,
}

impl Unfit {
    /// Of a value as it is written.
    pub fn new(found: impl fmt::Display, wanted: &'static str) -> Self {
        Self { found: found.to_string(), wanted }
    }
}

impl TryFrom<f64> for Share {
    type Error = Unfit;

    fn try_from(number: f64) -> Result<Self, Unfit> {
        let made = (0.0..=1.0).contains(&number).then_some(Self(number));
        made.ok_or_else(|| Unfit::new(number, "a share from 0 to 1"))
    }
}

impl TryFrom<f64> for Positive {
    type Error = Unfit;

    fn try_from(number: f64) -> Result<Self, Unfit> {
        let made = (number.is_finite() && number > 0.0).then_some(Self(number));
        made.ok_or_else(|| Unfit::new(number, "a number above 0"))
    }
}

impl TryFrom<f64> for Amount {
    type Error = Unfit;

    fn try_from(number: f64) -> Result<Self, Unfit> {
        let made = (number.is_finite() && number >= 0.0).then_some(Self(number));
        made.ok_or_else(|| Unfit::new(number, "a number, 0 or more"))
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
        if (0.0..=1e9).contains(&dollars) {
            Ok(Self(NanoDollars((dollars * 1e9).round() as u64)))
        } else {
            Err(Unfit::new(dollars, "an amount of US dollars from 0 to a billion"))
        }
    }
}

impl TryFrom<String> for Span {
    type Error = Unfit;

    fn try_from(text: String) -> Result<Self, Unfit> {
        let wanted = "a span of time above 0, such as \"200ms\" or \"30s\"";
        match micros(&text, wanted)? {
            Micros::ZERO => Err(Unfit::new(format!("{text:?}"), wanted)),
            span => Ok(Self(span)),
        }
    }
}

impl TryFrom<String> for Time {
    type Error = Unfit;

    fn try_from(text: String) -> Result<Self, Unfit> {
        micros(&text, "a time such as \"0s\" or \"10m\"").map(Self)
    }
}

fn micros(text: &str, wanted: &'static str) -> Result<Micros, Unfit> {
    let unfit = |wanted| Unfit::new(format!("{text:?}"), wanted);
    let span = humantime::parse_duration(text).map_err(|_| unfit(wanted))?;
    if span > LONGEST {
        return Err(unfit("at most 400 days, which is the longest"));
    }
    Ok(Micros(u64::try_from(span.as_micros()).unwrap_or(u64::MAX)))
}

impl From<Share> for f64 {
    fn from(share: Share) -> Self {
        share.0
    }
}

impl From<Positive> for f64 {
    fn from(number: Positive) -> Self {
        number.0
    }
}

impl From<Dollars> for f64 {
    #[expect(clippy::cast_precision_loss, reason = "shown in the schema as a default only")]
    fn from(dollars: Dollars) -> Self {
        dollars.0.0 as Self / 1e9
    }
}

impl From<Span> for String {
    fn from(span: Span) -> Self {
        humantime::format_duration(span.duration()).to_string()
    }
}

macro_rules! schema {
    ($type:ty, $name:literal, $schema:tt) => {
        impl JsonSchema for $type {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                $name.into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        }
    };
}

schema!(Share, "Share", { "type": "number", "minimum": 0, "maximum": 1 });
schema!(Positive, "Positive", { "type": "number", "exclusiveMinimum": 0 });
schema!(Dollars, "Dollars", { "type": "number", "minimum": 0, "maximum": 1_000_000_000 });
schema!(Span, "Span", { "type": "string", "examples": ["200ms", "30s", "1h 30m"] });
