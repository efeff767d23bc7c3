//! Streamed chat completions.

use bytes::Bytes;
use serde::Serialize;

use super::{Usage, error, finish_reason};
use crate::dialect::Step;
use crate::json;
use crate::plan::{Content, Plan};

#[derive(Serialize)]
struct Chunk<'a> {
    id: String,
    object: &'static str,
    created: u64,
    model: &'a str,
    service_tier: &'static str,
    system_fingerprint: &'static str,
    choices: &'a [Choice<'a>],
    /// Absent, `null` on all chunks, or the numbers on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<Option<Usage>>,
}

#[derive(Serialize)]
struct Choice<'a> {
    index: u32,
    delta: Delta<'a>,
    logprobs: Option<()>,
    finish_reason: Option<&'static str>,
}

#[derive(Default, Serialize)]
struct Delta<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'static str>,
    /// Absent, `null` beside a tool call, or text.
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<Option<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_calls: Option<[ToolCall<'a>; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refusal: Option<Option<()>>,
}

#[derive(Default, Serialize)]
struct ToolCall<'a> {
    index: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    function: Function<'a>,
}

#[derive(Default, Serialize)]
struct Function<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    arguments: String,
}

/// The bytes of one step.
pub(super) fn event(plan: &Plan, step: Step) -> Bytes {
    let mut buffer = Vec::with_capacity(512);
    match step {
        Step::Open => delta(&mut buffer, plan, opening(plan), None),
        Step::Chunk(chunk) => delta(&mut buffer, plan, content(plan, chunk), None),
        Step::Close => close(&mut buffer, plan),
        Step::Error(kind) => data(&mut buffer, &error::in_stream(kind)),
    }
    buffer.into()
}

fn close(buffer: &mut Vec<u8>, plan: &Plan) {
    delta(buffer, plan, Delta::default(), Some(finish_reason(plan.finish)));
    if plan.include_usage {
        data(buffer, &chunk(plan, &[], Some(Some(Usage::of(plan)))));
    }
    buffer.extend_from_slice(b"data: [DONE]\n\n");
}

fn delta(buffer: &mut Vec<u8>, plan: &Plan, delta: Delta<'_>, finish: Option<&'static str>) {
    let choice = Choice { index: 0, delta, logprobs: None, finish_reason: finish };
    data(buffer, &chunk(plan, &[choice], plan.include_usage.then_some(None)));
}

fn chunk<'a>(plan: &'a Plan, choices: &'a [Choice<'a>], usage: Option<Option<Usage>>) -> Chunk<'a> {
    Chunk {
        id: format!("chatcmpl-{}", plan.id),
        object: "chat.completion.chunk",
        created: plan.created,
        model: &plan.model,
        service_tier: "default",
        system_fingerprint: "fp_mock",
        choices,
        usage,
    }
}

fn opening(plan: &Plan) -> Delta<'_> {
    let role = Some("assistant");
    match &plan.content {
        Content::Text => {
            let content = Some(Some(String::new()));
            Delta { role, content, refusal: Some(None), tool_calls: None }
        }
        Content::Tool(call, _) => {
            let function = Function { name: Some(&call.name), arguments: String::new() };
            let id = Some(format!("call_{}", plan.id));
            let call = ToolCall { index: 0, id, kind: Some("function"), function };
            Delta { role, content: Some(None), refusal: Some(None), tool_calls: Some([call]) }
        }
    }
}

fn content(plan: &Plan, chunk: u64) -> Delta<'_> {
    let piece = plan.piece(chunk);
    match &plan.content {
        Content::Text => Delta { content: Some(Some(piece)), ..Delta::default() },
        Content::Tool(..) => {
            let function = Function { name: None, arguments: piece };
            let call = ToolCall { function, ..ToolCall::default() };
            Delta { tool_calls: Some([call]), ..Delta::default() }
        }
    }
}

fn data(buffer: &mut Vec<u8>, value: &impl Serialize) {
    buffer.extend_from_slice(b"data: ");
    json::append(buffer, value);
    buffer.extend_from_slice(b"\n\n");
}
