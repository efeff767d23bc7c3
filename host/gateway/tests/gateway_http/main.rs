//! Requests over loopback, through a whole gateway, to a scripted provider.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod admin;
mod answers;
mod bad_input;
mod drain;
mod failures;
mod hostile;
mod journal;
mod load;
mod pages;
mod passing;
mod replayed;
mod strange;
mod streams;
mod watching;
mod world;
