//! Connections from callers: accepted, bounded, served and let go.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use metrics::Counter;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::Service;

use crate::config;
use crate::ingress::Connection;

mod stall;

use stall::Stall;

/// Headers of a request at most, and their bytes.
const MAX_HEADERS: usize = 100;
const MAX_HEAD: usize = 64 << 10;
/// After the system refused to accept (out of files, as a rule).
const BREATHER: Duration = Duration::from_millis(50);
/// What a connection over the bound is told.
const FULL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\n\
    content-length: 114\r\nretry-after: 1\r\nx-should-retry: false\r\nconnection: close\r\n\r\n\
    {\"error\":{\"message\":\"this gateway has as many connections as it may\",\"type\":\"server_error\",\
    \"code\":\"gateway_full\"}}";

/// The door.
pub(crate) struct Listener {
    listener: TcpListener,
    router: Router,
    bounds: config::Host,
    /// Counts answers that wait for their reader.
    backpressure: Counter,
    places: Arc<Semaphore>,
    pub(crate) connections: TaskTracker,
    /// No new connection; those that are idle close.
    pub(crate) stop: CancellationToken,
    /// Every connection ends now.
    pub(crate) kill: CancellationToken,
}

impl Listener {
    pub(crate) fn new(
        listener: TcpListener,
        router: Router,
        bounds: config::Host,
        backpressure: Counter,
    ) -> Self {
        Self {
            listener,
            router,
            backpressure,
            places: Arc::new(Semaphore::new(bounds.max_connections)),
            bounds,
            connections: TaskTracker::new(),
            stop: CancellationToken::new(),
            kill: CancellationToken::new(),
        }
    }

    pub(crate) fn addr(&self) -> std::io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Accepts until it is stopped.
    pub(crate) async fn run(self) {
        loop {
            let accepted = tokio::select! {
                accepted = self.listener.accept() => accepted,
                () = self.stop.cancelled() => return,
            };
            match accepted {
                Ok((stream, _)) => self.take(stream),
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(BREATHER).await;
                }
            }
        }
    }

    fn take(&self, stream: TcpStream) {
        let Ok(place) = Arc::clone(&self.places).try_acquire_owned() else {
            // What does not go out at once is not worth a wait.
            let _ = stream.try_write(FULL);
            return;
        };
        // Without it small pieces of a stream would wait for each other; with it nothing worse happens.
        let _ = stream.set_nodelay(true);
        let connection = Connection::default();
        let (stall, pressed) = (self.bounds.stall, self.backpressure.clone());
        let serve = serve(
            Stall::new(stream, stall, connection.clone(), pressed),
            connection,
            self.router.clone(),
            self.bounds,
            self.stop.clone(),
            self.kill.clone(),
            place,
        );
        self.connections.spawn(serve);
    }
}

async fn serve(
    stream: Stall,
    connection: Connection,
    router: Router,
    bounds: config::Host,
    stop: CancellationToken,
    kill: CancellationToken,
    _place: OwnedSemaphorePermit,
) {
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(connection.clone());
        let mut router = router.clone();
        async move { Ok::<_, Infallible>(call(&mut router, request).await) }
    });
    let mut serving = pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(bounds.read_timeout)
            .max_headers(MAX_HEADERS)
            .max_header_size(MAX_HEAD)
            .serve_connection(TokioIo::new(stream), service)
    );
    // How a connection ends is the business of the requests on it, whose guards have said so.
    tokio::select! {
        _ = serving.as_mut() => return,
        () = stop.cancelled() => serving.as_mut().graceful_shutdown(),
    }
    tokio::select! {
        _ = serving => {}
        () = kill.cancelled() => {}
    }
}

async fn call(router: &mut Router, request: Request<Incoming>) -> axum::response::Response {
    match router.call(request.map(Body::new)).await {
        Ok(response) => response,
        Err(never) => match never {},
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_refusal_says_its_length() {
        let text = std::str::from_utf8(super::FULL).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(head.contains(&format!("content-length: {}\r\n", body.len())), "{}", body.len());
    }
}
