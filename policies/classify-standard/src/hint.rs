//! How long a provider says to wait.

use std::time::SystemTime;

use weir_sdk::Micros;
use weir_sdk::classify::Response;
use weir_sdk::serde_json::Value;

use crate::clock::{seconds, span, until, wall};
use crate::error::Found;

/// What stands before a span in a message.
const BEFORE_SPAN: &[&str] = &[
    "try again in ",
    "retry in ",
    "retry after ",
    "resets in ",
    "please wait ",
    "try again after ",
    "after ",
];

/// Limit headers that are exhausted when they say 0, each with the header that says until when.
const RESETS: &[(&str, &str)] = &[
    ("anthropic-ratelimit-requests-remaining", "anthropic-ratelimit-requests-reset"),
    ("anthropic-ratelimit-input-tokens-remaining", "anthropic-ratelimit-input-tokens-reset"),
    ("anthropic-ratelimit-output-tokens-remaining", "anthropic-ratelimit-output-tokens-reset"),
    ("anthropic-ratelimit-tokens-remaining", "anthropic-ratelimit-tokens-reset"),
    ("x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"),
    ("x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"),
    ("x-ratelimit-remaining", "x-ratelimit-reset"),
];

/// The wait from the most exact place that has one.
pub(crate) fn wait(response: &Response, found: &Found) -> Option<Micros> {
    let millis = ["retry-after-ms", "x-ms-retry-after-ms", "x-amz-retry-after"]
        .iter()
        .find_map(|name| seconds(response.header(name)?.trim().parse::<f64>().ok()? / 1e3));
    millis
        .or_else(|| retry_after(response))
        .or_else(|| found.waits.iter().find_map(|(name, value)| field(name, value)))
        .or_else(|| RESETS.iter().find_map(|reset| exhausted(response, reset)))
        .or_else(|| unified(response))
        .or_else(|| words(&found.text))
}

/// When the reply was made: its own date, or the host's wall time.
fn made(response: &Response) -> SystemTime {
    let date = response.header("date").and_then(|date| httpdate::parse_http_date(date).ok());
    date.unwrap_or_else(|| wall(response.wall_ms))
}

/// Seconds, or an HTTP date.
fn retry_after(response: &Response) -> Option<Micros> {
    let value = response.header("retry-after")?.trim();
    if let Ok(number) = value.parse() {
        return seconds(number);
    }
    until(made(response), httpdate::parse_http_date(value).ok()?)
}

/// A field of the body: milliseconds, seconds, or a span as text.
fn field(name: &str, value: &Value) -> Option<Micros> {
    let unit = if name.ends_with("_ms") { 1e-3 } else { 1.0 };
    match value {
        Value::Number(number) => seconds(number.as_f64()? * unit),
        Value::String(text) => match text.parse::<f64>() {
            Ok(number) => seconds(number * unit),
            Err(_) => span(&text.to_lowercase()),
        },
        _ => None,
    }
}

/// The reset of a limit of which nothing is left.
fn exhausted(response: &Response, (remaining, reset): &(&str, &str)) -> Option<Micros> {
    if response.header(remaining)?.trim() != "0" {
        return None;
    }
    let value = response.header(reset)?.trim();
    if let Ok(date) = humantime::parse_rfc3339(value) {
        return until(made(response), date);
    }
    match value.parse::<f64>() {
        Ok(number) => epoch_or_span(response, number),
        Err(_) => span(&value.to_lowercase()),
    }
}

/// The reset of a plan's windows, as Anthropic sends them to subscribers.
fn unified(response: &Response) -> Option<Micros> {
    if response.header("anthropic-ratelimit-unified-status")? != "rejected" {
        return None;
    }
    epoch_or_span(response, response.header("anthropic-ratelimit-unified-reset")?.parse().ok()?)
}

/// Seconds since 1970 when the number is that large, and seconds from now otherwise.
fn epoch_or_span(response: &Response, number: f64) -> Option<Micros> {
    if number < 1e9 {
        return seconds(number);
    }
    (number < 1e11).then(|| wall((number * 1e3) as u64)).and_then(|at| until(made(response), at))
}

/// A span in the message.
fn words(text: &str) -> Option<Micros> {
    BEFORE_SPAN.iter().find_map(|phrase| {
        text.match_indices(phrase).find_map(|(at, _)| span(&text[at + phrase.len()..]))
    })
}
