//! Quantities as integers, so that sums are exact and replays are equal on every machine.

pub use weir_sdk::units::{Micros, NanoDollars, Tokens};
