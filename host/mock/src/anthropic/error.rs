//! Anthropic's error bodies, in its words.

use bytes::Bytes;
use http::StatusCode;
use serde::Serialize;

use crate::fault::ErrorKind;
use crate::json;
use crate::limiter::{Dimension, Refusal};
use crate::problem::Problem;

const ORGANIZATION: &str = "00000000-0000-0000-0000-000000000000";

/// The body of an error.
#[derive(Serialize)]
pub(super) struct Envelope<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    error: Error,
    request_id: &'a str,
}

#[derive(Serialize)]
struct Error {
    #[serde(rename = "type")]
    kind: &'static str,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<Details>,
}

#[derive(Serialize)]
struct Details {
    error_code: &'static str,
}

/// Status and body of a problem.
pub(super) fn render(problem: &Problem, model: &str, request: &str) -> (StatusCode, Bytes) {
    let (status, error) = error(problem, model);
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, json::bytes(&envelope(error, request)))
}

/// An error in the place of a stream's rest.
pub(super) fn in_stream(kind: ErrorKind, request: &str) -> Envelope<'_> {
    let error = match kind {
        ErrorKind::Overloaded => plain("overloaded_error", "Overloaded"),
        ErrorKind::RateLimit => plain("rate_limit_error", "Rate limited"),
        ErrorKind::Server => plain("api_error", "Internal server error"),
    };
    envelope(error, request)
}

fn envelope(error: Error, request: &str) -> Envelope<'_> {
    Envelope { kind: "error", error, request_id: request }
}

fn error(problem: &Problem, model: &str) -> (u16, Error) {
    match problem {
        Problem::NotJson(words) => {
            (400, invalid(format!("The request body is not valid JSON: {words}")))
        }
        Problem::WrongShape(words) => (400, invalid(words.clone())),
        Problem::Invalid { field, words } => (400, invalid(format!("{field}: {words}"))),
        Problem::MissingHeader(name) => (400, invalid(format!("{name}: header is required"))),
        Problem::TooLarge(_) => {
            (413, plain("request_too_large", "Request exceeds the maximum allowed number of bytes"))
        }
        Problem::WrongKey | Problem::Status(401) => {
            (401, plain("authentication_error", "invalid x-api-key"))
        }
        Problem::UnknownModel(model) => (404, not_found(format!("model: {model}"))),
        Problem::UnknownPath(_) => (404, not_found("Not Found".to_owned())),
        Problem::WrongMethod(_) => (405, invalid("Method Not Allowed".to_owned())),
        Problem::ContextLength { limit, prompt, .. } if prompt > limit => {
            (400, invalid(format!("prompt is too long: {prompt} tokens > {limit} maximum")))
        }
        Problem::ContextLength { limit, prompt, output } => {
            let message = format!(
                "input length and `max_tokens` exceed context limit: {prompt} + {output} > {limit}, decrease \
                 input length or `max_tokens` and try again"
            );
            (400, invalid(message))
        }
        Problem::Limited(refusal) => (429, limited(refusal, model)),
        Problem::Overloaded | Problem::Status(529) => {
            (529, plain("overloaded_error", "Overloaded"))
        }
        Problem::Status(403) => {
            let message = "Your API key does not have permission to use the specified resource.";
            (403, plain("permission_error", message))
        }
        Problem::Status(504) => {
            (504, plain("timeout_error", "The request timed out while processing."))
        }
        Problem::Status(status) => (*status, plain("api_error", "Internal server error")),
    }
}

fn limited(refusal: &Refusal, model: &str) -> Error {
    let what = match refusal.dimension {
        Dimension::Quota => return quota(),
        Dimension::Concurrency => {
            let message = "Number of concurrent connections has exceeded your rate limit. Please try again \
                           later or contact sales at https://www.anthropic.com/contact-sales to discuss \
                           your options for a rate limit increase.";
            return plain("rate_limit_error", message);
        }
        Dimension::Requests => "requests",
        Dimension::Tokens => "tokens",
        Dimension::InputTokens => "input tokens",
        Dimension::OutputTokens => "output tokens",
    };
    let limit = thousands(refusal.limit);
    let message = format!(
        "This request would exceed your organization's rate limit of {limit} {what} per minute (org: \
         {ORGANIZATION}, model: {model}). For details, refer to: \
         https://docs.claude.com/en/api/rate-limits. You can see the response headers for current usage. \
         Please reduce the prompt length or the maximum tokens requested, or try again later. You may also \
         contact sales at https://www.anthropic.com/contact-sales to discuss your options for a rate limit \
         increase."
    );
    Error { kind: "rate_limit_error", message, details: None }
}

fn quota() -> Error {
    let message = "You have reached your API usage limits: your organization has crossed its monthly API \
                   usage threshold, set based on your organization's API tier.";
    let details = Some(Details { error_code: "enforced_spend_limit_reached" });
    Error { kind: "rate_limit_error", message: message.to_owned(), details }
}

fn invalid(message: String) -> Error {
    Error { kind: "invalid_request_error", message, details: None }
}

fn not_found(message: String) -> Error {
    Error { kind: "not_found_error", message, details: None }
}

fn plain(kind: &'static str, message: &str) -> Error {
    Error { kind, message: message.to_owned(), details: None }
}

/// `30,000`.
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
