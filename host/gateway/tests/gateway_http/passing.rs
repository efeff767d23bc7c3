//! What goes on to a provider and comes back, seen at a provider that plays back what a test gives it.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use http::HeaderMap;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_util::task::TaskTracker;
use weir_gateway::Gateway;

use crate::world::{Answer, chat, client, fallback, message, parse, post, whole};

/// A provider that answers every request with the same pieces, and keeps the heads of those requests.
struct Provider {
    addr: SocketAddr,
    asked: Arc<Mutex<Vec<http::request::Parts>>>,
}

type Piece = Result<Bytes, std::io::Error>;

impl Provider {
    async fn start(headers: &[(&'static str, &str)], pieces: fn() -> Vec<Piece>) -> Self {
        let asked = Arc::<Mutex<Vec<_>>>::default();
        let keep = Arc::clone(&asked);
        let headers: HeaderMap = headers
            .iter()
            .map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()))
            .collect();
        let answer = move |request: Request| {
            let (parts, body) = request.into_parts();
            keep.lock().unwrap().push(parts);
            let headers = headers.clone();
            async move {
                axum::body::to_bytes(body, 1 << 20).await.unwrap();
                // Each piece goes out before the next is looked at.
                let pieces = stream::iter(pieces()).then(|piece| async {
                    tokio::task::yield_now().await;
                    piece
                });
                let mut response = Response::new(Body::from_stream(pieces));
                *response.headers_mut() = headers;
                response
            }
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        let serve = axum::serve(listener, Router::new().fallback(answer));
        TaskTracker::new().spawn(async { serve.await });
        Self { addr, asked }
    }

    async fn gateway(&self, kind: &str) -> Gateway {
        let text = format!(
            "listen = \"127.0.0.1:0\"\n[[upstream]]\nname = \"main\"\nkind = \"{kind}\"\n\
             base_url = \"http://{}\"\nmodels = [\"small\"]\n",
            self.addr
        );
        Gateway::start(parse(&text, &[]), fallback()).await.unwrap()
    }
}

async fn ask(
    gateway: &Gateway,
    path: &str,
    headers: &[(&'static str, &str)],
    body: &Value,
) -> Answer {
    let mut request = post(&format!("http://{}{path}", gateway.addr()), body.to_string());
    for (name, value) in headers {
        request.headers_mut().insert(*name, value.parse().unwrap());
    }
    whole(client().request(request).await.unwrap()).await
}

async fn end(gateway: Gateway) {
    let ended = gateway.shutdown(Duration::from_secs(5)).await;
    assert!(ended.clean && ended.cut == 0, "{ended:?}");
}

#[tokio::test]
async fn a_query_and_the_apis_own_headers_reach_the_provider() {
    let provider =
        Provider::start(&[("content-type", "application/json")], || vec![Ok("{}".into())]).await;
    let gateway = provider.gateway("anthropic").await;
    let sent = [
        ("anthropic-beta", "one,two"),
        ("accept-encoding", "gzip, br"),
        ("x-api-key", "a tenant's"),
        ("x-weir-session", "mine"),
    ];
    let answer = ask(&gateway, "/v1/messages?beta=true", &sent, &message(json!({}))).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let asked = provider.asked.lock().unwrap().pop().unwrap();
    assert_eq!(asked.uri, "/v1/messages?beta=true");
    assert_eq!(asked.headers["host"], provider.addr.to_string().as_str());
    assert_eq!(asked.headers["anthropic-beta"], "one,two");
    assert_eq!(asked.headers["accept-encoding"], "identity");
    assert!(
        !asked.headers.contains_key("x-api-key") && !asked.headers.contains_key("x-weir-session")
    );
    end(gateway).await;
}

#[tokio::test]
async fn a_stream_that_breaks_within_an_event_ends_with_an_error_that_can_be_read() {
    let pieces = || -> Vec<Piece> {
        let word = r#"data: {"choices":[{"delta":{"content":"hello"}}]}"#;
        let half = Ok(Bytes::from(format!("{word}\n\n{}", &word[..20])));
        vec![half, Err(std::io::ErrorKind::ConnectionReset.into())]
    };
    let provider = Provider::start(&[("content-type", "text/event-stream")], pieces).await;
    let gateway = provider.gateway("openai").await;
    let answer = ask(&gateway, "/v1/chat/completions", &[], &chat(json!({ "stream": true }))).await;
    let text = std::str::from_utf8(&answer.body).unwrap();
    let events: Vec<Value> = text
        .split_terminator("\n\n")
        .map(|event| serde_json::from_str(event.strip_prefix("data: ").unwrap()).unwrap())
        .collect();
    assert_eq!(events.len(), 2, "{text}");
    assert_eq!(events[0]["choices"][0]["delta"]["content"], "hello");
    assert_eq!(events[1]["error"]["code"], "upstream_reset");
    end(gateway).await;
}

#[tokio::test]
async fn a_coded_answer_passes_as_it_is() {
    let coded = [("content-type", "text/event-stream"), ("content-encoding", "gzip")];
    let provider =
        Provider::start(&coded, || vec![Ok(Bytes::from_static(b"\x1f\x8b no events"))]).await;
    let gateway = provider.gateway("openai").await;
    let answer = ask(&gateway, "/v1/chat/completions", &[], &chat(json!({ "stream": true }))).await;
    assert_eq!((answer.status.as_u16(), answer.header("content-encoding")), (200, "gzip"));
    assert_eq!(&answer.body[..], b"\x1f\x8b no events");
    assert_eq!(answer.header("x-weir-attempts"), "1");
    end(gateway).await;
}
