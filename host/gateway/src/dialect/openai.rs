//! OpenAI's chat completions.

use std::borrow::Cow;

use bytes::Bytes;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use weir_core::Usage;

use super::{Asked, Counted, Meaning, Splice, Text};
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
    max_completion_tokens: Option<u64>,
    #[serde(default)]
    n: Option<u64>,
    #[serde(default)]
    messages: Text,
    #[serde(default)]
    tools: Text,
    #[serde(borrow, default, deserialize_with = "raw")]
    stream_options: Option<&'a RawValue>,
}

/// A value that is there, `null` too: it has a place that matters.
fn raw<'de, D: Deserializer<'de>>(from: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(from).map(Some)
}

pub(super) fn read(body: &[u8]) -> Result<Asked, serde_json::Error> {
    let request: Request<'_> = serde_json::from_slice(body)?;
    let stream = request.stream.unwrap_or(false);
    let each = request.max_completion_tokens.or(request.max_tokens);
    Ok(Asked {
        model: request.model.into_owned(),
        stream,
        max_output: each.map(|each| each.saturating_mul(request.n.unwrap_or(1).max(1))),
        prompt_bytes: request.messages.bytes + request.tools.bytes,
        splice: if stream { ask_for_usage(body, request.stream_options) } else { None },
    })
}

/// A stream carries a count only when it is asked for with `stream_options.include_usage`. When the caller
/// does not, the request is changed in this one place, and the event it brings is taken out again.
fn ask_for_usage(body: &[u8], options: Option<&RawValue>) -> Option<Splice> {
    let Some(options) = options.filter(|raw| raw.get() != "null") else {
        // A `null` that stands there comes later than this one and would win, so it is replaced.
        return Some(match options {
            Some(null) => replace(body, null, r#"{"include_usage":true}"#.into()),
            None => insert(body)?,
        });
    };
    // Anything but an object is the provider's to refuse.
    let mut object: Map<String, Value> = serde_json::from_str(options.get()).ok()?;
    if object.get("include_usage") == Some(&Value::Bool(true)) {
        return None;
    }
    object.insert("include_usage".into(), Value::Bool(true));
    Some(replace(body, options, Value::Object(object).to_string()))
}

/// Puts the option first in the object. The object has a model, so it is not empty.
fn insert(body: &[u8]) -> Option<Splice> {
    let at = body.iter().position(|byte| *byte == b'{')? + 1;
    Some(Splice { range: at..at, with: r#""stream_options":{"include_usage":true},"#.into() })
}

fn replace(body: &[u8], part: &RawValue, with: String) -> Splice {
    let start = part.get().as_ptr() as usize - body.as_ptr() as usize;
    Splice { range: start..start + part.get().len(), with }
}

#[derive(Deserialize)]
struct Chunk {
    #[serde(default)]
    choices: Vec<Choice>,
    #[serde(default)]
    usage: Option<Tokens>,
    #[serde(default)]
    error: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default)]
    delta: Text,
    #[serde(default)]
    finish_reason: Option<IgnoredAny>,
}

pub(super) fn event(data: &[u8]) -> Meaning {
    if data.trim_ascii() == b"[DONE]" {
        return Meaning { done: true, ..Meaning::default() };
    }
    let Ok(chunk) = serde_json::from_slice::<Chunk>(data) else {
        // What cannot be read may be content.
        return Meaning { content: true, ..Meaning::default() };
    };
    let text = chunk.choices.iter().map(|choice| choice.delta.bytes).sum();
    Meaning {
        content: text > 0 || chunk.choices.iter().any(|choice| choice.finish_reason.is_some()),
        text,
        done: false,
        error: chunk.error.is_some(),
        count_only: chunk.choices.is_empty() && chunk.usage.is_some(),
        usage: chunk.usage.map(Counted::from),
    }
}

#[derive(Deserialize)]
struct Whole {
    usage: Option<Tokens>,
}

pub(super) fn count(body: &[u8]) -> Option<Usage> {
    Counted::from(serde_json::from_slice::<Whole>(body).ok()?.usage?).usage()
}

/// Cached tokens are inside `prompt_tokens` and count against its window; reasoning is inside
/// `completion_tokens`.
#[derive(Deserialize)]
struct Tokens {
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
    #[serde(default)]
    prompt_tokens_details: Option<Details>,
}

#[derive(Deserialize)]
struct Details {
    #[serde(default)]
    cached_tokens: Option<u64>,
}

impl From<Tokens> for Counted {
    fn from(tokens: Tokens) -> Self {
        let cached = tokens.prompt_tokens_details.and_then(|details| details.cached_tokens);
        let cached = cached.unwrap_or(0).min(tokens.prompt_tokens);
        Self {
            fresh: Some(tokens.prompt_tokens - cached),
            written: None,
            cached: Some(cached),
            cached_counts: true,
            output: Some(tokens.completion_tokens),
        }
    }
}

pub(super) fn body(complaint: &Complaint) -> Bytes {
    let kind = match complaint.status.as_u16() {
        401 => "authentication_error",
        429 => "rate_limit_error",
        400..=499 => "invalid_request_error",
        _ => "server_error",
    };
    let error = json!({
        "message": complaint.message, "type": kind, "param": null, "code": complaint.code,
    });
    json!({ "error": error }).to_string().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spliced(body: &str) -> Option<String> {
        let splice = read(body.as_bytes()).unwrap().splice?;
        let mut text = body.to_owned();
        text.replace_range(splice.range, &splice.with);
        Some(text)
    }

    #[test]
    fn a_request_is_read_in_one_pass() {
        let asked = read(
            br#"{"model":"gpt-4o-mini","max_tokens":10,"max_completion_tokens":20,"n":2,
                "messages":[{"role":"user","content":"four"}],"tools":[{"function":{"name":"look"}}]}"#,
        )
        .unwrap();
        assert_eq!(asked.model, "gpt-4o-mini");
        assert_eq!((asked.max_output, asked.prompt_bytes), (Some(40), 8));
        assert_eq!((asked.stream, asked.splice), (false, None));
    }

    #[test]
    fn a_stream_is_asked_to_count() {
        let options = |body: &str| {
            let json: Value = serde_json::from_str(&spliced(body).unwrap()).unwrap();
            json["stream_options"].clone()
        };
        let asked = json!({ "include_usage": true });
        assert_eq!(options(r#" {"model":"m","stream":true}"#), asked);
        assert_eq!(options(r#"{"model":"m","stream":true,"stream_options":null}"#), asked);
        assert_eq!(
            options(
                r#"{"stream_options": {"include_usage":false,"x":1},"model":"m","stream":true}"#
            ),
            json!({ "include_usage": true, "x": 1 })
        );
    }

    #[test]
    fn a_caller_that_counts_itself_is_left_alone() {
        let asking = r#"{"model":"m","stream":true,"stream_options":{"include_usage":true}}"#;
        assert_eq!(spliced(asking), None);
        assert_eq!(spliced(r#"{"model":"m"}"#), None);
    }

    #[test]
    fn events_are_told_apart() {
        let role = event(br#"{"choices":[{"delta":{"role":"assistant","content":""}}]}"#);
        assert_eq!(role, Meaning::default());
        let text = event(br#"{"choices":[{"delta":{"content":"hey"}}],"usage":null}"#);
        assert_eq!((text.content, text.text, text.count_only), (true, 3, false));
        assert!(event(br#"{"error":{"message":"overloaded"}}"#).error);
        assert!(event(b"[DONE]").done);
    }

    #[test]
    fn the_last_event_counts() {
        let last = event(
            br#"{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":4,
                "prompt_tokens_details":{"cached_tokens":5}}}"#,
        );
        assert!(last.count_only);
        let usage = last.usage.unwrap().usage().unwrap();
        assert_eq!((usage.input_counted.0, usage.cached.0, usage.output.0), (9, 5, 4));
    }
}
