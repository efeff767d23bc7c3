//! The scheduler of weir as a pure state machine.
//!
//! Time comes in with every call, decisions come out as values. Nothing here reads a clock, spawns, blocks,
//! or draws a random number of its own, so that a live gateway and a simulation feed the same code, and one
//! recorded trace gives the same outputs in both.

mod attempt;
mod bucket;
pub mod budget;
mod caches;
pub mod cell;
pub mod claim;
pub mod config;
mod core;
pub mod draw;
pub mod estimate;
pub mod event;
pub mod fallback;
mod group;
mod hold;
pub mod ids;
mod input;
pub mod invariant;
mod item;
pub mod journal;
pub mod ledger;
mod line;
mod names;
mod order;
mod output;
pub mod policies;
mod retry_budget;
mod ring;
pub mod slots;
mod stats;
mod timers;
mod topology;
pub mod trace;
pub mod units;

pub use config::Config;
pub use core::{Core, Counters, LaneView, TenantView, UpstreamView, View};
pub use event::Event;
pub use fallback::Fallback;
pub use input::{
    Arrival, End, Facts, Input, Outcome, Response, Sent, Stage, Transport, Usage, Window,
};
pub use output::{Admit, Blocked, Bound, GiveUp, Next, Output, Refusal, Settled};
pub use policies::{Fault, Feed, Policies, Slot};
pub use topology::{Candidate, ConfigError};
