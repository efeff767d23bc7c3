//! Chat completion requests, as far as the mock reads them.

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
    messages: Option<Vec<Message<'a>>>,
    stream: Option<bool>,
    stream_options: Option<StreamOptions>,
    max_tokens: Option<u64>,
    max_completion_tokens: Option<u64>,
    tools: Option<Vec<Tool>>,
    tool_choice: Option<Value>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    role: Cow<'a, str>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow)]
    tool_calls: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct StreamOptions {
    include_usage: Option<bool>,
}

#[derive(Deserialize)]
struct Tool {
    function: Option<Function>,
}

#[derive(Deserialize)]
struct Function {
    name: String,
    #[serde(default)]
    parameters: Value,
}

/// Reads a request's body.
pub(super) fn read(body: &[u8]) -> Result<Ask, Problem> {
    let request: Request<'_> = serde_json::from_slice(body).map_err(Problem::of_json)?;
    let messages = request.messages.as_deref().unwrap_or_default();
    if messages.is_empty() {
        return Err(missing("messages"));
    }
    let mut prompt = Prompt::default();
    for message in messages {
        for part in [message.content, message.tool_calls].into_iter().flatten() {
            prompt.push(part.get());
        }
    }
    let answered = messages.last().is_some_and(|message| message.role == "tool");
    Ok(Ask {
        model: request.model.ok_or_else(|| missing("model"))?.into_owned(),
        stream: request.stream.unwrap_or(false),
        include_usage: request.stream_options.and_then(|o| o.include_usage).unwrap_or(false),
        max_tokens: positive(request.max_completion_tokens.or(request.max_tokens))?,
        prompt,
        tools: offer(request.tools, request.tool_choice, answered)?,
    })
}

fn offer(
    tools: Option<Vec<Tool>>,
    choice: Option<Value>,
    answered: bool,
) -> Result<Option<Offer>, Problem> {
    let mut functions = tools.into_iter().flatten().filter_map(|tool| tool.function);
    let named = choice.as_ref().and_then(|choice| choice.pointer("/function/name")?.as_str());
    let function = match named {
        Some(name) => Some(functions.find(|function| function.name == name).ok_or_else(|| {
            let words = format!("Tool choice function '{name}' is not among 'tools'.");
            Problem::Invalid { field: "tool_choice", words }
        })?),
        None => functions.next(),
    };
    let choice = match choice.as_ref().and_then(Value::as_str) {
        Some("none") => Choice::Forbidden,
        Some("required") => Choice::Demanded,
        _ if named.is_some() => Choice::Demanded,
        _ => Choice::Free,
    };
    Ok(function.map(|Function { name, parameters }| Offer {
        name,
        schema: parameters,
        choice,
        answered,
    }))
}

fn positive(max_tokens: Option<u64>) -> Result<Option<u64>, Problem> {
    if max_tokens == Some(0) {
        let words = "Invalid 'max_tokens': integer below minimum value. Expected a value >= 1, \
                     but got 0 instead.";
        return Err(Problem::Invalid { field: "max_tokens", words: words.to_owned() });
    }
    Ok(max_tokens)
}

fn missing(field: &'static str) -> Problem {
    Problem::Invalid { field, words: format!("Missing required parameter: '{field}'.") }
}
