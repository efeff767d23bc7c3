//! A closed loop of keep-alive connections.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use bytes::Bytes;
use hdrhistogram::Histogram;
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::{Method, Request};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio_util::task::TaskTracker;

/// How hard to ask.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    /// Connections, each with one request in flight.
    pub connections: usize,
    /// For how long.
    pub span: Duration,
}

/// What came back.
#[derive(Debug)]
pub struct Round {
    /// Answers a second.
    pub rate: f64,
    /// In microseconds.
    pub latency: Histogram<u64>,
}

/// A request of about 1 KiB.
fn prompt() -> Bytes {
    let text = "Review the change below. ".repeat(32);
    Bytes::from(format!(
        r#"{{"model":"fixed","max_tokens":256,"messages":[{{"role":"user","content":"{text}"}}]}}"#
    ))
}

#[expect(clippy::disallowed_methods, reason = "a load bench measures real time")]
fn now() -> Instant {
    Instant::now()
}

/// Asks for a span, and counts.
///
/// # Errors
///
/// A connection cannot be made, or an answer is not 200.
pub async fn run(addr: SocketAddr, load: Load, tasks: &TaskTracker) -> anyhow::Result<Round> {
    let started = now();
    let until = started + load.span;
    let mut loops = Vec::with_capacity(load.connections);
    for _ in 0..load.connections {
        let sender = connect(addr, tasks).await?;
        loops.push(tasks.spawn(ask(sender, addr, until)));
    }
    let mut latency = Histogram::new(3)?;
    for each in loops {
        latency.add(each.await??)?;
    }
    let rate = latency.len() as f64 / started.elapsed().as_secs_f64();
    Ok(Round { rate, latency })
}

async fn connect(
    addr: SocketAddr,
    tasks: &TaskTracker,
) -> anyhow::Result<SendRequest<Full<Bytes>>> {
    let stream = TcpStream::connect(addr).await.with_context(|| format!("cannot reach {addr}"))?;
    stream.set_nodelay(true)?;
    let (sender, connection) = handshake(TokioIo::new(stream)).await?;
    tasks.spawn(connection);
    Ok(sender)
}

async fn ask(
    mut sender: SendRequest<Full<Bytes>>,
    addr: SocketAddr,
    until: Instant,
) -> anyhow::Result<Histogram<u64>> {
    let (body, mut latency) = (prompt(), Histogram::new(3)?);
    loop {
        let sent = now();
        if sent >= until {
            return Ok(latency);
        }
        let request = Request::builder()
            .method(Method::POST)
            .uri("/v1/chat/completions")
            .header("host", addr.to_string())
            .header("content-type", "application/json")
            .body(Full::new(body.clone()))?;
        let response = sender.send_request(request).await?;
        let status = response.status();
        let answer = response.into_body().collect().await?.to_bytes();
        ensure!(status == 200, "{addr} answered {status}: {}", String::from_utf8_lossy(&answer));
        latency.record(u64::try_from(sent.elapsed().as_micros())?.max(1))?;
    }
}
