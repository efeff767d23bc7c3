//! Message requests, as far as the mock reads them.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::ask::Ask;
use crate::prefix::Prompt;
use crate::problem::Problem;
use crate::tool::{Choice, Offer};

#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow)]
    model: Option<Cow<'a, str>>,
    #[serde(borrow)]
    system: Option<&'a RawValue>,
    #[serde(borrow)]
    messages: Option<Vec<Message<'a>>>,
    stream: Option<bool>,
    max_tokens: Option<u64>,
    tools: Option<Vec<Tool>>,
    tool_choice: Option<ToolChoice>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    content: &'a RawValue,
}

#[derive(Deserialize)]
struct Tool {
    name: String,
    #[serde(default)]
    input_schema: Value,
}

#[derive(Deserialize)]
struct ToolChoice {
    #[serde(rename = "type")]
    kind: String,
    name: Option<String>,
}

#[derive(Deserialize)]
struct Block {
    #[serde(rename = "type")]
    kind: String,
}

/// Reads the body of a request for an answer.
pub(super) fn read(body: &[u8]) -> Result<Ask, Problem> {
    let ask = read_count(body)?;
    match ask.max_tokens {
        None => Err(missing("max_tokens")),
        Some(0) => Err(wrong("max_tokens", "must be greater than or equal to 1")),
        Some(_) => Ok(ask),
    }
}

/// Reads the body of a request for the tokens of a prompt, which has no `max_tokens`.
pub(super) fn read_count(body: &[u8]) -> Result<Ask, Problem> {
    let request: Request<'_> = serde_json::from_slice(body).map_err(Problem::of_json)?;
    let model = request.model.ok_or_else(|| missing("model"))?.into_owned();
    let messages = request.messages.ok_or_else(|| missing("messages"))?;
    let last =
        messages.last().ok_or_else(|| wrong("messages", "at least one message is required"))?;
    let answered = answers_tool(last);
    let mut prompt = Prompt::default();
    for part in request.system.into_iter().chain(messages.iter().map(|message| message.content)) {
        prompt.push(part.get());
    }
    Ok(Ask {
        model,
        stream: request.stream.unwrap_or(false),
        include_usage: true,
        max_tokens: request.max_tokens,
        prompt,
        tools: offer(request.tools, request.tool_choice, answered)?,
    })
}

fn offer(
    tools: Option<Vec<Tool>>,
    choice: Option<ToolChoice>,
    answered: bool,
) -> Result<Option<Offer>, Problem> {
    let mut tools = tools.into_iter().flatten();
    let named = choice.as_ref().and_then(|choice| choice.name.as_ref());
    let tool = match named {
        Some(name) => {
            let words = format!("Tool '{name}' not found in provided tools");
            Some(
                tools
                    .find(|tool| tool.name == *name)
                    .ok_or_else(|| wrong("tool_choice", &words))?,
            )
        }
        None => tools.next(),
    };
    let choice = match choice.as_ref().map(|choice| choice.kind.as_str()) {
        Some("none") => Choice::Forbidden,
        Some("any" | "tool") => Choice::Demanded,
        _ => Choice::Free,
    };
    Ok(tool.map(|Tool { name, input_schema }| Offer {
        name,
        schema: input_schema,
        choice,
        answered,
    }))
}

/// Whether a message's content holds a tool's result.
fn answers_tool(message: &Message<'_>) -> bool {
    let blocks: Vec<Block> = serde_json::from_str(message.content.get()).unwrap_or_default();
    blocks.iter().any(|block| block.kind == "tool_result")
}

fn missing(field: &'static str) -> Problem {
    wrong(field, "Field required")
}

fn wrong(field: &'static str, words: &str) -> Problem {
    Problem::Invalid { field, words: words.to_owned() }
}
