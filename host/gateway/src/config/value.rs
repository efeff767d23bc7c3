//! Scalars of the file that check themselves while they are read, so that a bad one is refused with its place.

use std::fmt;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use weir_core::units::{Micros, NanoDollars};

/// A share of a whole, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(try_from = "f64", into = "f64")]
pub(super) struct Share(f64);

/// A finite number above zero.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(try_from = "f64", into = "f64")]
pub(super) struct Positive(f64);

/// US dollars, zero or more, kept in billionths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(try_from = "f64", into = "f64")]
pub(super) struct Dollars(NanoDollars);

/// A span of time above zero, written `200ms`, `30s` or `1h 30m`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub(super) struct Span(Duration);

impl Share {
    pub(super) const fn new(share: f64) -> Self {
        Self(share)
    }

    pub(super) const fn get(self) -> f64 {
        self.0
    }

    /// In thousandths, rounded.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "0 to 1000 by construction"
    )]
    pub(super) fn thousandths(self) -> u16 {
        (self.0 * 1_000.0).round() as u16
    }
}

impl Positive {
    pub(super) const fn new(number: f64) -> Self {
        Self(number)
    }

    pub(super) const fn get(self) -> f64 {
        self.0
    }
}

impl Dollars {
    pub(super) const fn nano(self) -> NanoDollars {
        self.0
    }
}

impl Span {
    pub(super) const fn new(span: Duration) -> Self {
        Self(span)
    }

    pub(super) const fn from_micros(span: Micros) -> Self {
        Self(Duration::from_micros(span.0))
    }

    pub(super) const fn get(self) -> Duration {
        self.0
    }

    pub(super) fn micros(self) -> Micros {
        Micros(u64::try_from(self.0.as_micros()).unwrap_or(u64::MAX))
    }
}

/// Why a scalar is refused: what stands there and what is wanted.
#[derive(Debug, thiserror::Error)]
#[error("{found} is not {wanted}")]
pub(super) struct Unfit {
    found: String,
    wanted: &'static str,
}

impl Unfit {
    fn new(found: impl fmt::Display, wanted: &'static str) -> Self {
        Self { found: found.to_string(), wanted }
    }
}

impl TryFrom<f64> for Share {
    type Error = Unfit;

    fn try_from(number: f64) -> Result<Self, Unfit> {
        if (0.0..=1.0).contains(&number) {
            Ok(Self(number))
        } else {
            Err(Unfit::new(number, "a share from 0 to 1"))
        }
    }
}

impl TryFrom<f64> for Positive {
    type Error = Unfit;

    fn try_from(number: f64) -> Result<Self, Unfit> {
        if number.is_finite() && number > 0.0 {
            Ok(Self(number))
        } else {
            Err(Unfit::new(number, "a number above 0"))
        }
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
        match humantime::parse_duration(&text) {
            Ok(span) if !span.is_zero() => Ok(Self(span)),
            _ => Err(Unfit::new(
                format!("{text:?}"),
                "a span of time above 0, such as \"200ms\" or \"30s\"",
            )),
        }
    }
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
        humantime::format_duration(span.0).to_string()
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
