//! What callers can post to an API.

use super::Asked;
use crate::config::Kind;

/// One of an API's paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Endpoint {
    /// A model answers.
    Generate(Kind),
    /// Anthropic tells how many tokens a prompt has. It takes a slot and a request, but no tokens.
    CountTokens,
}

impl Endpoint {
    pub(crate) const fn kind(self) -> Kind {
        match self {
            Self::Generate(kind) => kind,
            Self::CountTokens => Kind::Anthropic,
        }
    }

    /// The path that callers post to.
    pub(crate) const fn path(self) -> &'static str {
        match self {
            Self::Generate(kind) => kind.endpoint(),
            Self::CountTokens => "/v1/messages/count_tokens",
        }
    }

    /// The same path under an upstream's base.
    pub(crate) const fn upstream_path(self) -> &'static str {
        match self {
            Self::Generate(kind) => kind.upstream_path(),
            Self::CountTokens => self.path(),
        }
    }

    /// What a request needs here of what its body asks for.
    pub(crate) fn needs(self, asked: Asked) -> Asked {
        match self {
            Self::Generate(_) => asked,
            Self::CountTokens => {
                Asked { stream: false, max_output: Some(0), prompt_bytes: 0, splice: None, ..asked }
            }
        }
    }
}
