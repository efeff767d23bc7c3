//! Providers and callers that speak HTTP as nobody should.

use std::net::SocketAddr;
use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::task::TaskTracker;
use weir_gateway::Gateway;
use weir_mock::ProviderScript;

use crate::world::{Answer, chat, client, fallback, parse, post, until, whole, world_with};

/// A provider that says the same to every connection, byte for byte, and then repeats the last of it for ever.
async fn provider(first: &'static str, again: &'static str) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    let connections = TaskTracker::new();
    connections.clone().spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            connections.spawn(async move {
                let mut request = [0; 4_096];
                if stream.read(&mut request).await? == 0 {
                    return Ok(());
                }
                stream.write_all(first.as_bytes()).await?;
                let mut beat = tokio::time::interval(Duration::from_millis(5));
                loop {
                    beat.tick().await;
                    stream.write_all(again.as_bytes()).await?;
                }
                #[expect(unreachable_code, reason = "the type of the errors above")]
                Ok::<(), std::io::Error>(())
            });
        }
    });
    addr
}

async fn asked(addr: SocketAddr, body: serde_json::Value) -> Answer {
    let text = format!(
        "listen = \"127.0.0.1:0\"\n[[upstream]]\nname = \"main\"\nkind = \"openai\"\n\
         base_url = \"http://{addr}/v1\"\nmodels = [\"small\"]\n\
         timeouts = {{ first_content = \"50ms\" }}\n"
    );
    let gateway = Gateway::start(parse(&text, &[]), fallback()).await.unwrap();
    let url = format!("http://{}/v1/chat/completions", gateway.addr());
    let answer = whole(client().request(post(&url, body.to_string())).await.unwrap()).await;
    assert!(gateway.shutdown(Duration::from_secs(5)).await.clean);
    answer
}

/// An SDK follows a redirection, and takes its caller's key along.
#[tokio::test]
async fn a_status_that_is_neither_success_nor_error_is_not_passed_on() {
    for head in [
        "HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n",
    ] {
        let answer = asked(provider(head, "").await, chat(json!({}))).await;
        assert_eq!(answer.status, 502, "{answer:?}");
        assert_eq!(answer.json()["error"]["code"], "upstream_status");
        assert_eq!((answer.header("location"), answer.header("upgrade")), ("", ""));
    }
}

#[tokio::test]
async fn pings_do_not_put_the_first_content_off() {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\
                transfer-encoding: chunked\r\n\r\n";
    let addr = provider(head, "8\r\n: ping\n\n\r\n").await;
    let answer = asked(addr, chat(json!({ "stream": true }))).await;
    assert_eq!(answer.status, 504, "{answer:?}");
    assert_eq!(answer.json()["error"]["code"], "upstream_timeout");
}

/// However little it takes at a time, its slot is free when the attempt's time is over.
#[tokio::test]
async fn a_caller_that_hardly_reads_holds_no_slot_past_the_total() {
    let head =
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
    // A chunk of 1 MiB, again and again.
    let piece: &'static str = format!("100000\r\n{}\r\n", " ".repeat(1 << 20)).leak();
    let text = format!(
        "listen = \"127.0.0.1:0\"\n[[upstream]]\nname = \"main\"\nkind = \"openai\"\n\
         base_url = \"http://{}/v1\"\nmodels = [\"small\"]\ntimeouts = {{ total = \"400ms\" }}\n",
        provider(head, piece).await
    );
    let gateway = Gateway::start(parse(&text, &[]), fallback()).await.unwrap();
    let mut stream = TcpStream::connect(gateway.addr()).await.unwrap();
    let body = chat(json!({})).to_string();
    let head = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut status = [0; 12];
    stream.read_exact(&mut status).await.unwrap();
    assert_eq!(&status, b"HTTP/1.1 200");
    until("the slot is free", || {
        let page = gateway.metrics();
        page.contains("weir_inflight_requests{upstream=\"main\",model=\"small\"} 0\n")
    })
    .await;
    assert!(!gateway.metrics().contains("weir_backpressure_high_watermark_total 0\n"));
    assert!(gateway.shutdown(Duration::from_secs(5)).await.clean);
}

/// Memory goes to bytes that have come, not to those that are announced.
#[tokio::test]
async fn bodies_that_never_come_keep_nobody_out() {
    let more = "[line]\nmax_bytes = 65536\n[host]\nmax_body = 65536\n";
    let world = world_with([ProviderScript::openai("a")], more, fallback(), None).await;
    let mut waiting = Vec::new();
    for length in ["content-length: 65536", "transfer-encoding: chunked"].repeat(4) {
        let mut stream = TcpStream::connect(world.gateway.addr()).await.unwrap();
        let head = format!(
            "POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\n{length}\r\nexpect: 100-continue\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        // It is read from now on.
        let mut go_on = [0; 12];
        stream.read_exact(&mut go_on).await.unwrap();
        assert_eq!(&go_on, b"HTTP/1.1 100");
        waiting.push(stream);
    }
    let answer = world.ask("/v1/chat/completions", &chat(json!({}))).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    drop(waiting);
    world.end().await;
}

#[tokio::test]
async fn an_array_is_no_request() {
    let world = world_with([ProviderScript::openai("a")], "", fallback(), None).await;
    let fields = r#" ["small", false, 1, 1, 1, [], [], null]"#;
    let answer = whole(world.send(post(&world.url("/v1/chat/completions"), fields)).await).await;
    assert_eq!(answer.status, 400, "{answer:?}");
    assert_eq!(answer.json()["error"]["code"], "invalid_json");
    world.end().await;
}
