//! The two wire formats that the agents speak: requests out, pieces of a streamed answer in.

use serde::Deserialize;
use serde_json::{Value, json};

use super::corpus::SYSTEM;
use super::sse::Event;

/// A wire format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wire {
    /// `POST /v1/chat/completions`.
    OpenAi,
    /// `POST /v1/messages`.
    Anthropic,
}

/// Who said a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    User,
    Assistant,
}

/// A message of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Message {
    pub(super) role: Role,
    pub(super) text: String,
}

/// What one event of a stream adds. Token counts are totals of the answer so far, as both APIs send them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) text: String,
    pub(super) input: Option<u64>,
    pub(super) output: Option<u64>,
    /// The answer is complete.
    pub(super) done: bool,
}

/// An event that is no piece of an answer.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum BadEvent {
    /// The provider ended the stream with an error.
    #[error("the stream ended with an error: {0}")]
    Error(String),
    /// It is not what the API sends.
    #[error("the stream has an event that cannot be read: {0}")]
    Unreadable(String),
}

impl Wire {
    /// The request's path.
    pub(super) const fn path(self) -> &'static str {
        match self {
            Self::OpenAi => "/v1/chat/completions",
            Self::Anthropic => "/v1/messages",
        }
    }

    /// The headers that the API wants, the key among them.
    pub(super) fn headers(self, key: &str) -> Vec<(&'static str, String)> {
        match self {
            Self::OpenAi => vec![("authorization", format!("Bearer {key}"))],
            Self::Anthropic => {
                vec![("x-api-key", key.to_owned()), ("anthropic-version", "2023-06-01".to_owned())]
            }
        }
    }

    /// The body of a streaming request.
    pub(super) fn body(self, model: &str, messages: &[Message], max_tokens: u32) -> Value {
        let said = messages.iter().map(Message::to_json);
        match self {
            Self::OpenAi => {
                let system = json!({"role": "system", "content": SYSTEM});
                let messages: Vec<Value> = std::iter::once(system).chain(said).collect();
                json!({
                    "model": model, "messages": messages, "max_completion_tokens": max_tokens,
                    "stream": true, "stream_options": {"include_usage": true},
                })
            }
            Self::Anthropic => json!({
                "model": model, "system": SYSTEM, "messages": said.collect::<Vec<_>>(),
                "max_tokens": max_tokens, "stream": true,
            }),
        }
    }

    /// Reads one event of a stream.
    pub(super) fn piece(self, event: &Event) -> Result<Piece, BadEvent> {
        if self == Self::OpenAi && event.data == "[DONE]" {
            return Ok(Piece { done: true, ..Piece::default() });
        }
        let unreadable = |_| BadEvent::Unreadable(event.data.chars().take(200).collect());
        match self {
            Self::OpenAi => serde_json::from_str::<Chunk>(&event.data).map_err(unreadable)?.piece(),
            Self::Anthropic => {
                serde_json::from_str::<Told>(&event.data).map_err(unreadable)?.piece()
            }
        }
    }
}

impl Message {
    fn to_json(&self) -> Value {
        let role = match self.role {
            Role::User => "user",
            Role::Assistant => "assistant",
        };
        json!({"role": role, "content": self.text})
    }
}

/// An error as both APIs send it.
#[derive(Deserialize)]
struct ErrorBody {
    message: String,
}

/// A chunk of OpenAI's stream.
#[derive(Deserialize)]
struct Chunk {
    #[serde(default)]
    choices: Vec<Choice>,
    usage: Option<ChunkUsage>,
    error: Option<ErrorBody>,
}

#[derive(Deserialize)]
struct Choice {
    delta: Delta,
}

#[derive(Default, Deserialize)]
struct Delta {
    content: Option<String>,
}

#[derive(Deserialize)]
struct ChunkUsage {
    prompt_tokens: u64,
    completion_tokens: u64,
}

impl Chunk {
    fn piece(self) -> Result<Piece, BadEvent> {
        if let Some(error) = self.error {
            return Err(BadEvent::Error(error.message));
        }
        Ok(Piece {
            text: self.choices.into_iter().filter_map(|choice| choice.delta.content).collect(),
            input: self.usage.as_ref().map(|usage| usage.prompt_tokens),
            output: self.usage.as_ref().map(|usage| usage.completion_tokens),
            done: false,
        })
    }
}

/// An event of Anthropic's stream.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Told {
    MessageStart {
        message: Start,
    },
    ContentBlockDelta {
        delta: BlockDelta,
    },
    MessageDelta {
        usage: ToldUsage,
    },
    MessageStop,
    Error {
        error: ErrorBody,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Start {
    usage: ToldUsage,
}

#[derive(Deserialize)]
struct BlockDelta {
    #[serde(default)]
    text: String,
}

#[derive(Deserialize)]
struct ToldUsage {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

impl Told {
    fn piece(self) -> Result<Piece, BadEvent> {
        Ok(match self {
            Self::MessageStart { message: Start { usage } } | Self::MessageDelta { usage } => {
                Piece { input: usage.input_tokens, output: usage.output_tokens, ..Piece::default() }
            }
            Self::ContentBlockDelta { delta } => Piece { text: delta.text, ..Piece::default() },
            Self::MessageStop => Piece { done: true, ..Piece::default() },
            Self::Error { error } => return Err(BadEvent::Error(error.message)),
            Self::Other => Piece::default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(wire: Wire, data: &[&str]) -> Vec<Result<Piece, BadEvent>> {
        let event = |data: &&str| Event { name: String::new(), data: (*data).to_owned() };
        data.iter().map(|data| wire.piece(&event(data))).collect()
    }

    fn counts(input: Option<u64>, output: Option<u64>) -> Piece {
        Piece { input, output, ..Piece::default() }
    }

    fn text(text: &str) -> Piece {
        Piece { text: text.to_owned(), ..Piece::default() }
    }

    #[test]
    fn openai_chunks_are_read() {
        let read = pieces(
            Wire::OpenAi,
            &[
                r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":""}}],"usage":null}"#,
                r#"{"choices":[{"index":0,"delta":{"content":"Line 4"}}],"usage":null}"#,
                r#"{"choices":[],"usage":{"prompt_tokens":310,"completion_tokens":48,"total_tokens":358}}"#,
                "[DONE]",
                r#"{"error":{"message":"try later","type":"server_error"}}"#,
            ],
        );
        let done = Piece { done: true, ..Piece::default() };
        let error = BadEvent::Error("try later".to_owned());
        let usage = counts(Some(310), Some(48));
        assert_eq!(read, [Ok(text("")), Ok(text("Line 4")), Ok(usage), Ok(done), Err(error)]);
    }

    #[test]
    fn anthropic_events_are_read() {
        let read = pieces(
            Wire::Anthropic,
            &[
                r#"{"type":"message_start","message":{"id":"m","usage":{"input_tokens":290,"output_tokens":1}}}"#,
                r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
                r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Line 4"}}"#,
                r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":48}}"#,
                r#"{"type":"message_stop"}"#,
                r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
            ],
        );
        let done = Piece { done: true, ..Piece::default() };
        let expected = [
            Ok(counts(Some(290), Some(1))),
            Ok(Piece::default()),
            Ok(text("Line 4")),
            Ok(counts(None, Some(48))),
            Ok(done),
            Err(BadEvent::Error("Overloaded".to_owned())),
        ];
        assert_eq!(read, expected);
    }

    #[test]
    fn what_is_no_json_is_named() {
        let read = pieces(Wire::OpenAi, &["<html>"]);
        assert_eq!(read, [Err(BadEvent::Unreadable("<html>".to_owned()))]);
    }

    #[test]
    fn requests_have_the_shape_of_their_api() {
        let messages = [Message { role: Role::User, text: "Read.".to_owned() }];
        let body = |wire: Wire| wire.body("m", &messages, 48);
        insta::assert_json_snapshot!([body(Wire::OpenAi), body(Wire::Anthropic)]);
    }
}
