//! The APIs that callers speak: how each one asks, counts, ends a stream and says no.
//!
//! Everything that differs between the APIs is here, behind one enum, so that ingress and relay are
//! written once. An API's requests go only to upstreams of its own kind; nothing is translated.

use bytes::Bytes;
use http::HeaderMap;
use weir_core::Usage;

use crate::complaint::Complaint;
use crate::config::Kind;

mod anthropic;
mod endpoint;
mod openai;
pub(crate) mod prefix;
mod text;

pub(crate) use endpoint::Endpoint;
pub(crate) use text::Text;

/// What the gateway needs to know of a request. The rest of the body is not looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    /// The model, as the caller names it.
    pub(crate) model: String,
    /// The answer is wanted as a stream.
    pub(crate) stream: bool,
    /// The most output that the caller allows.
    pub(crate) max_output: Option<u64>,
    /// Bytes of prompt text: messages, system, tools.
    pub(crate) prompt_bytes: u64,
    /// How to have the provider count a stream, when the caller did not ask for it.
    pub(crate) splice: Option<Splice>,
}

/// A replacement of a range of the body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Splice {
    /// Where it starts and ends; empty to insert.
    pub(crate) range: std::ops::Range<usize>,
    /// What stands there instead.
    pub(crate) with: String,
}

/// What one event of a stream means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Meaning {
    /// Part of the answer: from here on it cannot be taken back.
    pub(crate) content: bool,
    /// Bytes of generated text.
    pub(crate) text: u64,
    /// The stream is complete.
    pub(crate) done: bool,
    /// It is an error.
    pub(crate) error: bool,
    /// It only counts; callers get it if they asked for it.
    pub(crate) count_only: bool,
    /// What the provider counted so far.
    pub(crate) usage: Option<Counted>,
}

/// A provider's count as it stands in one event; what an event leaves out is absent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counted {
    /// Input that no cache had to do with.
    pub(crate) fresh: Option<u64>,
    /// Input that the provider put into its cache.
    pub(crate) written: Option<u64>,
    /// Input that it read from there.
    pub(crate) cached: Option<u64>,
    /// What it read from there counts against its input window as well.
    pub(crate) cached_counts: bool,
    pub(crate) output: Option<u64>,
}

impl Counted {
    /// Takes over what a later event says: counts are cumulative.
    pub(crate) fn update(&mut self, later: Self) {
        self.fresh = later.fresh.or(self.fresh);
        self.written = later.written.or(self.written);
        self.cached = later.cached.or(self.cached);
        self.cached_counts = later.cached_counts;
        self.output = later.output.or(self.output);
    }

    /// The count, once it has both an input and an output.
    pub(crate) fn usage(&self) -> Option<Usage> {
        use weir_core::units::Tokens;
        let cached = self.cached.unwrap_or(0);
        let beside = self.fresh?.saturating_add(self.written.unwrap_or(0));
        let input = beside.saturating_add(cached);
        Some(Usage {
            input_counted: Tokens(if self.cached_counts { input } else { beside }),
            input: Tokens(input),
            cached: Tokens(cached),
            output: Tokens(self.output?),
        })
    }
}

/// The longest name of a model; it is written to the log.
const MAX_MODEL: usize = 256;

impl Kind {
    /// The API that a request is of when its path does not tell.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        if headers.contains_key("anthropic-version") { Self::Anthropic } else { Self::OpenAi }
    }

    /// The path that callers post to.
    #[must_use]
    pub const fn endpoint(self) -> &'static str {
        match self {
            Self::OpenAi => "/v1/chat/completions",
            Self::Anthropic => "/v1/messages",
        }
    }

    /// The same path under an upstream's base.
    pub(crate) const fn upstream_path(self) -> &'static str {
        match self {
            Self::OpenAi => "/chat/completions",
            Self::Anthropic => "/v1/messages",
        }
    }

    /// Reads what the gateway needs of a request.
    ///
    /// # Errors
    ///
    /// Words for the caller when the body is no request of this API.
    pub(crate) fn read(self, body: &[u8]) -> Result<Asked, Complaint> {
        // A derived reader would take the values of its fields, in their order, for a request.
        if body.trim_ascii_start().starts_with(b"[") {
            let message = format!("the body is an array; {} takes a JSON object", self.endpoint());
            return Err(Complaint::bad_request("invalid_json", message));
        }
        let asked = match self {
            Self::OpenAi => openai::read(body),
            Self::Anthropic => anthropic::read(body),
        };
        let asked = asked.map_err(|error| {
            Complaint::bad_request(
                "invalid_json",
                format!("the body is not a JSON request of {}: {error}", self.endpoint()),
            )
        })?;
        if asked.model.len() > MAX_MODEL {
            let message = format!("the name of the model is longer than {MAX_MODEL} bytes");
            return Err(Complaint::bad_request("invalid_model", message));
        }
        Ok(asked)
    }

    /// Reads the data of one event of a stream.
    pub(crate) fn event(self, data: &[u8]) -> Meaning {
        match self {
            Self::OpenAi => openai::event(data),
            Self::Anthropic => anthropic::event(data),
        }
    }

    /// Reads the count out of a whole answer.
    pub(crate) fn count(self, body: &[u8]) -> Option<Usage> {
        match self {
            Self::OpenAi => openai::count(body),
            Self::Anthropic => anthropic::count(body),
        }
    }

    /// A complaint as the body of a response.
    pub(crate) fn body(self, complaint: &Complaint, request: &str) -> Bytes {
        match self {
            Self::OpenAi => openai::body(complaint),
            Self::Anthropic => anthropic::body(complaint, request),
        }
    }

    /// A complaint as an event in a stream that has begun.
    pub(crate) fn error_event(self, complaint: &Complaint, request: &str) -> Bytes {
        let body = self.body(complaint, request);
        let head: &[u8] = match self {
            Self::OpenAi => b"data: ",
            Self::Anthropic => b"event: error\ndata: ",
        };
        [head, &body, b"\n\n"].concat().into()
    }
}
