//! Distributions as a file says them.

use serde::Deserialize;
use weir_settings::value::{Positive, Span, Unfit};

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

impl TryFrom<f64> for Sigma {
    type Error = Unfit;

    fn try_from(number: f64) -> Result<Self, Unfit> {
        let made = (0.0..=WIDEST).contains(&number).then_some(Self(number));
        made.ok_or_else(|| Unfit::new(number, "a spread from 0 to 3"))
    }
}
