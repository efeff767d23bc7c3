//! The fixed upstream: the same chat completion for every request.

use std::convert::Infallible;
use std::net::SocketAddr;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio_util::task::TaskTracker;

/// What it answers: about 1 KiB, with usage, so that a gateway has something to settle.
fn completion() -> Bytes {
    let text = "The change reads well. ".repeat(32);
    Bytes::from(format!(
        r#"{{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"fixed","choices":[{{"index":0,"message":{{"role":"assistant","content":"{text}"}},"finish_reason":"stop"}}],"usage":{{"prompt_tokens":64,"completion_tokens":160,"total_tokens":224}}}}"#
    ))
}

/// Serves on a free loopback port until the runtime ends.
///
/// # Errors
///
/// No port can be had.
pub async fn serve(tasks: &TaskTracker) -> std::io::Result<SocketAddr> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let addr = listener.local_addr()?;
    let connections = tasks.clone();
    tasks.spawn(async move {
        let body = completion();
        while let Ok((stream, _)) = listener.accept().await {
            let _ = stream.set_nodelay(true);
            let body = body.clone();
            let answer = service_fn(move |request| answer(request, body.clone()));
            connections.spawn(
                hyper::server::conn::http1::Builder::new()
                    .serve_connection(TokioIo::new(stream), answer),
            );
        }
    });
    Ok(addr)
}

async fn answer(
    request: Request<Incoming>,
    body: Bytes,
) -> Result<Response<Full<Bytes>>, Infallible> {
    use http_body_util::BodyExt as _;
    // A provider reads the request before it answers.
    let _ = request.into_body().collect().await;
    let mut response = Response::new(Full::new(body));
    response.headers_mut().insert(
        hyper::header::CONTENT_TYPE,
        hyper::header::HeaderValue::from_static("application/json"),
    );
    Ok(response)
}
