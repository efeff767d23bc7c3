//! OpenAI's error bodies, in its words.

use bytes::Bytes;
use http::StatusCode;
use serde::Serialize;

use super::duration;
use crate::fault::ErrorKind;
use crate::json;
use crate::limiter::{Dimension, Refusal, When};
use crate::problem::Problem;

const ORGANIZATION: &str = "org-mock";
const LEARN_MORE: &str = "Visit https://platform.openai.com/account/rate-limits to learn more.";

/// The body of an error.
#[derive(Serialize)]
pub(super) struct Envelope {
    error: Error,
}

#[derive(Serialize)]
struct Error {
    message: String,
    #[serde(rename = "type")]
    kind: &'static str,
    param: Option<&'static str>,
    code: Option<&'static str>,
}

/// Status and body of a problem.
pub(super) fn render(problem: &Problem, model: &str) -> (StatusCode, Bytes) {
    let (status, error) = error(problem, model);
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, json::bytes(&Envelope { error }))
}

/// An error in the place of a stream's chunk.
pub(super) fn in_stream(kind: ErrorKind) -> Envelope {
    let error = match kind {
        ErrorKind::Overloaded => overloaded(),
        ErrorKind::RateLimit => {
            let message = "Rate limit reached. Please try again later.".to_owned();
            Error { message, kind: "requests", param: None, code: Some("rate_limit_exceeded") }
        }
        ErrorKind::Server => server_error(),
    };
    Envelope { error }
}

fn error(problem: &Problem, model: &str) -> (u16, Error) {
    match problem {
        Problem::NotJson(words) => {
            let message = format!(
                "We could not parse the JSON body of your request. (HINT: This likely means you aren't \
                 using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was \
                 sent was not valid JSON: {words}.)"
            );
            (400, invalid(message, None, None))
        }
        Problem::WrongShape(words) => {
            (400, invalid(format!("Invalid request: {words}."), None, None))
        }
        Problem::Invalid { field, words } => (400, invalid(words.clone(), Some(field), None)),
        Problem::MissingHeader(name) => {
            (400, invalid(format!("Missing required header: '{name}'."), None, None))
        }
        Problem::TooLarge(cap) => {
            (413, invalid(format!("Request body exceeds {cap} bytes."), None, None))
        }
        Problem::WrongKey => (401, wrong_key()),
        Problem::UnknownModel(model) => {
            let message =
                format!("The model `{model}` does not exist or you do not have access to it.");
            (404, invalid(message, None, Some("model_not_found")))
        }
        Problem::UnknownPath(path) => {
            (404, invalid(format!("Invalid URL ({path})"), None, Some("unknown_url")))
        }
        Problem::WrongMethod(method) => {
            let message = format!("Not allowed to {method} on this path.");
            (405, invalid(message, None, Some("method_not_supported")))
        }
        Problem::ContextLength { limit, prompt, output } => {
            let message = format!(
                "This model's maximum context length is {limit} tokens. However, you requested {} tokens \
                 ({prompt} in the messages, {output} in the completion). Please reduce the length of the \
                 messages or completion.",
                prompt + output
            );
            (400, invalid(message, Some("messages"), Some("context_length_exceeded")))
        }
        Problem::Limited(refusal) => (429, limited(refusal, model)),
        Problem::Overloaded => (503, overloaded()),
        Problem::Status(401) => (401, wrong_key()),
        Problem::Status(403) => {
            let message = "Country, region, or territory not supported".to_owned();
            let code = Some("unsupported_country_region_territory");
            (403, Error { message, kind: "request_forbidden", param: None, code })
        }
        Problem::Status(503 | 529) => (503, overloaded()),
        Problem::Status(status) => (*status, server_error()),
    }
}

fn limited(refusal: &Refusal, model: &str) -> Error {
    let Refusal { dimension, limit, used, requested, when } = refusal;
    let (kind, what) = match dimension {
        Dimension::Quota => return quota(),
        Dimension::Concurrency => ("requests", "concurrent requests"),
        Dimension::Requests => ("requests", "requests per min (RPM)"),
        Dimension::Tokens => ("tokens", "tokens per min (TPM)"),
        Dimension::InputTokens => ("tokens", "input tokens per min (TPM)"),
        Dimension::OutputTokens => ("tokens", "output tokens per min (TPM)"),
    };
    let place = format!("{model} in organization {ORGANIZATION} on {what}");
    let message = match when {
        When::Never => format!(
            "Request too large for {place}: Limit {limit}, Requested {requested}. The input or output \
             tokens must be reduced in order to run successfully. {LEARN_MORE}"
        ),
        When::After(wait) => format!(
            "Rate limit reached for {place}: Limit {limit}, Used {used}, Requested {requested}. Please try \
             again in {}. {LEARN_MORE}",
            duration::go(*wait)
        ),
        When::Unknown => format!(
            "Rate limit reached for {place}: Limit {limit}, Used {used}, Requested {requested}. Please try \
             again later. {LEARN_MORE}"
        ),
    };
    Error { message, kind, param: None, code: Some("rate_limit_exceeded") }
}

fn quota() -> Error {
    let message = "You exceeded your current quota, please check your plan and billing details. For more \
                   information on this error, read the docs: \
                   https://platform.openai.com/docs/guides/error-codes/api-errors.";
    let kind = "insufficient_quota";
    Error { message: message.to_owned(), kind, param: None, code: Some(kind) }
}

fn overloaded() -> Error {
    let message =
        "That model is currently overloaded with other requests. You can retry your request.";
    Error { message: message.to_owned(), kind: "server_error", param: None, code: None }
}

fn server_error() -> Error {
    let message = "The server had an error while processing your request. Sorry about that!";
    Error { message: message.to_owned(), kind: "server_error", param: None, code: None }
}

fn wrong_key() -> Error {
    let message = "Incorrect API key provided. You can find your API key at \
                   https://platform.openai.com/account/api-keys.";
    invalid(message.to_owned(), None, Some("invalid_api_key"))
}

fn invalid(message: String, param: Option<&'static str>, code: Option<&'static str>) -> Error {
    Error { message, kind: "invalid_request_error", param, code }
}
