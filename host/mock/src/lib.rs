//! A scriptable model provider over real HTTP and real wire formats.
//!
//! It stands where OpenAI's or Anthropic's server would: same paths, same bodies, same streams, same
//! headers, same refusals. What it limits, how fast it is and when it fails is a [`Script`], read from
//! TOML or built in code. Chance is seeded: the same seed and order of requests give the same latencies
//! and lengths on every machine.
//!
//! A request takes its slot and its share of every rate at once or not at all, and holds the slot until the
//! response's last byte is handed over or its reader is gone. What happened is told by
//! [`Provider::stats`], [`Provider::attempts`] and `GET /mock/stats`.
//!
//! ```
//! use weir_mock::{Mock, ProviderScript, Script};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> std::io::Result<()> {
//! let script = Script::new([ProviderScript::openai("small").concurrency(6).latency(400.0, 0.5)]);
//! let mock = Mock::start(&script.seed(7)).await?;
//! assert!(mock.providers()[0].base_url().ends_with("/v1"));
//! mock.shutdown().await;
//! # Ok(()) }
//! ```

mod anthropic;
mod ask;
mod body;
mod bucket;
mod clock;
mod dialect;
mod exchange;
mod fault;
mod gate;
mod hint;
mod json;
mod limiter;
mod openai;
mod plan;
mod prefix;
mod problem;
mod provider;
mod sample;
mod script;
mod server;
mod stats;
mod stream;
mod text;
mod tool;

pub use self::body::{Body, Cut};
pub use self::fault::{
    Effect, ErrorEvent, ErrorKind, FaultScript, Pause, RefuseEffect, RefuseKind, StreamCut,
    StreamPause,
};
pub use self::limiter::Dimension;
pub use self::provider::Provider;
pub use self::script::{
    Hint, Invalid, Kind, Latency, Limits, Output, ProviderScript, RefusalScript, Script,
    ScriptError, Tools, Window,
};
pub use self::server::Mock;
pub use self::stats::{Attempt, Outcome, Stats};
