//! Whole answers.

use serde_json::json;
use weir_gateway::Deciders;
use weir_mock::{Effect, FaultScript, Hint, ProviderScript, RefuseEffect, RefuseKind};

use crate::world::{chat, message, until, world, world_with};

#[tokio::test]
async fn a_chat_completion_comes_back_as_it_was_sent() {
    let world = world([ProviderScript::openai("main").output(12.0, 0.0)]).await;
    let answer = world.ask("/v1/chat/completions", &chat(json!({}))).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.json()["object"], "chat.completion");
    assert_eq!(answer.header("x-weir-upstream"), "main");
    assert_eq!(answer.header("x-weir-attempts"), "1");
    assert!(!answer.header("x-weir-request").is_empty());
    assert!(answer.header("x-weir-queue-ms").parse::<u64>().is_ok());
    until("settled", || world.metric("weir_actual_output_tokens") > 0.0).await;
    let usage = &answer.json()["usage"];
    assert_eq!(
        world.metric("weir_actual_output_tokens"),
        usage["completion_tokens"].as_f64().unwrap()
    );
    assert_eq!(world.metric("weir_actual_input_tokens"), usage["prompt_tokens"].as_f64().unwrap());
    until("idle", || world.idle()).await;
    world.end().await;
}

#[tokio::test]
async fn a_message_comes_back_as_it_was_sent() {
    let world = world([ProviderScript::anthropic("claude").output(12.0, 0.0)]).await;
    let answer = world.ask("/v1/messages", &message(json!({}))).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.json()["type"], "message");
    until("settled", || world.metric("weir_actual_output_tokens") > 0.0).await;
    let usage = &answer.json()["usage"];
    assert_eq!(world.metric("weir_actual_output_tokens"), usage["output_tokens"].as_f64().unwrap());
    world.end().await;
}

/// It has no count of its own to settle, and teaches nothing about answers.
#[tokio::test]
async fn tokens_are_counted_by_the_provider_as_a_governed_request() {
    let world = world([ProviderScript::anthropic("claude")]).await;
    let asked =
        json!({ "model": "small", "messages": [{ "role": "user", "content": "Review this." }] });
    let answer = world.ask("/v1/messages/count_tokens", &asked).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(answer.json()["input_tokens"].as_u64().unwrap() > 0, "{answer:?}");
    assert_eq!(
        (answer.header("x-weir-upstream"), answer.header("x-weir-attempts")),
        ("claude", "1")
    );
    until("settled", || world.idle()).await;
    assert_eq!(world.metric("weir_admission_allowed_total"), 1.0);
    assert_eq!(world.metric("weir_actual_input_tokens"), 0.0);
    world.end().await;
}

#[tokio::test]
async fn where_nobody_counts_tokens_it_is_said() {
    let world = world([ProviderScript::openai("main")]).await;
    let answer = world.ask("/v1/messages/count_tokens", &message(json!({}))).await;
    assert_eq!(answer.status, 404, "{answer:?}");
    let error = &answer.json()["error"];
    assert_eq!(error["type"], "not_found_error");
    assert!(error["message"].as_str().unwrap().contains("/v1/messages/count_tokens"), "{error}");
    world.end().await;
}

/// A refusal that says for how long to leave the provider alone.
fn refuse() -> Effect {
    let (kind, hint) = (RefuseKind::Concurrency, Hint::RetryAfterMs);
    Effect::Refuse(RefuseEffect { kind, hint, hint_ms: 20 })
}

#[tokio::test]
async fn a_provider_that_is_left_alone_is_counted() {
    let provider = ProviderScript::openai("main").fault(FaultScript::every(2, refuse()));
    let world = world_with([provider], "", Deciders::Configured, None).await;
    for attempts in ["1", "2"] {
        let answer = world.ask("/v1/chat/completions", &chat(json!({}))).await;
        assert_eq!((answer.status.as_u16(), answer.header("x-weir-attempts")), (200, attempts));
    }
    assert!(world.metric("weir_cooldowns_total") >= 1.0);
    world.end().await;
}

#[tokio::test]
async fn a_refusal_before_work_began_stays_hidden() {
    let fault = FaultScript::between(0, 200, refuse());
    let world = world([ProviderScript::openai("main").fault(fault)]).await;
    let answer = world.ask("/v1/chat/completions", &chat(json!({}))).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let attempts: u32 = answer.header("x-weir-attempts").parse().unwrap();
    assert!(attempts > 1 && world.stats().refused_total() > 0, "{attempts} attempts");
    assert!(world.metric("weir_rate_limit_429_total") >= 1.0);
    world.end().await;
}

#[tokio::test]
async fn models_are_listed_in_either_shape() {
    let world = world([ProviderScript::openai("a"), ProviderScript::anthropic("b")]).await;
    let openai = world.get("/v1/models").await.json();
    assert_eq!((&openai["object"], &openai["data"][0]["id"]), (&json!("list"), &json!("small")));
    let request = http::Request::get(world.url("/v1/models"))
        .header("anthropic-version", "2023-06-01")
        .body(Default::default())
        .unwrap();
    let anthropic = crate::world::whole(world.send(request).await).await.json();
    assert_eq!((&anthropic["has_more"], &anthropic["first_id"]), (&json!(false), &json!("small")));
    world.end().await;
}
