//! Whole messages.

use bytes::Bytes;
use serde::Serialize;
use serde_json::Value;

use super::{Usage, stop_reason};
use crate::json;
use crate::plan::{Content, Plan};

/// A message; the one a stream opens with has no content and no stop reason yet.
#[derive(Serialize)]
pub(super) struct Message<'a> {
    id: String,
    #[serde(rename = "type")]
    kind: &'static str,
    role: &'static str,
    model: &'a str,
    content: Vec<Block<'a>>,
    stop_reason: Option<&'static str>,
    stop_sequence: Option<()>,
    usage: Usage,
}

/// A block of content.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Block<'a> {
    /// Words.
    Text { text: String },
    /// A tool call.
    ToolUse { id: String, name: &'a str, input: Value },
}

/// The body of a plain answer.
pub(super) fn message(plan: &Plan) -> Bytes {
    let block = match &plan.content {
        Content::Text => Block::Text { text: plan.text() },
        Content::Tool(call, _) => {
            Block::ToolUse { id: tool_id(plan), name: &call.name, input: call.arguments.clone() }
        }
    };
    let reason = Some(stop_reason(plan.finish));
    json::bytes(&Message {
        content: vec![block],
        stop_reason: reason,
        usage: Usage::of(plan, plan.output),
        ..empty(plan)
    })
}

/// The message a stream opens with.
pub(super) fn empty(plan: &Plan) -> Message<'_> {
    Message {
        id: format!("msg_{}", plan.id),
        kind: "message",
        role: "assistant",
        model: &plan.model,
        content: Vec::new(),
        stop_reason: None,
        stop_sequence: None,
        usage: Usage::of(plan, 1),
    }
}

/// The id of the answer's tool call.
pub(super) fn tool_id(plan: &Plan) -> String {
    format!("toolu_{}", plan.id)
}
