//! The live host as a library: ingress, upstreams, streams, events, metrics, administration.
//!
//! [`Gateway::start`] takes checked [`config::Settings`] and policies, and serves until
//! [`Gateway::shutdown`]. A request's way through the modules:
//!
//! ```text
//! listener -> ingress (who, what, how much) -> call -> driver (the core, on its own thread)
//!   -> upstream (an attempt) -> relay (the answer, watched as it passes) -> driver (the end, settled)
//! ```

mod admin;
mod call;
mod clock;
mod complaint;
pub mod config;
mod dialect;
mod driver;
mod events;
mod facts;
mod gateway;
mod host;
mod ingress;
mod journal;
mod listener;
mod metrics;
mod models;
mod policies;
mod probes;
mod record;
mod relay;
mod respond;
mod upstream;
mod watch;

pub use clock::Clock;
pub use events::{Events, Happened, Read, What};
pub use gateway::{Ended, Gateway, StartError};
pub use policies::{Deciders, MakeFixed, Swap, check_policies};
