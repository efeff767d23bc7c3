//! The mock as its users see it: over the wire shapes, in virtual time, and over real sockets.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;
mod examples;
mod limits;
mod pace;
mod socket;
mod wire;
