//! Shutting down.

use std::time::Duration;

use http_body_util::BodyExt;
use serde_json::json;
use tokio_util::task::TaskTracker;
use weir_gateway::{Gateway, StartError};
use weir_mock::ProviderScript;

use crate::world::{chat, fallback, settings, until, world};

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
