//! Shutting down.

use std::time::Duration;

use http_body_util::BodyExt;
use serde_json::{Value, json};
use tokio_util::task::TaskTracker;
use weir_gateway::{Gateway, StartError};
use weir_mock::ProviderScript;

use crate::world::{chat, fallback, message, settings, until, world};

#[tokio::test]
async fn what_runs_may_end_and_nothing_new_begins() {
    let slow = ProviderScript::openai("main").output(64.0, 0.0).pace(200.0, 1);
    let world = world([slow]).await;
    let stream = chat(json!({ "stream": true }));
    let mut body = world.post("/v1/chat/completions", &stream).await.into_body();
    body.frame().await.unwrap().unwrap();
    let (base, client) = (world.url(""), world.client.clone());
    let ended = TaskTracker::new().spawn(world.gateway.shutdown(Duration::from_secs(10)));
    let get = |path: &str| {
        let request = http::Request::get(format!("{base}{path}")).body(Default::default()).unwrap();
        let client = client.clone();
        async move { client.request(request).await.unwrap().status() }
    };
    while get("/readyz").await != 503 {}
    assert_eq!(get("/healthz").await, 200);
    let refused = crate::world::post(&format!("{base}/v1/chat/completions"), stream.to_string());
    let refused = client.request(refused).await.unwrap();
    assert_eq!((refused.status().as_u16(), &refused.headers()["retry-after"]), (503, &1.into()));
    let rest = body.collect().await.unwrap().to_bytes();
    assert!(rest.ends_with(b"data: [DONE]\n\n"), "the stream went on to its end");
    let ended = ended.await.unwrap();
    assert!(ended.clean && ended.cut == 0, "{ended:?}");
}

#[tokio::test]
async fn a_drain_is_bounded() {
    let endless = ProviderScript::openai("main").output(4_000.0, 0.0).pace(50.0, 1);
    let world = world([endless]).await;
    let stream = chat(json!({ "stream": true, "max_tokens": 8_000 }));
    let mut body = world.post("/v1/chat/completions", &stream).await.into_body();
    body.frame().await.unwrap().unwrap();
    let ended = world.gateway.shutdown(Duration::from_millis(50)).await;
    assert_eq!((ended.cut, ended.clean), (1, true));
    let mock = &world.mock.providers()[0];
    until("the provider is told", || mock.stats().in_flight == 0).await;
}

#[tokio::test]
async fn a_port_that_is_taken_is_named() {
    let world = world([ProviderScript::openai("main")]).await;
    let mut taken = settings(&world.mock, "");
    taken.listen = world.gateway.addr();
    let error = Gateway::start(taken, fallback()).await.err().unwrap();
    assert!(matches!(error, StartError::Listen { .. }));
    let words = error.to_string();
    assert!(words.contains(&world.gateway.addr().to_string()) && words.contains("another process"));
    world.end().await;
}

/// What is left of a stream whose first piece has been read when the drain's time is over.
async fn cut(provider: ProviderScript, path: &str, request: Value) -> String {
    let world = world([provider.output(4_000.0, 0.0).pace(50.0, 1)]).await;
    let mut body = world.post(path, &request).await.into_body();
    body.frame().await.unwrap().unwrap();
    let ended = world.gateway.shutdown(Duration::from_millis(50));
    let (ended, rest) = tokio::join!(ended, body.collect());
    assert_eq!((ended.cut, ended.clean), (1, true));
    String::from_utf8(rest.unwrap().to_bytes().to_vec()).unwrap()
}

#[tokio::test]
async fn a_stream_that_the_end_of_the_drain_cuts_ends_with_its_apis_own_error() {
    let more = json!({ "stream": true, "max_tokens": 8_000 });
    let openai = cut(ProviderScript::openai("main"), "/v1/chat/completions", chat(more.clone()));
    let rest = openai.await;
    let last = rest.trim_end().rsplit("\n\n").next().unwrap();
    let error: Value = serde_json::from_str(last.strip_prefix("data: ").unwrap()).unwrap();
    assert_eq!(error["error"]["code"], "draining", "{rest}");
    assert!(rest.ends_with("\n\n") && !rest.contains("[DONE]"), "{rest}");

    let rest = cut(ProviderScript::anthropic("main"), "/v1/messages", message(more)).await;
    let last = rest.trim_end().rsplit("\n\n").next().unwrap();
    let data = last.strip_prefix("event: error\ndata: ").unwrap();
    let error: Value = serde_json::from_str(data).unwrap();
    assert_eq!(
        (&error["type"], &error["error"]["type"]),
        (&json!("error"), &json!("overloaded_error"))
    );
    assert!(!rest.contains("message_stop"), "{rest}");
}

#[tokio::test]
async fn an_answer_that_has_not_begun_when_the_drain_ends_is_refused() {
    let world = world([ProviderScript::openai("main").latency(60_000.0, 0.0)]).await;
    let asked = world.client.request(crate::world::post(
        &world.url("/v1/chat/completions"),
        chat(json!({})).to_string(),
    ));
    let asked = TaskTracker::new().spawn(asked);
    let mock = &world.mock.providers()[0];
    until("the provider has it", || mock.stats().in_flight == 1).await;
    let ended = world.gateway.shutdown(Duration::from_millis(20)).await;
    assert_eq!((ended.cut, ended.clean), (1, true));
    let answer = crate::world::whole(asked.await.unwrap().unwrap()).await;
    assert_eq!(answer.status, 503, "{answer:?}");
    assert_eq!(answer.json()["error"]["code"], "draining");
}
