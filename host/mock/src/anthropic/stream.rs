//! Streamed messages.

use bytes::Bytes;
use serde::Serialize;
use serde_json::{Map, Value};

use super::whole::{Block, Message, empty, tool_id};
use super::{Usage, error, stop_reason};
use crate::dialect::Step;
use crate::json;
use crate::plan::{Content, Plan};

/// An event; its name stands in the `event:` line and in `type`.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Event<'a> {
    MessageStart { message: Message<'a> },
    ContentBlockStart { index: u32, content_block: Block<'a> },
    Ping,
    ContentBlockDelta { index: u32, delta: Delta },
    ContentBlockStop { index: u32 },
    MessageDelta { delta: End, usage: Usage },
    MessageStop,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Delta {
    TextDelta { text: String },
    InputJsonDelta { partial_json: String },
}

#[derive(Serialize)]
struct End {
    stop_reason: &'static str,
    stop_sequence: Option<()>,
}

/// The bytes of one step.
pub(super) fn event(plan: &Plan, step: Step) -> Bytes {
    let mut buffer = Vec::with_capacity(512);
    match step {
        Step::Open => open(&mut buffer, plan),
        Step::Chunk(chunk) => {
            let delta = delta(plan, chunk);
            push(&mut buffer, "content_block_delta", &Event::ContentBlockDelta { index: 0, delta });
        }
        Step::Close => close(&mut buffer, plan),
        Step::Error(kind) => push(&mut buffer, "error", &error::in_stream(kind, &plan.request_id)),
    }
    buffer.into()
}

fn open(buffer: &mut Vec<u8>, plan: &Plan) {
    push(buffer, "message_start", &Event::MessageStart { message: empty(plan) });
    let content_block = match &plan.content {
        Content::Text => Block::Text { text: String::new() },
        Content::Tool(call, _) => {
            let input = Value::Object(Map::new());
            Block::ToolUse { id: tool_id(plan), name: &call.name, input }
        }
    };
    push(buffer, "content_block_start", &Event::ContentBlockStart { index: 0, content_block });
    push(buffer, "ping", &Event::Ping);
}

fn close(buffer: &mut Vec<u8>, plan: &Plan) {
    push(buffer, "content_block_stop", &Event::ContentBlockStop { index: 0 });
    let delta = End { stop_reason: stop_reason(plan.finish), stop_sequence: None };
    let usage = Usage::of(plan, plan.output);
    push(buffer, "message_delta", &Event::MessageDelta { delta, usage });
    push(buffer, "message_stop", &Event::MessageStop);
}

fn delta(plan: &Plan, chunk: u64) -> Delta {
    let piece = plan.piece(chunk);
    match &plan.content {
        Content::Text => Delta::TextDelta { text: piece },
        Content::Tool(..) => Delta::InputJsonDelta { partial_json: piece },
    }
}

fn push(buffer: &mut Vec<u8>, name: &str, value: &impl Serialize) {
    buffer.extend_from_slice(b"event: ");
    buffer.extend_from_slice(name.as_bytes());
    buffer.extend_from_slice(b"\ndata: ");
    json::append(buffer, value);
    buffer.extend_from_slice(b"\n\n");
}
