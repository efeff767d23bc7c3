//! Streamed answers.

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use serde_json::{Value, json};
use weir_mock::ProviderScript;

use crate::world::{chat, message, until, whole, world};

/// A stream that takes a while: forty pieces, four tokens each.
fn slow(provider: ProviderScript) -> ProviderScript {
    provider.output(160.0, 0.0).pace(400.0, 4)
}

async fn piece(body: &mut Incoming) -> Bytes {
    loop {
        let frame = body.frame().await.unwrap().unwrap();
        if let Ok(data) = frame.into_data() {
            return data;
        }
    }
}

fn events(body: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(body).unwrap();
    let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
    data.filter(|data| *data != "[DONE]").map(|data| serde_json::from_str(data).unwrap()).collect()
}

#[tokio::test]
async fn the_first_piece_comes_while_the_provider_still_works() {
    let world = world([slow(ProviderScript::openai("main"))]).await;
    let request = chat(json!({ "stream": true, "max_tokens": 400 }));
    let response = world.post("/v1/chat/completions", &request).await;
    assert_eq!(response.headers()["content-type"], "text/event-stream; charset=utf-8");
    let mut body = response.into_body();
    let first = piece(&mut body).await;
    assert_eq!(world.stats().in_flight, 1, "the provider is still at it");
    let rest = body.collect().await.unwrap().to_bytes();
    let all = [first, rest].concat();
    assert!(all.ends_with(b"data: [DONE]\n\n"));
    until("settled", || world.metric("weir_actual_output_tokens") == 160.0).await;
    until("idle", || world.idle()).await;
    world.end().await;
}

#[tokio::test]
async fn a_count_that_was_not_asked_for_is_not_given() {
    let world = world([ProviderScript::openai("main").output(8.0, 0.0)]).await;
    let counts =
        |events: &[Value]| events.iter().filter(|event| event["usage"].is_object()).count();
    let plain = world.ask("/v1/chat/completions", &chat(json!({ "stream": true }))).await;
    assert_eq!(counts(&events(&plain.body)), 0, "{plain:?}");
    let options = json!({ "stream": true, "stream_options": { "include_usage": true } });
    let asked = world.ask("/v1/chat/completions", &chat(options)).await;
    assert_eq!(counts(&events(&asked.body)), 1);
    until("both settled", || world.metric("weir_actual_output_tokens") == 16.0).await;
    world.end().await;
}

#[tokio::test]
async fn a_message_streams() {
    let world = world([slow(ProviderScript::anthropic("claude"))]).await;
    let request = message(json!({ "stream": true, "max_tokens": 400 }));
    let answer = whole(world.post("/v1/messages", &request).await).await;
    let kinds: Vec<_> = events(&answer.body).iter().map(|event| event["type"].clone()).collect();
    assert_eq!(
        (&kinds[0], kinds.last().unwrap()),
        (&json!("message_start"), &json!("message_stop"))
    );
    until("settled", || world.metric("weir_actual_output_tokens") == 160.0).await;
    world.end().await;
}

/// What the provider has counted when the caller leaves is the start of a count, and not what it will bill.
#[tokio::test]
async fn of_an_answer_that_is_not_finished_the_reservation_stands() {
    let endless = ProviderScript::anthropic("main").output(4_000.0, 0.0).pace(100.0, 1);
    let world = world([endless]).await;
    let request = message(json!({ "stream": true, "max_tokens": 300 }));
    let mut body = world.post("/v1/messages", &request).await.into_body();
    piece(&mut body).await;
    drop(body);
    until("idle", || world.idle()).await;
    until("settled", || world.metric("weir_actual_output_tokens") > 0.0).await;
    assert!(world.metric("weir_actual_output_tokens") > 100.0);
    world.end().await;
}

#[tokio::test]
async fn a_caller_that_leaves_ends_the_providers_work() {
    let world = world([ProviderScript::openai("main").output(4_000.0, 0.0).pace(100.0, 1)]).await;
    let request = chat(json!({ "stream": true, "max_tokens": 8_000 }));
    let mut body = world.post("/v1/chat/completions", &request).await.into_body();
    piece(&mut body).await;
    assert_eq!(world.metric("weir_inflight_requests"), 1.0);
    drop(body);
    until("the provider is told", || world.stats().disconnected == 1).await;
    until("idle", || world.idle()).await;
    world.end().await;
}
