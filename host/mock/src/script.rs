//! The script: what each provider offers, how fast it is, what it limits, and when it fails.
//!
//! A script is written as TOML ([`Script::parse`]) or built in code ([`ProviderScript::openai`] and the
//! setters). Both ways end in the same checks ([`Script::check`]).

mod build;
mod check;
mod error;
mod locate;
mod parse;

use std::net::{Ipv4Addr, SocketAddr};

use serde::{Deserialize, Serialize};

pub use self::check::Invalid;
pub use self::error::ScriptError;
use crate::fault::FaultScript;

/// Everything one server process imitates.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// The seed of every draw. The same seed and order of requests give the same latencies and lengths.
    #[serde(default)]
    pub seed: u64,
    /// The providers, each with its own listener, limits and faults.
    #[serde(rename = "provider")]
    pub providers: Vec<ProviderScript>,
}

/// One provider.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProviderScript {
    /// Name in logs and statistics; unique in the script.
    pub name: String,
    /// Where it listens; port 0 takes a free one.
    #[serde(default = "loopback")]
    pub listen: SocketAddr,
    /// Whose wire format it speaks.
    pub kind: Kind,
    /// The models it serves; `*` serves any.
    pub models: Vec<String>,
    /// The key callers must send; absent: any key or none.
    #[serde(default)]
    pub api_key: Option<String>,
    /// What it limits, over all its models together.
    #[serde(default)]
    pub limits: Limits,
    /// How the limits per minute refill.
    #[serde(default)]
    pub window: Window,
    /// Time to the first token.
    #[serde(default)]
    pub latency: Latency,
    /// Length of the answers.
    #[serde(default)]
    pub output: Output,
    /// Pace of generation after the first token; absent: as fast as it can.
    #[serde(default)]
    pub tokens_per_second: Option<f64>,
    /// Tokens in one streamed chunk.
    #[serde(default = "one")]
    pub chunk_tokens: u32,
    /// How it refuses.
    #[serde(default)]
    pub refusal: RefusalScript,
    /// Whether answers carry the provider's own limit headers, computed from the true state.
    #[serde(default)]
    pub headers: bool,
    /// When it answers with a tool call.
    #[serde(default)]
    pub tools: Tools,
    /// Whether a prompt prefix seen before is reported (and, by Anthropic, charged) as cached.
    #[serde(default)]
    pub prompt_cache: bool,
    /// The context window in tokens: prompt and `max_tokens` together; absent: no bound.
    #[serde(default)]
    pub context: Option<u32>,
    /// The largest request body taken.
    #[serde(default = "max_body_bytes")]
    pub max_body_bytes: usize,
    /// What goes wrong, and when. The first fault that matches a request strikes.
    #[serde(default, rename = "fault")]
    pub faults: Vec<FaultScript>,
}

/// A wire format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// `POST /v1/chat/completions` and what belongs to it.
    OpenAi,
    /// `POST /v1/messages` and what belongs to it.
    Anthropic,
}

/// Limits; an absent one does not exist.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Requests in flight at once.
    #[serde(default)]
    pub concurrency: Option<u32>,
    /// Requests a minute.
    #[serde(default)]
    pub rpm: Option<u32>,
    /// Input and output tokens a minute, together (how OpenAI counts).
    #[serde(default)]
    pub tpm: Option<u32>,
    /// Input tokens a minute.
    #[serde(default)]
    pub input_tpm: Option<u32>,
    /// Output tokens a minute; `max_tokens` is reserved at the start, the unused part comes back.
    #[serde(default)]
    pub output_tpm: Option<u32>,
}

/// How a limit per minute refills.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Window {
    /// Continuously; a full minute's allowance may be spent at once.
    #[default]
    Bucket,
    /// At once, each full minute after the start.
    Fixed,
}

/// Time to the first token: log-normal, or constant when `sigma` is 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Latency {
    /// Arithmetic mean in milliseconds.
    #[serde(default)]
    pub mean_ms: f64,
    /// Standard deviation of the logarithm.
    #[serde(default)]
    pub sigma: f64,
    /// Added for each other request in flight, in milliseconds.
    #[serde(default)]
    pub per_in_flight_ms: f64,
}

/// Length of an answer in tokens: log-normal, or constant when `sigma` is 0; `max_tokens` cuts it.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// Arithmetic mean in tokens.
    pub mean: f64,
    /// Standard deviation of the logarithm.
    #[serde(default)]
    pub sigma: f64,
}

impl Default for Output {
    fn default() -> Self {
        Self { mean: 16.0, sigma: 0.0 }
    }
}

/// How a refusal looks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RefusalScript {
    /// Milliseconds until the refusal is sent.
    #[serde(default)]
    pub delay_ms: u64,
    /// Which header tells when to come back.
    #[serde(default)]
    pub hint: Hint,
    /// What it tells, in milliseconds; absent: the true wait, or one second where nobody knows it.
    #[serde(default)]
    pub hint_ms: Option<u64>,
}

/// The header of a refusal that tells when to come back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Hint {
    /// No such header.
    None,
    /// `retry-after` in whole seconds, rounded up.
    #[default]
    RetryAfter,
    /// `retry-after-ms` in milliseconds.
    RetryAfterMs,
    /// Both of them.
    Both,
    /// `retry-after` as an HTTP date.
    HttpDate,
}

/// When an answer is a tool call, for requests that offer tools. `max_tokens` does not cut a call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tools {
    /// Only when `tool_choice` demands one.
    #[default]
    Asked,
    /// Also when the choice is the model's and the last message is not a tool's result.
    Always,
}

fn loopback() -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, 0))
}

const fn one() -> u32 {
    1
}

/// Anthropic's own cap.
const fn max_body_bytes() -> usize {
    32 << 20
}
