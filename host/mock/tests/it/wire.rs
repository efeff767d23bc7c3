//! The wire shapes, byte by byte.

use crate::common::{ask, get, post, start, text, value, wire};
use insta::assert_snapshot;
use serde_json::{Value, json};
use weir_mock::{
    Effect, ErrorEvent, ErrorKind, FaultScript, Hint, Limits, Provider, ProviderScript,
    RefuseEffect, RefuseKind, Tools,
};

fn openai() -> ProviderScript {
    let mut script = ProviderScript::openai("o").models(["m"]).output(8.0, 0.0).pace(1e6, 3);
    script.limits = Limits { rpm: Some(500), tpm: Some(200_000), ..Limits::default() };
    script.headers = true;
    script
}

fn anthropic() -> ProviderScript {
    let mut script = ProviderScript::anthropic("a").models(["m"]).output(8.0, 0.0).pace(1e6, 3);
    let (rpm, input_tpm, output_tpm) = (Some(50), Some(30_000), Some(8000));
    script.limits = Limits { rpm, input_tpm, output_tpm, ..Limits::default() };
    script.headers = true;
    script
}

fn tools(name: &str) -> Value {
    let schema = json!({
        "type": "object",
        "properties": { "city": { "type": "string" }, "days": { "type": "integer" } },
        "required": ["city", "days"],
    });
    match name {
        "openai" => {
            let function = json!({ "name": "get_weather", "parameters": schema });
            json!({ "tools": [{ "type": "function", "function": function }], "tool_choice": "required" })
        }
        _ => {
            let tool = json!({ "name": "get_weather", "input_schema": schema });
            json!({ "tools": [tool], "tool_choice": { "type": "any" } })
        }
    }
}

fn with_stream(mut more: Value) -> Value {
    more["stream"] = json!(true);
    more
}

async fn answer(script: ProviderScript, more: Value) -> String {
    let (_mock, provider) = start(script).await;
    wire(provider.call(ask(&provider, more)).await.unwrap()).await
}

#[tokio::test(start_paused = true)]
async fn openai_plain() {
    assert_snapshot!(answer(openai(), json!({})).await);
}

#[tokio::test(start_paused = true)]
async fn openai_stream_with_usage() {
    let more = json!({ "stream": true, "stream_options": { "include_usage": true } });
    assert_snapshot!(answer(openai(), more).await);
}

#[tokio::test(start_paused = true)]
async fn openai_stream_without_usage_has_no_usage_key() {
    let answer = answer(openai(), json!({ "stream": true })).await;
    assert!(answer.ends_with("data: [DONE]\n\n"), "{answer}");
    assert!(!answer.contains("\"usage\""), "{answer}");
}

#[tokio::test(start_paused = true)]
async fn openai_tool_call() {
    assert_snapshot!(answer(openai(), tools("openai")).await);
}

#[tokio::test(start_paused = true)]
async fn openai_tool_call_stream() {
    assert_snapshot!(answer(openai(), with_stream(tools("openai"))).await);
}

#[tokio::test(start_paused = true)]
async fn anthropic_plain() {
    assert_snapshot!(answer(anthropic(), json!({})).await);
}

#[tokio::test(start_paused = true)]
async fn anthropic_stream() {
    assert_snapshot!(answer(anthropic(), json!({ "stream": true })).await);
}

#[tokio::test(start_paused = true)]
async fn anthropic_tool_call() {
    assert_snapshot!(answer(anthropic(), tools("anthropic")).await);
}

#[tokio::test(start_paused = true)]
async fn anthropic_tool_call_stream() {
    assert_snapshot!(answer(anthropic(), with_stream(tools("anthropic"))).await);
}

#[tokio::test(start_paused = true)]
async fn models() {
    let mut out = String::new();
    for script in [openai(), anthropic()] {
        let (_mock, provider) = start(script).await;
        out.push_str(&text(provider.call(get("/v1/models")).await.unwrap()).await);
        out.push('\n');
    }
    assert_snapshot!(out);
}

/// Every error both formats can send, in one list: status and body.
#[tokio::test(start_paused = true)]
async fn errors() {
    let refuse = |kind| Effect::Refuse(RefuseEffect { kind, hint: Hint::None, hint_ms: 9816 });
    let effects = [
        refuse(RefuseKind::Requests),
        refuse(RefuseKind::Tokens),
        refuse(RefuseKind::Concurrency),
        refuse(RefuseKind::Quota),
        Effect::Status(401),
        Effect::Status(403),
        Effect::Status(500),
        Effect::Status(504),
        Effect::Overloaded,
        Effect::ContextLength,
        Effect::Garbage,
    ];
    let mut out = String::new();
    for script in [openai(), anthropic()] {
        for effect in effects {
            let (_mock, provider) = start(script.clone().fault(FaultScript::always(effect))).await;
            let response = provider.call(ask(&provider, json!({}))).await.unwrap();
            out.push_str(&format!("{} {}\n", response.status().as_u16(), text(response).await));
        }
    }
    assert_snapshot!(out);
}

/// Every way a request can be wrong.
#[tokio::test(start_paused = true)]
async fn bad_requests() {
    let mut out = String::new();
    for mut script in [openai(), anthropic()] {
        script.max_body_bytes = 300;
        script.context = Some(100);
        let (_mock, provider) = start(script.api_key("k")).await;
        for request in bad(&provider) {
            let response = provider.call(request).await.unwrap();
            out.push_str(&format!("{} {}\n", response.status().as_u16(), text(response).await));
        }
        assert_eq!(provider.stats().in_flight, 0);
        assert_eq!(provider.stats().rejected, provider.stats().requests);
    }
    assert_snapshot!(out);
}

/// As many as an answer to the same prompt says, without a request or a token of the limits.
#[tokio::test(start_paused = true)]
async fn anthropic_counts_tokens() {
    let (_mock, provider) = start(anthropic()).await;
    let count = |body: &Value| {
        let mut request = post(&provider, body.to_string());
        *request.uri_mut() = "/v1/messages/count_tokens".parse().unwrap();
        provider.call(request)
    };
    let messages = json!([{ "role": "user", "content": "Say something short, please." }]);
    let counted = count(&json!({ "model": "m", "messages": messages })).await.unwrap();
    assert_eq!(counted.headers()["anthropic-ratelimit-requests-remaining"], "50");
    let answer = value(provider.call(ask(&provider, json!({}))).await.unwrap()).await;
    assert_eq!(value(counted).await, json!({ "input_tokens": answer["usage"]["input_tokens"] }));
    let unknown = count(&json!({ "model": "n", "messages": messages })).await.unwrap();
    assert_eq!(unknown.status(), 404);
}

fn bad(provider: &Provider) -> Vec<http::Request<bytes::Bytes>> {
    let keyed = |mut request: http::Request<bytes::Bytes>| {
        request.headers_mut().insert("authorization", "Bearer k".parse().unwrap());
        request
    };
    let mut no_version = keyed(ask(provider, json!({ "tools": "none" })));
    no_version.headers_mut().remove("anthropic-version");
    vec![
        ask(provider, json!({})),
        keyed(post(provider, "{ no json")),
        keyed(post(provider, "")),
        keyed(post(provider, "{}")),
        keyed(ask(provider, json!({ "messages": [] }))),
        keyed(ask(provider, json!({ "max_tokens": 0 }))),
        keyed(ask(provider, json!({ "max_tokens": "many" }))),
        keyed(ask(provider, json!({ "max_tokens": 100 }))),
        keyed(ask(provider, json!({ "model": "gpt-\"9\"" }))),
        keyed(post(provider, "x".repeat(301))),
        keyed(get("/v1/embeddings")),
        keyed(get(if provider.base_url().ends_with("v1") {
            "/v1/chat/completions"
        } else {
            "/v1/messages"
        })),
        no_version,
    ]
}

#[tokio::test(start_paused = true)]
async fn errors_within_streams() {
    let mut out = String::new();
    for script in [openai(), anthropic()] {
        for kind in [ErrorKind::Overloaded, ErrorKind::RateLimit, ErrorKind::Server] {
            let effect = Effect::ErrorEvent(ErrorEvent { after_chunks: 0, kind });
            let script = script.clone().fault(FaultScript::always(effect));
            let answer = answer(script, json!({ "stream": true })).await;
            let last = answer.trim_end().rsplit("\n\n").next().unwrap();
            out.push_str(&format!("{last}\n\n"));
        }
    }
    assert_snapshot!(out);
}

#[tokio::test(start_paused = true)]
async fn a_script_can_call_tools_unasked_until_they_are_answered() {
    let mut script = openai();
    script.tools = Tools::Always;
    let (_mock, provider) = start(script).await;
    let mut more = tools("openai");
    more["tool_choice"] = json!("auto");
    let first = value(provider.call(ask(&provider, more.clone())).await.unwrap()).await;
    assert_eq!(first["choices"][0]["finish_reason"], "tool_calls");
    let result = json!({ "role": "tool", "tool_call_id": "c", "content": "rain" });
    more["messages"] = json!([{ "role": "user", "content": "?" }, result]);
    let second = value(provider.call(ask(&provider, more)).await.unwrap()).await;
    assert_eq!(second["choices"][0]["finish_reason"], "stop");
}
