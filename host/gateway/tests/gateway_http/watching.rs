//! Events and metrics.

use http_body_util::BodyExt;
use hyper::body::Incoming;
use serde_json::{Value, json};
use weir_gateway::{Read, What};
use weir_mock::ProviderScript;

use crate::world::{World, chat, until, world};

async fn open(world: &World, last: &str) -> Incoming {
    let request = http::Request::get(world.url("/v1/events"))
        .header("last-event-id", last)
        .body(Default::default())
        .unwrap();
    let response = world.send(request).await;
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    response.into_body()
}

/// The next event with its id.
async fn next(body: &mut Incoming) -> (u64, Value) {
    loop {
        let data = body.frame().await.unwrap().unwrap().into_data().unwrap();
        let text = String::from_utf8(data.to_vec()).unwrap();
        if let Some(rest) = text.strip_prefix("id: ") {
            let (id, data) = rest.split_once("\ndata: ").unwrap();
            return (id.parse().unwrap(), serde_json::from_str(data.trim()).unwrap());
        }
    }
}

#[tokio::test]
async fn events_are_numbered_and_taken_up_again() {
    let world = world([ProviderScript::openai("main")]).await;
    world.ask("/v1/chat/completions", &chat(json!({}))).await;
    world.ask("/v1/chat/completions", &chat(json!({}))).await;
    let mut body = open(&world, "0").await;
    let (first, event) = next(&mut body).await;
    assert_eq!((first, event["id"].as_u64()), (1, Some(1)));
    drop(body);
    let (second, _) = next(&mut open(&world, "1").await).await;
    assert_eq!(second, 2);
    let mut events = world.gateway.events(Some(0));
    let admitted = std::iter::from_fn(|| events.try_next()).filter(|read| {
        matches!(read, Read::Event(event)
            if matches!(event.what, What::Core(weir_core::Event::Admitted { .. })))
    });
    assert_eq!(admitted.count(), 2);
    world.end().await;
}

#[tokio::test]
async fn a_reader_of_events_does_not_hold_up_the_end() {
    let world = world([ProviderScript::openai("main")]).await;
    let body = open(&world, "0").await;
    world.end().await;
    body.collect().await.unwrap();
}

#[tokio::test]
async fn metrics_are_prometheus_text() {
    let world = world([ProviderScript::openai("main")]).await;
    world.ask("/v1/chat/completions", &chat(json!({}))).await;
    until("counted", || world.metric("weir_admission_allowed_total") == 1.0).await;
    let answer = world.get("/metrics").await;
    let text = String::from_utf8(answer.body.to_vec()).unwrap();
    for name in [
        "weir_admission_allowed_total{upstream=\"main\",model=\"small\",tenant=\"",
        "weir_inflight_requests{upstream=\"main\",model=\"small\"} 0",
        "weir_adaptive_concurrency_limit{upstream=\"main\"}",
        "weir_queue_wait_ms_bucket{tenant=\"",
        "weir_policy_faults_total{slot=\"limit\"} 0",
        "weir_reserved_input_tokens 0",
    ] {
        assert!(text.contains(name), "{name} is not in\n{text}");
    }
    world.end().await;
}
