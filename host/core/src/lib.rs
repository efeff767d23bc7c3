//! The scheduler of weir as a pure state machine.
//!
//! Time comes in with every call, decisions come out as values. Nothing here reads a clock, spawns, blocks,
//! or draws a random number of its own, so that a live gateway and a simulation feed the same code, and one
//! recorded trace gives the same outputs in both.

mod bucket;
pub mod budget;
pub mod cell;
pub mod claim;
pub mod config;
pub mod draw;
pub mod estimate;
pub mod event;
pub mod ids;
mod input;
pub mod ledger;
mod output;
pub mod policies;
pub mod slots;
pub mod units;

pub use config::Config;
pub use event::Event;
pub use input::{Arrival, End, Facts, Input, Outcome, Response, Sent, Stage, Transport, Usage, Window};
pub use output::{Admit, Blocked, Bound, GiveUp, Next, Output, Refusal, Settled};
pub use policies::{Fault, Feed, Policies, Slot};
