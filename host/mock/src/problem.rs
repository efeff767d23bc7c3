//! What can be wrong with a request or the server, in no provider's words.

use crate::limiter::{Dimension, Refusal};

/// An answer that is not a success.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Problem {
    /// The body is not JSON, in the parser's words.
    NotJson(String),
    /// The body is JSON of another shape, in the parser's words.
    WrongShape(String),
    /// A field is missing or has no sense.
    Invalid {
        field: &'static str,
        words: String,
    },
    /// A header the provider demands is missing.
    MissingHeader(&'static str),
    /// The body is over the cap, in bytes.
    TooLarge(usize),
    /// The key is missing or wrong.
    WrongKey,
    UnknownModel(String),
    UnknownPath(String),
    WrongMethod(String),
    /// Prompt and answer exceed the context window.
    ContextLength {
        limit: u64,
        prompt: u64,
        output: u64,
    },
    /// Something ran out.
    Limited(Refusal),
    /// A status of the server's own.
    Status(u16),
    /// Too much load.
    Overloaded,
}

impl Problem {
    /// What the parser found.
    pub(crate) fn of_json(error: serde_json::Error) -> Self {
        let shape = error.classify() == serde_json::error::Category::Data;
        if shape { Self::WrongShape(error.to_string()) } else { Self::NotJson(error.to_string()) }
    }

    /// What ran out, of a refusal.
    pub(crate) fn dimension(&self) -> Option<Dimension> {
        match self {
            Self::Limited(refusal) => Some(refusal.dimension),
            _ => None,
        }
    }
}
