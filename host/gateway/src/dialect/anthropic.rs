//! Anthropic's messages.

use std::borrow::Cow;

use bytes::Bytes;
use serde::Deserialize;
use serde_json::json;
use weir_core::Usage;

use super::{Asked, Counted, Meaning, Text};
use crate::complaint::Complaint;

#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow)]
    model: Cow<'a, str>,
    #[serde(default)]
    stream: Option<bool>,
    #[serde(default)]
    max_tokens: Option<u64>,
    #[serde(default)]
    messages: Text,
    #[serde(default)]
    system: Text,
    #[serde(default)]
    tools: Text,
}

pub(super) fn read(body: &[u8]) -> Result<Asked, serde_json::Error> {
    let request: Request<'_> = serde_json::from_slice(body)?;
    Ok(Asked {
        model: request.model.into_owned(),
        stream: request.stream.unwrap_or(false),
        max_output: request.max_tokens,
        prompt_bytes: request.messages.bytes + request.system.bytes + request.tools.bytes,
        splice: None,
    })
}

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(default)]
    message: Option<Whole>,
    #[serde(default)]
    content_block: Text,
    #[serde(default)]
    delta: Text,
    #[serde(default)]
    usage: Option<Tokens>,
}

pub(super) fn event(data: &[u8]) -> Meaning {
    let Ok(event) = serde_json::from_slice::<Event<'_>>(data) else {
        // What cannot be read may be content.
        return Meaning { content: true, ..Meaning::default() };
    };
    let started = event.message.and_then(|message| message.usage);
    let meaning =
        Meaning { usage: event.usage.or(started).map(Counted::from), ..Meaning::default() };
    match event.kind.as_ref() {
        // A block opens empty, unless it is a call of a tool.
        "content_block_start" => {
            let text = event.content_block.bytes;
            Meaning { content: text > 0, text, ..meaning }
        }
        "content_block_delta" => Meaning { content: true, text: event.delta.bytes, ..meaning },
        "message_delta" => Meaning { content: true, ..meaning },
        "message_stop" => Meaning { done: true, ..meaning },
        "error" => Meaning { error: true, ..meaning },
        _ => meaning,
    }
}

#[derive(Deserialize)]
struct Whole {
    #[serde(default)]
    usage: Option<Tokens>,
}

pub(super) fn count(body: &[u8]) -> Option<Usage> {
    Counted::from(serde_json::from_slice::<Whole>(body).ok()?.usage?).usage()
}

/// `input_tokens` leaves out what the cache gave and what it took in. The first does not count against
/// the input window, the second does. `message_start` brings the input, `message_delta` may bring the
/// output alone.
#[derive(Deserialize)]
struct Tokens {
    #[serde(default)]
    input_tokens: Option<u64>,
    #[serde(default)]
    cache_creation_input_tokens: Option<u64>,
    #[serde(default)]
    cache_read_input_tokens: Option<u64>,
    #[serde(default)]
    output_tokens: Option<u64>,
}

impl From<Tokens> for Counted {
    fn from(tokens: Tokens) -> Self {
        Self {
            fresh: tokens.input_tokens,
            written: tokens.cache_creation_input_tokens,
            cached: tokens.cache_read_input_tokens,
            cached_counts: false,
            output: tokens.output_tokens,
        }
    }
}

pub(super) fn body(complaint: &Complaint, request: &str) -> Bytes {
    let kind = match complaint.status.as_u16() {
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        408 | 504 => "timeout_error",
        409 => "conflict_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        503 | 529 => "overloaded_error",
        400..=499 => "invalid_request_error",
        _ => "api_error",
    };
    let error = json!({ "type": kind, "message": complaint.message });
    // A request that was refused before it had a name has none to tell.
    let request = (!request.is_empty()).then_some(request);
    json!({ "type": "error", "error": error, "request_id": request }).to_string().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_read_in_one_pass() {
        let asked = read(
            br#"{"model":"claude-sonnet-4-5","max_tokens":64,"stream":true,"system":"be brief",
                "messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}]}"#,
        )
        .unwrap();
        assert_eq!((asked.stream, asked.max_output, asked.prompt_bytes), (true, Some(64), 10));
    }

    #[test]
    fn counts_add_up_over_the_stream() {
        let start = event(
            br#"{"type":"message_start","message":{"usage":{"input_tokens":10,
                "cache_creation_input_tokens":5,"cache_read_input_tokens":100,"output_tokens":1}}}"#,
        );
        assert!(!start.content);
        for tokens in [r#"{"output_tokens":42}"#, r#"{"input_tokens":10,"output_tokens":42}"#] {
            let delta = format!(r#"{{"type":"message_delta","delta":{{}},"usage":{tokens}}}"#);
            let delta = event(delta.as_bytes());
            assert!(delta.content);
            let mut counted = start.usage.unwrap();
            counted.update(delta.usage.unwrap());
            let usage = counted.usage().unwrap();
            assert_eq!((usage.input_counted.0, usage.input.0), (15, 115), "{tokens}");
            assert_eq!((usage.cached.0, usage.output.0), (100, 42), "{tokens}");
        }
    }

    #[test]
    fn an_error_names_its_request_if_it_has_a_name() {
        let complaint = Complaint::overfull();
        let id = |request: &str| {
            let body: serde_json::Value =
                serde_json::from_slice(&body(&complaint, request)).unwrap();
            assert_eq!(
                (&body["type"], &body["error"]["type"]),
                (&json!("error"), &json!("overloaded_error"))
            );
            body["request_id"].clone()
        };
        assert_eq!((id("7"), id("")), (json!("7"), json!(null)));
    }

    #[test]
    fn events_are_told_apart() {
        assert_eq!(event(br#"{"type":"ping"}"#), Meaning::default());
        let delta =
            br#"{"type":"content_block_delta","delta":{"type":"text_delta","text":"four"}}"#;
        assert_eq!((event(delta).content, event(delta).text), (true, 4));
        let empty = br#"{"type":"content_block_start","content_block":{"type":"text","text":""}}"#;
        assert!(!event(empty).content);
        assert!(event(br#"{"type":"message_stop"}"#).done);
        assert!(event(br#"{"type":"error","error":{"type":"overloaded_error"}}"#).error);
    }
}
