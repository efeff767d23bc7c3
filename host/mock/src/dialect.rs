//! A wire format: how requests are read and answers are written.

use bytes::Bytes;
use http::{HeaderMap, StatusCode};

use crate::anthropic::Anthropic;
use crate::ask::Ask;
use crate::clock::{Clock, Micros};
use crate::fault::ErrorKind;
use crate::limiter::Levels;
use crate::openai::OpenAi;
use crate::plan::Plan;
use crate::problem::Problem;
use crate::script::Kind;

/// A provider's format. Stateless: everything is told.
pub(crate) trait Dialect: Send + Sync {
    /// The path that generates.
    fn path(&self) -> &'static str;

    /// The path that tells how many tokens a prompt has, where there is one.
    fn count_path(&self) -> Option<&'static str> {
        None
    }

    /// What follows the address in a client's base URL.
    fn base_path(&self) -> &'static str;

    /// The header that names the request.
    fn id_header(&self) -> &'static str;

    /// The key a caller sent.
    fn key<'h>(&self, headers: &'h HeaderMap) -> Option<&'h str>;

    /// Reads a generating request.
    fn read(&self, headers: &HeaderMap, body: &[u8]) -> Result<Ask, Problem>;

    /// Reads a request for the tokens of a prompt.
    fn read_count(&self, headers: &HeaderMap, body: &[u8]) -> Result<Ask, Problem> {
        self.read(headers, body)
    }

    /// Input tokens that count against the limits.
    fn counted_input(&self, input: u64, cached: u64) -> u64;

    /// A whole answer.
    fn whole(&self, plan: &Plan) -> Bytes;

    /// The bytes of one step of a stream.
    fn event(&self, plan: &Plan, step: Step) -> Bytes;

    /// An error's status and body.
    fn problem(&self, problem: &Problem, model: &str, request: &str) -> (StatusCode, Bytes);

    /// The provider's own limit headers.
    fn limit_headers(&self, levels: &Levels, now: Micros, clock: &Clock, headers: &mut HeaderMap);

    /// The list of models.
    fn models(&self, models: &[String]) -> Bytes;
}

/// A step of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// What precedes the content.
    Open,
    /// The n-th chunk of content, from 0.
    Chunk(u64),
    /// What follows the content.
    Close,
    /// An error instead of the rest.
    Error(ErrorKind),
}

impl Kind {
    pub(crate) fn dialect(self) -> &'static dyn Dialect {
        match self {
            Self::OpenAi => &OpenAi,
            Self::Anthropic => &Anthropic,
        }
    }
}

/// The token of an `authorization: Bearer` header.
pub(crate) fn bearer(headers: &HeaderMap) -> Option<&str> {
    headers.get(http::header::AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ")
}
