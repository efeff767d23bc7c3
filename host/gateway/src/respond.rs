//! Responses: an answer's head, and every way of saying no in the shape of the caller's API.

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::header::{self, HeaderName, HeaderValue};
use http::{HeaderMap, StatusCode};
use weir_core::GiveUp;
use weir_core::units::Micros;
use weir_sdk::codes::kind;

use crate::call::Failure;
use crate::complaint::Complaint;
use crate::config::Kind;
use crate::host::Host;
use crate::record::Record;
use crate::relay::Relay;
use crate::upstream;

const REQUEST: HeaderName = HeaderName::from_static("x-weir-request");
const UPSTREAM: HeaderName = HeaderName::from_static("x-weir-upstream");
const ATTEMPTS: HeaderName = HeaderName::from_static("x-weir-attempts");
const QUEUE_MS: HeaderName = HeaderName::from_static("x-weir-queue-ms");
const SHOULD_RETRY: HeaderName = HeaderName::from_static("x-should-retry");
const RETRY_AFTER_MS: HeaderName = HeaderName::from_static("retry-after-ms");

/// The head of a provider's answer.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
}

/// An answer that has been opened.
pub(crate) fn answer(head: Head, mut relay: Relay, host: &Host) -> Response {
    let mut headers = upstream::for_caller(&head.headers);
    if relay.alters() {
        headers.remove(header::CONTENT_LENGTH);
    }
    headers.remove(SHOULD_RETRY);
    let record = relay.record();
    record.answered(head.status);
    describe(&mut headers, record, host);
    with(head.status, headers, Body::new(relay))
}

/// The gateway's own no.
pub(crate) fn complaint(
    kind: Kind,
    complaint: &Complaint,
    record: &mut Record,
    host: &Host,
) -> Response {
    record.answered(complaint.status);
    let mut headers = HeaderMap::new();
    describe(&mut headers, record, host);
    refuse(&mut headers, complaint.retry_after);
    let body = kind.body(complaint, &record.request());
    with(complaint.status, headers, Body::from(body))
}

/// The same, for a request that has not come far enough to have a record.
pub(crate) fn bare(kind: Kind, complaint: &Complaint) -> Response {
    let mut headers = HeaderMap::new();
    refuse(&mut headers, complaint.retry_after);
    with(complaint.status, headers, Body::from(kind.body(complaint, "")))
}

/// The provider's no, passed on with its own status and words.
pub(crate) fn failure(
    kind: Kind,
    failure: Failure,
    give_up: Option<&GiveUp>,
    record: &mut Record,
    host: &Host,
) -> Response {
    let (status, mut headers, body) = match failure {
        Failure::Response { status, .. } if !is_error(status) => {
            return complaint(kind, &Complaint::foreign(status), record, host);
        }
        Failure::Response { status, headers, body } => {
            let mut headers = upstream::for_caller(&headers);
            headers.remove(header::CONTENT_LENGTH);
            (status, headers, body)
        }
        Failure::Event(data) => (status_of(kind, give_up), HeaderMap::new(), Bytes::from(data)),
        Failure::Broken(how, words) => {
            let said = Complaint::broken(how, &format!("({words})"));
            let said = Complaint { retry_after: give_up.and_then(|up| up.retry_after), ..said };
            return complaint(kind, &said, record, host);
        }
        Failure::Cut(halt) => return complaint(kind, &halt.into(), record, host),
    };
    record.answered(status);
    describe(&mut headers, record, host);
    refuse(&mut headers, give_up.and_then(|up| up.retry_after));
    with(status, headers, Body::from(body))
}

fn is_error(status: StatusCode) -> bool {
    status.is_client_error() || status.is_server_error()
}

/// The status that an error in a stream would have had as a response.
fn status_of(api: Kind, give_up: Option<&GiveUp>) -> StatusCode {
    let overloaded = match api {
        Kind::OpenAi => 503,
        Kind::Anthropic => 529,
    };
    let status = match give_up.map_or(kind::NEUTRAL, |up| up.verdict.kind) {
        kind::OVERLOADED => overloaded,
        kind::AUTH => 401,
        kind::PERMISSION => 403,
        kind::NOT_FOUND | kind::MODEL_NOT_FOUND => 404,
        kind::BAD_REQUEST | kind::CONTEXT_LENGTH | kind::CONTENT_POLICY => 400,
        code if kind::is_throttle(code) || kind::is_spent(code) => 429,
        _ => 502,
    };
    StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY)
}

/// Says which request this was, and what became of it on the way.
fn describe(headers: &mut HeaderMap, record: &Record, host: &Host) {
    let Some((item, candidate, attempts, waited)) = record.facts() else { return };
    headers.insert(REQUEST, item.0.into());
    headers.insert(ATTEMPTS, attempts.into());
    headers.insert(QUEUE_MS, waited.as_millis().into());
    let upstream = candidate.and_then(|id| host.upstreams.candidate(id));
    if let Some((upstream, _)) = upstream
        && let Ok(name) = HeaderValue::from_str(&upstream.name)
    {
        headers.insert(UPSTREAM, name);
    }
}

/// The gateway is the one owner of retries: an SDK must not add its own.
fn refuse(headers: &mut HeaderMap, retry_after: Option<Micros>) {
    headers.entry(header::CONTENT_TYPE).or_insert(HeaderValue::from_static("application/json"));
    headers.insert(SHOULD_RETRY, HeaderValue::from_static("false"));
    if let Some(wait) = retry_after {
        headers.insert(header::RETRY_AFTER, wait.0.div_ceil(1_000_000).into());
        headers.insert(RETRY_AFTER_MS, wait.0.div_ceil(1_000).into());
    }
}

fn with(status: StatusCode, headers: HeaderMap, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}
