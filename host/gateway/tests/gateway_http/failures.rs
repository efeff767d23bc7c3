//! Providers that fail, and how callers hear of it.

use serde_json::json;
use weir_mock::{Effect, ErrorEvent, ErrorKind, FaultScript, ProviderScript, StreamCut};

use crate::world::{chat, client, fallback, message, parse, post, until, whole, world, world_with};

fn always(effect: Effect) -> FaultScript {
    FaultScript::always(effect)
}

#[tokio::test]
async fn a_no_that_waiting_cannot_mend_is_passed_on() {
    for (effect, status) in [(Effect::Status(401), 401), (Effect::ContextLength, 400)] {
        let world = world([ProviderScript::openai("main").fault(always(effect))]).await;
        let answer = world.ask("/v1/chat/completions", &chat(json!({}))).await;
        assert_eq!(answer.status, status, "{answer:?}");
        assert_eq!(answer.header("x-should-retry"), "false");
        assert!(answer.json()["error"]["message"].is_string());
        assert_eq!(world.stats().requests, 1, "no retry can help");
        until("idle", || world.idle()).await;
        world.end().await;
    }
}

#[tokio::test]
async fn a_stream_that_breaks_off_says_so() {
    let cut = Effect::CutStream(StreamCut { after_chunks: 3 });
    let world = world([ProviderScript::openai("main").output(64.0, 0.0).fault(always(cut))]).await;
    let answer = world.ask("/v1/chat/completions", &chat(json!({ "stream": true }))).await;
    let text = String::from_utf8_lossy(&answer.body).into_owned();
    assert_eq!(answer.status, 200);
    assert!(text.contains("\"code\":\"upstream_reset\"") && !text.contains("[DONE]"), "{text}");
    until("idle", || world.idle()).await;
    world.end().await;
}

#[tokio::test]
async fn an_error_after_content_is_passed_through() {
    let error = Effect::ErrorEvent(ErrorEvent { after_chunks: 2, kind: ErrorKind::Overloaded });
    let provider = ProviderScript::anthropic("claude").output(64.0, 0.0).fault(always(error));
    let world = world([provider]).await;
    let answer = world.ask("/v1/messages", &message(json!({ "stream": true }))).await;
    let text = String::from_utf8_lossy(&answer.body).into_owned();
    assert_eq!(text.matches("event: error").count(), 1, "{text}");
    assert!(text.contains("overloaded_error"));
    until("idle", || world.idle()).await;
    world.end().await;
}

#[tokio::test]
async fn an_error_before_content_is_an_error_status() {
    let error = Effect::ErrorEvent(ErrorEvent { after_chunks: 0, kind: ErrorKind::Server });
    let provider = ProviderScript::anthropic("claude").output(64.0, 0.0).fault(always(error));
    let world = world([provider]).await;
    let answer = world.ask("/v1/messages", &message(json!({ "stream": true }))).await;
    assert!(answer.status.is_server_error(), "{answer:?}");
    assert_eq!(answer.json()["type"], "error");
    world.end().await;
}

#[tokio::test]
async fn an_upstream_that_cannot_be_reached_is_named_as_such() {
    let closed = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = closed.local_addr().unwrap();
    drop(closed);
    let text = format!(
        "listen = \"127.0.0.1:0\"\n[[upstream]]\nname = \"gone\"\nkind = \"openai\"\n\
         base_url = \"http://{addr}/v1\"\nmodels = [\"small\"]\n"
    );
    let gateway = weir_gateway::Gateway::start(parse(&text, &[]), fallback()).await.unwrap();
    let url = format!("http://{}/v1/chat/completions", gateway.addr());
    let response = client().request(post(&url, chat(json!({})).to_string())).await.unwrap();
    let answer = whole(response).await;
    assert_eq!(answer.status, 502, "{answer:?}");
    assert_eq!(answer.json()["error"]["code"], "upstream_unreachable");
    assert_eq!(answer.header("x-should-retry"), "false");
    assert!(gateway.shutdown(std::time::Duration::from_secs(5)).await.clean);
}

#[tokio::test]
async fn the_lines_default_deadline_does_not_end_what_is_answered() {
    let slow = ProviderScript::openai("main").output(40.0, 0.0).pace(80.0, 1);
    let more = "[line]\ndefault_deadline = \"200ms\"\n";
    let world = world_with([slow], more, fallback(), None).await;
    let stream = chat(json!({ "stream": true, "max_tokens": 400 }));
    let answer = world.ask("/v1/chat/completions", &stream).await;
    assert!(answer.body.ends_with(b"data: [DONE]\n\n"), "{answer:?}");
    let mut request = post(&world.url("/v1/chat/completions"), stream.to_string());
    request.headers_mut().insert("x-weir-deadline-ms", 200.into());
    let answer = whole(world.send(request).await).await;
    let text = String::from_utf8_lossy(&answer.body).into_owned();
    assert!(text.contains("deadline_passed"), "the caller's own deadline does: {text}");
    world.end().await;
}

#[tokio::test]
async fn a_deadline_that_passes_in_line_is_said() {
    let slow = ProviderScript::openai("main").latency(2_000.0, 0.0);
    let world = world([slow]).await;
    let mut request = post(&world.url("/v1/chat/completions"), chat(json!({})).to_string());
    request.headers_mut().insert("x-weir-deadline-ms", 50.into());
    let answer = whole(world.send(request).await).await;
    assert!(matches!(answer.status.as_u16(), 408 | 504), "{answer:?}");
    until("idle", || world.idle()).await;
    world.end().await;
}
