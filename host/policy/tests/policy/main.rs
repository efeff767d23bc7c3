//! What the host makes of policies, good and bad.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test's panic is its verdict")]

mod calls;
mod folder;
mod hostile;
mod limits;
mod refusals;
mod soak;
mod support;
mod swaps;
