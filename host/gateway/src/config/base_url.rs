//! Where an upstream is.

use std::fmt;

use http::Uri;

use super::Kind;

/// The part of an upstream's address that all its paths share: scheme, host and a prefix of the path.
#[derive(Clone, PartialEq, Eq)]
pub struct BaseUrl {
    text: String,
}

impl BaseUrl {
    /// Reads `http://host[:port][/prefix]` or the same with `https`.
    ///
    /// # Errors
    ///
    /// The text is no such address.
    pub fn parse(text: &str) -> Result<Self, BadUrl> {
        let uri: Uri = text.parse().map_err(|_| BadUrl::Syntax)?;
        match uri.scheme_str() {
            Some("http" | "https") => {}
            _ => return Err(BadUrl::Scheme),
        }
        let authority = uri.authority().ok_or(BadUrl::Syntax)?;
        if authority.as_str().contains('@') {
            return Err(BadUrl::Credentials);
        }
        if authority.host().is_empty() {
            return Err(BadUrl::Syntax);
        }
        if uri.query().is_some() || text.contains('#') {
            return Err(BadUrl::Query);
        }
        Ok(Self { text: text.trim_end_matches('/').to_owned() })
    }

    /// The provider's public address.
    pub(super) fn public(kind: Kind) -> Self {
        Self { text: kind.base_url().to_owned() }
    }

    /// The address of a path, which starts with a slash and may have a query.
    ///
    /// # Errors
    ///
    /// The path holds what no address may hold.
    pub fn join(&self, path: &str) -> Result<Uri, http::uri::InvalidUri> {
        format!("{}{path}", self.text).parse()
    }

    /// As written, without a slash at the end.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl fmt::Debug for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(f)
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(f)
    }
}

/// Why a text is no base address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadUrl {
    /// Not an address at all.
    #[error("it is no URL; write it like `https://api.example.com/v1`")]
    Syntax,
    /// Another scheme, or none.
    #[error("it must start with `http://` or `https://`")]
    Scheme,
    /// A name or password before the host.
    #[error("it must hold no user or password; give the credential with `key_env` or `key_file`")]
    Credentials,
    /// A query or a fragment.
    #[error("it must have neither a query nor a fragment")]
    Query,
}
