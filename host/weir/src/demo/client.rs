//! An HTTP client as the providers' SDKs are: it streams, counts usage, and retries twice.
//!
//! What it retries and how long it waits follow `openai-python` and `anthropic-sdk-python`
//! (`_base_client.py`): at most two retries; statuses 408, 409, 429 and 5xx and lost connections;
//! `x-should-retry` overrides; a hint of at most a minute is kept to; otherwise half a second, doubled each
//! time up to eight, less up to a quarter by chance. A stream that has begun is not retried.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::header::HeaderMap;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;

use super::sse;
use super::wire::{BadEvent, Piece, Wire};

/// Tries after the first.
pub(super) const MAX_RETRIES: u32 = 2;

const FIRST_DELAY: Duration = Duration::from_millis(500);
const LONGEST_DELAY: Duration = Duration::from_secs(8);
const LONGEST_HINT: Duration = Duration::from_secs(60);
/// Bytes of an error's body that are read.
const MAX_ERROR: usize = 64 << 10;
/// Bytes of a text that are read.
const MAX_TEXT: usize = 4 << 20;

/// Connections, shared by every agent of a fleet.
#[derive(Clone, Debug)]
pub(super) struct Http(Client<HttpConnector, Full<Bytes>>);

/// Where an agent sends its requests, and as whom.
#[derive(Clone, Debug)]
pub(super) struct Service {
    /// Such as `http://127.0.0.1:9101`.
    pub(super) base: String,
    /// The key that is sent.
    pub(super) key: String,
    /// The format that is spoken.
    pub(super) wire: Wire,
    /// Told to a gateway, which keeps sessions of a tenant apart.
    pub(super) session: String,
}

/// Why a call gave no answer that can be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum CallError {
    /// The service answered with an error.
    #[error("{status}: {words}")]
    Refused {
        status: StatusCode,
        /// What its headers advise.
        advice: Advice,
        /// What its body says.
        words: String,
    },
    /// No answer came, or it broke off.
    #[error("no answer: {0}")]
    Lost(String),
    /// The answer's stream told an error.
    #[error(transparent)]
    Stream(#[from] BadEvent),
}

/// What an answer's headers say about trying again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Advice {
    /// `x-should-retry`.
    pub(super) retry: Option<bool>,
    /// `retry-after-ms`, else `retry-after` in seconds.
    pub(super) after: Option<Duration>,
}

/// An answer that has begun.
#[derive(Debug)]
pub(super) struct Answer {
    /// How long a gateway kept the request waiting, when it says so.
    pub(super) queued: Option<Duration>,
    wire: Wire,
    body: Incoming,
    reader: sse::Reader,
}

impl Http {
    pub(super) fn new() -> Self {
        Self(Client::builder(TokioExecutor::new()).build_http())
    }

    /// Sends a streaming request and waits until the answer begins.
    pub(super) async fn call(&self, service: &Service, body: Bytes) -> Result<Answer, CallError> {
        let request = service.request(body).map_err(|error| CallError::Lost(error.to_string()))?;
        let response = self.0.request(request).await;
        let response = response.map_err(|error| CallError::Lost(root_cause(&error)))?;
        if !response.status().is_success() {
            return Err(refusal(response).await);
        }
        let queued = number(response.headers(), "x-weir-queue-ms").map(millis);
        let reader = sse::Reader::default();
        Ok(Answer { queued, wire: service.wire, body: response.into_body(), reader })
    }

    /// Opens a stream of events, such as `/v1/events`.
    pub(super) async fn events(&self, url: &str, token: &str) -> Result<Events, CallError> {
        let body = self.ask(url, token).await?;
        Ok(Events { body, reader: sse::Reader::default() })
    }

    /// Fetches a text.
    pub(super) async fn get(&self, url: &str, token: &str) -> Result<String, CallError> {
        let body = Limited::new(self.ask(url, token).await?, MAX_TEXT).collect().await;
        let body = body.map_err(|error| CallError::Lost(error.to_string()))?;
        Ok(String::from_utf8_lossy(&body.to_bytes()).into_owned())
    }

    async fn ask(&self, url: &str, token: &str) -> Result<Incoming, CallError> {
        let request = Request::get(url).header("authorization", format!("Bearer {token}"));
        let request = request.body(Full::default());
        let request = request.map_err(|error| CallError::Lost(error.to_string()))?;
        let response = self.0.request(request).await;
        let response = response.map_err(|error| CallError::Lost(root_cause(&error)))?;
        if response.status().is_success() {
            Ok(response.into_body())
        } else {
            Err(refusal(response).await)
        }
    }
}

impl Service {
    fn request(&self, body: Bytes) -> Result<Request<Full<Bytes>>, hyper::http::Error> {
        let mut request = Request::builder()
            .method(Method::POST)
            .uri(format!("{}{}", self.base, self.wire.path()))
            .header("content-type", "application/json")
            .header("x-weir-session", &self.session);
        for (name, value) in self.wire.headers(&self.key) {
            request = request.header(name, value);
        }
        request.body(Full::new(body))
    }
}

impl Answer {
    /// The next pieces; `None` once the connection has ended, which is too early when none was the last.
    pub(super) async fn next(&mut self) -> Result<Option<Vec<Piece>>, CallError> {
        let Some(events) = read_events(&mut self.body, &mut self.reader).await? else {
            return Ok(None);
        };
        let pieces = events.iter().map(|event| self.wire.piece(event));
        Ok(Some(pieces.collect::<Result<_, _>>()?))
    }
}

/// A stream of events.
#[derive(Debug)]
pub(super) struct Events {
    body: Incoming,
    reader: sse::Reader,
}

impl Events {
    /// The next events; `None` at the end of the stream.
    pub(super) async fn next(&mut self) -> Result<Option<Vec<sse::Event>>, CallError> {
        read_events(&mut self.body, &mut self.reader).await
    }
}

impl CallError {
    /// How long to wait before trying again, or `None` when an SDK would give up.
    pub(super) fn retry_after(&self, tried: u32, chance: f64) -> Option<Duration> {
        let advice = match self {
            Self::Refused { status, advice, .. } => {
                advice.retry.unwrap_or_else(|| worth_retrying(*status)).then_some(*advice)?
            }
            Self::Lost(_) => Advice::default(),
            Self::Stream(_) => return None,
        };
        let hint = advice.after.filter(|hint| !hint.is_zero() && *hint <= LONGEST_HINT);
        (tried < MAX_RETRIES).then(|| hint.unwrap_or_else(|| backoff(tried, chance)))
    }
}

async fn read_events(
    body: &mut Incoming,
    reader: &mut sse::Reader,
) -> Result<Option<Vec<sse::Event>>, CallError> {
    let Some(frame) = body.frame().await else { return Ok(None) };
    let frame = frame.map_err(|error| CallError::Lost(root_cause(&error)))?;
    let data = frame.into_data().unwrap_or_default();
    reader.push(&data).map(Some).map_err(|error| CallError::Lost(error.to_string()))
}

async fn refusal(response: Response<Incoming>) -> CallError {
    let status = response.status();
    let advice = Advice::of(response.headers());
    let body = Limited::new(response.into_body(), MAX_ERROR).collect().await;
    let words = body.map_or_else(
        |error| format!("its body could not be read: {error}"),
        |body| words_of(&body.to_bytes()),
    );
    CallError::Refused { status, advice, words }
}

/// The message of an error's body, where it has one in the form that both APIs share, else its start.
fn words_of(body: &[u8]) -> String {
    let error: Option<serde_json::Value> = serde_json::from_slice(body).ok();
    let message = error.as_ref().and_then(|error| error.pointer("/error/message")?.as_str());
    let text = String::from_utf8_lossy(body);
    message.unwrap_or(&text).chars().take(200).collect()
}

impl Advice {
    fn of(headers: &HeaderMap) -> Self {
        let retry = match headers.get("x-should-retry").and_then(|value| value.to_str().ok()) {
            Some("true") => Some(true),
            Some("false") => Some(false),
            _ => None,
        };
        let seconds = || number(headers, "retry-after").map(|seconds| millis(seconds * 1000.0));
        Self { retry, after: number(headers, "retry-after-ms").map(millis).or_else(seconds) }
    }
}

fn worth_retrying(status: StatusCode) -> bool {
    matches!(status.as_u16(), 408 | 409 | 429) || status.is_server_error()
}

fn backoff(tried: u32, chance: f64) -> Duration {
    let whole = FIRST_DELAY.saturating_mul(2_u32.saturating_pow(tried)).min(LONGEST_DELAY);
    whole.mul_f64(1.0 - 0.25 * chance.clamp(0.0, 1.0))
}

fn number(headers: &HeaderMap, name: &str) -> Option<f64> {
    let number: f64 = headers.get(name)?.to_str().ok()?.parse().ok()?;
    (number.is_finite() && number >= 0.0).then_some(number)
}

fn millis(ms: f64) -> Duration {
    Duration::try_from_secs_f64(ms / 1000.0).unwrap_or(Duration::MAX)
}

/// The innermost cause, which is where hyper says what happened.
fn root_cause(error: &dyn std::error::Error) -> String {
    error.source().map_or_else(|| error.to_string(), root_cause)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(status: u16, headers: &[(&'static str, &'static str)]) -> CallError {
        let headers = headers.iter().map(|(name, value)| {
            (name.parse::<hyper::header::HeaderName>().unwrap(), value.parse().unwrap())
        });
        let advice = Advice::of(&headers.collect());
        let status = StatusCode::from_u16(status).unwrap();
        CallError::Refused { status, advice, words: String::new() }
    }

    fn ms(ms: u64) -> Option<Duration> {
        Some(Duration::from_millis(ms))
    }

    #[test]
    fn hints_are_kept_to_and_the_finer_one_first() {
        let both = refused(429, &[("retry-after", "1"), ("retry-after-ms", "200")]);
        assert_eq!(both.retry_after(0, 0.0), ms(200));
        assert_eq!(refused(503, &[("retry-after", "2.5")]).retry_after(1, 0.0), ms(2500));
    }

    #[test]
    fn without_a_usable_hint_the_delay_doubles() {
        for hint in ["0", "-3", "61", "soon", "NaN"] {
            let error = refused(429, &[("retry-after", hint)]);
            assert_eq!(error.retry_after(0, 0.0), ms(500), "{hint}");
        }
        assert_eq!(refused(429, &[]).retry_after(1, 1.0), ms(750));
        assert_eq!(CallError::Lost(String::new()).retry_after(0, 0.0), ms(500));
    }

    #[test]
    fn the_message_of_an_error_is_its_words() {
        assert_eq!(words_of(br#"{"error":{"message":"slow down","type":"x"}}"#), "slow down");
        assert_eq!(words_of(b"<html>"), "<html>");
    }

    #[test]
    fn an_sdk_gives_up_after_two_retries_and_on_what_cannot_pass() {
        assert_eq!(refused(429, &[]).retry_after(MAX_RETRIES, 0.0), None);
        assert_eq!(refused(400, &[]).retry_after(0, 0.0), None);
        assert_eq!(refused(429, &[("x-should-retry", "false")]).retry_after(0, 0.0), None);
        assert_eq!(refused(400, &[("x-should-retry", "true")]).retry_after(0, 0.0), ms(500));
        assert_eq!(CallError::Stream(BadEvent::Error(String::new())).retry_after(0, 0.0), None);
    }
}
