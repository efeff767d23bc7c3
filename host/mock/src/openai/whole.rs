//! Whole chat completions.

use bytes::Bytes;
use serde::Serialize;

use super::{Usage, finish_reason};
use crate::json;
use crate::plan::{Content, Plan};

#[derive(Serialize)]
struct Completion<'a> {
    id: String,
    object: &'static str,
    created: u64,
    model: &'a str,
    choices: [Choice<'a>; 1],
    usage: Usage,
    service_tier: &'static str,
    system_fingerprint: &'static str,
}

#[derive(Serialize)]
struct Choice<'a> {
    index: u32,
    message: Message<'a>,
    logprobs: Option<()>,
    finish_reason: &'static str,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_calls: Option<[ToolCall<'a>; 1]>,
    refusal: Option<()>,
}

#[derive(Serialize)]
struct ToolCall<'a> {
    id: String,
    #[serde(rename = "type")]
    kind: &'static str,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: &'a str,
    arguments: &'a str,
}

/// The body of a plain answer.
pub(super) fn completion(plan: &Plan) -> Bytes {
    json::bytes(&Completion {
        id: format!("chatcmpl-{}", plan.id),
        object: "chat.completion",
        created: plan.created,
        model: &plan.model,
        choices: [Choice {
            index: 0,
            message: message(plan),
            logprobs: None,
            finish_reason: finish_reason(plan.finish),
        }],
        usage: Usage::of(plan),
        service_tier: "default",
        system_fingerprint: "fp_mock",
    })
}

fn message(plan: &Plan) -> Message<'_> {
    let (content, tool_calls) = match &plan.content {
        Content::Text => (Some(plan.text()), None),
        Content::Tool(call, arguments) => {
            let function = Function { name: &call.name, arguments };
            let id = format!("call_{}", plan.id);
            (None, Some([ToolCall { id, kind: "function", function }]))
        }
    };
    Message { role: "assistant", content, tool_calls, refusal: None }
}
