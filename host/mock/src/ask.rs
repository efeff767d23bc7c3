//! What a request asks for, in no provider's words.

use crate::prefix::Prompt;
use crate::tool::Offer;

/// A well-formed request.
#[derive(Debug)]
pub(crate) struct Ask {
    pub(crate) model: String,
    pub(crate) stream: bool,
    /// Whether a stream is to end with usage (OpenAI's `stream_options.include_usage`).
    pub(crate) include_usage: bool,
    pub(crate) max_tokens: Option<u64>,
    pub(crate) prompt: Prompt,
    pub(crate) tools: Option<Offer>,
}

impl Ask {
    /// Prompt and longest answer together.
    pub(crate) fn whole_tokens(&self) -> u64 {
        self.prompt.tokens().saturating_add(self.max_tokens.unwrap_or(0))
    }
}
