//! Making connections, and how long that took.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::{Connected, Connection, HttpConnector};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tower::Service;
use weir_core::units::Micros;

use super::body::Body;
use crate::clock::Clock;

pub(super) type Connector = HttpsConnector<Timed>;

/// How long a connection took; found among the extensions of every answer that came over it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Took(pub(super) Micros);

/// A connector that speaks plain HTTP and TLS, with the public roots.
pub(super) fn connector(within: Duration, clock: Clock) -> Connector {
    let mut http = HttpConnector::new();
    http.enforce_http(false);
    http.set_nodelay(true);
    http.set_connect_timeout(Some(within));
    HttpsConnectorBuilder::new()
        .with_webpki_roots()
        .https_or_http()
        .enable_http1()
        .wrap_connector(Timed { http, clock })
}

pub(super) fn client(
    connector: Connector,
    max_idle: usize,
    idle: Duration,
) -> Client<Connector, Body> {
    Client::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .pool_max_idle_per_host(max_idle)
        .pool_idle_timeout(idle)
        .build(connector)
}

/// A connector that measures.
#[derive(Clone, Debug)]
pub(super) struct Timed {
    http: HttpConnector,
    clock: Clock,
}

impl Service<Uri> for Timed {
    type Response = Stream;
    type Error = <HttpConnector as Service<Uri>>::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Stream, Self::Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.http.poll_ready(cx)
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let (clock, start) = (self.clock, self.clock.now());
        let connecting = self.http.call(uri);
        Box::pin(async move {
            let inner = connecting.await?;
            Ok(Stream { inner, took: Took(clock.now().minus(start)) })
        })
    }
}

/// A connection that knows how long it took.
#[derive(Debug)]
pub(super) struct Stream {
    inner: TokioIo<TcpStream>,
    took: Took,
}

impl Connection for Stream {
    fn connected(&self) -> Connected {
        self.inner.connected().extra(self.took)
    }
}

impl Read for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(cx, buf)
    }
}

impl Write for Stream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write_vectored(cx, bufs)
    }
}
