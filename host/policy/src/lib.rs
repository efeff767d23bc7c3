//! Loads, checks, calls, meters and swaps policy components.
//!
//! The way of a policy: [`Component::load`] compiles and checks its bytes, [`Prepared::new`] tries it with its
//! settings, both beside the path of requests; [`Slots::swap`] puts it into its slot on the scheduler's thread,
//! where [`Slots`] answers the core through its trait [`Policies`](weir_core::Policies).

mod component;
mod contract;
mod engine;
mod event;
mod folder;
mod instance;
mod meter;
mod prepared;
mod sandbox;
mod seat;
mod slots;

pub use component::{Component, Digest, LARGEST, LoadError, Source};
pub use engine::{CacheError, Engine, EngineError, Options, Pace, private_cache};
pub use event::{Event, Version};
pub use folder::{Delivery, Folder, SlotConfig, WatchError, Watcher, read};
pub use instance::Failed;
pub use meter::Meter;
pub use prepared::Prepared;
pub use seat::{Row, State};
pub use slots::Slots;
