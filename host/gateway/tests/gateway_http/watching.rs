//! Events and metrics.

use http_body_util::BodyExt;
use hyper::body::Incoming;
use serde_json::{Value, json};
use weir_gateway::config::Settings;
use weir_gateway::{Deciders, Gateway, Read, What};
use weir_mock::{Mock, ProviderScript, Script};

use crate::world::{
    World, chat, client, fallback, operator, settings, tenant, until, whole, world, world_with,
};

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
        "# TYPE weir_policy_call_seconds histogram",
        "weir_policy_call_seconds_bucket{slot=\"limit\",le=\"+Inf\"} 0",
        "weir_retry_attempts{upstream=\"main\"} 0",
        "weir_retry_attempts_total{upstream=\"main\"} 0",
        "weir_reserved_input_tokens 0",
    ] {
        assert!(text.contains(name), "{name} is not in\n{text}");
    }
    world.end().await;
}

#[tokio::test]
async fn two_pages_of_metrics_have_one_order() {
    let providers = ["a", "b", "c"].map(ProviderScript::openai);
    let names = |text: String| -> Vec<String> {
        text.lines().map(|line| line.rsplit_once(' ').unwrap_or((line, "")).0.to_owned()).collect()
    };
    let mut pages = Vec::new();
    for _ in 0..2 {
        let world = world(providers.clone()).await;
        pages.push(names(world.gateway.metrics()));
        world.end().await;
    }
    assert_eq!(pages[0], pages[1]);
}

/// What a reader is shown up to the event that a policy was rejected.
async fn rejected(world: &World, bearer: &str) -> String {
    let mut body = world.events(bearer).await.into_body();
    loop {
        let (_, event) = next(&mut body).await;
        if event["event"] == "policy-rejected" {
            return event.to_string();
        }
    }
}

#[tokio::test]
async fn where_the_operators_files_lie_no_tenant_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().display().to_string();
    let more = format!("{}[policies]\ndir = \"{path}\"\n", tenant("acme"));
    let mock = Mock::start(&Script::new([ProviderScript::openai("main")])).await.unwrap();
    let settings = Settings { admin: operator(), ..settings(&mock, &more) };
    let gateway = Gateway::start(settings, Deciders::Configured).await.unwrap();
    let world = World { mock, gateway, client: client() };
    std::fs::write(folder.path().join("limit-ceiling.wasm"), "no component").unwrap();
    let shown = tokio::join!(rejected(&world, "operator"), rejected(&world, "acme"));
    assert!(shown.0.contains(&path) && !shown.1.contains(&path), "{shown:?}");
    world.end().await;
}

#[tokio::test]
async fn one_tenant_does_not_take_all_places_of_readers() {
    let more = tenant("acme") + &tenant("bolt");
    let world = world_with([ProviderScript::openai("main")], &more, fallback(), None).await;
    let mut readers = Vec::new();
    let refused = loop {
        let response = world.events("acme").await;
        if response.status() != 200 {
            break whole(response).await;
        }
        readers.push(response);
        assert!(readers.len() < 1_000, "readers are bounded");
    };
    assert_eq!((refused.status.as_u16(), readers.len()), (503, 32));
    assert_eq!(world.events("bolt").await.status(), 200);
    drop(readers);
    world.end().await;
}
