//! What can be wrong in a settings file, each with its place and how to mend it.

use std::io;
use std::path::PathBuf;

use weir_settings::{Complaint, lines};

use super::base_url::BadUrl;
use super::secret::BadSecret;

/// Why there are no settings.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read the settings file {}", path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file says something that cannot be done: every such thing, in the order of the file.
    #[error("{}", lines(.0))]
    Invalid(Vec<Complaint>),
    /// Policies cannot be tried on this machine.
    #[error("cannot try the policies: {0}")]
    Engine(String),
}

/// What is wrong with a value that had the right shape. No variant holds a credential.
#[derive(Debug, thiserror::Error)]
pub(super) enum Problem {
    #[error(
        "no upstream is configured; add a table like\n\n    [[upstream]]\n    name = \"main\"\n    kind = \"openai\"\n    \
         key_env = \"OPENAI_API_KEY\"\n"
    )]
    NoUpstream,
    #[error("the name {0:?} is taken by another {1} above; give each its own")]
    Doubled(String, &'static str),
    #[error(
        "the name {0:?} must have 1 to 64 letters, digits, `.`, `_` or `-`, for it becomes a label of metrics"
    )]
    BadName(String),
    #[error("a model's name must not be empty; `*` takes any model")]
    EmptyModel,
    #[error("{0}")]
    BadUrl(BadUrl),
    #[error("both `{0}` and `{1}` are given; keep one")]
    Both(&'static str, &'static str),
    #[error("the variable {0} is not set; set it before the start: `export {0}=...`")]
    NoVariable(String),
    #[error("the variable {0} cannot be used: {1}")]
    BadVariable(String, BadSecret),
    #[error("cannot read {}: {}; the file must hold the credential alone", .0.display(), .1)]
    NoFile(PathBuf, io::Error),
    #[error("the file {} cannot be used: {}", .0.display(), .1)]
    BadFile(PathBuf, BadSecret),
    #[error(
        "it is no SHA-256: 64 hexadecimal digits are needed; make them with `printf %s \"$KEY\" | sha256sum`"
    )]
    BadHash,
    #[error("the tenant has no key; give `key_sha256` or `key_env`")]
    NoKey,
    #[error("the key is another tenant's above; give each its own")]
    SameKey,
    #[error("a quota needs `tokens`, `usd` or both")]
    EmptyQuota,
    #[error(
        "{0} can be reached from other machines, which needs a `[[tenant]]` at least; \
         add one, or listen on 127.0.0.1"
    )]
    OpenToAll(std::net::SocketAddr),
    #[error("{} is no folder; make it, or take the key out", .0.display())]
    NoFolder(PathBuf),
    #[error("{0:?} is no policy's name: lower-case letters, digits and `-` are allowed")]
    BadPolicy(String),
}
