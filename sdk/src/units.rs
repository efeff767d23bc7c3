//! Numbers with their unit, for the code of a policy.
//!
//! On the wire these are plain `u64` ([`crate::types`]); a policy wraps what it computes with. Arithmetic
//! saturates: a time far in the future stays there, and nothing falls below zero.
//!
//! ```
//! use weir_sdk::units::{Micros, NanoDollars, Tokens};
//!
//! let now = Micros::from_secs(10);
//! assert_eq!(now + Micros::from_millis(250), Micros(10_250_000));
//! assert_eq!(Micros(5) - Micros(9), Micros::ZERO);
//! assert_eq!(Tokens(3) * 4, Tokens(12));
//! assert_eq!(NanoDollars::from_dollars(0.25).to_string(), "$0.250000000");
//! ```

use std::fmt;
use std::ops::{Add, AddAssign, Div, Mul, Sub, SubAssign};

use serde::{Deserialize, Serialize};

macro_rules! unit {
    ($(#[$doc:meta])* $Unit:ident) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        #[serde(transparent)]
        pub struct $Unit(pub u64);

        impl $Unit {
            /// None of it.
            pub const ZERO: Self = Self(0);

            /// The largest value.
            pub const MAX: Self = Self(u64::MAX);

            /// The sum, as `+` gives it; for constants and chains of calls.
            #[must_use]
            pub const fn plus(self, other: Self) -> Self {
                Self(self.0.saturating_add(other.0))
            }

            /// The difference, as `-` gives it; for constants and chains of calls.
            #[must_use]
            pub const fn minus(self, other: Self) -> Self {
                Self(self.0.saturating_sub(other.0))
            }

            /// Multiplied by a factor; a negative or undefined one gives zero.
            #[must_use]
            pub fn scale(self, factor: f64) -> Self {
                // A float's cast to an integer saturates, and takes NaN to zero.
                Self((self.0 as f64 * factor) as u64)
            }
        }

        impl From<u64> for $Unit {
            fn from(value: u64) -> Self {
                Self(value)
            }
        }

        impl From<$Unit> for u64 {
            fn from(unit: $Unit) -> Self {
                unit.0
            }
        }

        impl Add for $Unit {
            type Output = Self;

            fn add(self, other: Self) -> Self {
                self.plus(other)
            }
        }

        impl AddAssign for $Unit {
            fn add_assign(&mut self, other: Self) {
                *self = *self + other;
            }
        }

        impl Sub for $Unit {
            type Output = Self;

            fn sub(self, other: Self) -> Self {
                self.minus(other)
            }
        }

        impl SubAssign for $Unit {
            fn sub_assign(&mut self, other: Self) {
                *self = *self - other;
            }
        }

        impl Mul<u64> for $Unit {
            type Output = Self;

            fn mul(self, times: u64) -> Self {
                Self(self.0.saturating_mul(times))
            }
        }

        impl Div<u64> for $Unit {
            type Output = Self;

            /// Divided; by zero gives the largest value.
            fn div(self, parts: u64) -> Self {
                Self(self.0.checked_div(parts).unwrap_or(u64::MAX))
            }
        }
    };
}

unit! {
    /// A span of time, or a point in the host's time, in microseconds.
    Micros
}

unit! {
    /// A number of model tokens.
    Tokens
}

unit! {
    /// Money in billionths of a US dollar.
    NanoDollars
}

impl Micros {
    /// One second.
    pub const SECOND: Self = Self(1_000_000);

    /// So many milliseconds.
    #[must_use]
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis.saturating_mul(1_000))
    }

    /// So many seconds.
    #[must_use]
    pub const fn from_secs(secs: u64) -> Self {
        Self(secs.saturating_mul(1_000_000))
    }

    /// In seconds.
    #[must_use]
    pub const fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// In whole milliseconds.
    #[must_use]
    pub const fn as_millis(self) -> u64 {
        self.0 / 1_000
    }
}

impl NanoDollars {
    /// So many dollars; a negative or undefined number gives zero.
    #[must_use]
    pub fn from_dollars(dollars: f64) -> Self {
        Self((dollars * 1e9) as u64)
    }
}

impl fmt::Display for Micros {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} s", self.as_secs_f64())
    }
}

impl fmt::Display for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} tokens", self.0)
    }
}

impl fmt::Display for NanoDollars {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "${}.{:09}", self.0 / 1_000_000_000, self.0 % 1_000_000_000)
    }
}
