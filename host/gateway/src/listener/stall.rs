//! A connection that gives up on a reader that does not read, or reads too slowly.

use std::io;
use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};
use std::time::Duration;

use metrics::Counter;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Sleep;

use crate::ingress::Connection;

/// A stream whose writes fail once one has waited for longer than a limit, or waits when its answer must be
/// over: a reader that takes a little now and then would hold a slot for as long as it likes.
#[derive(Debug)]
pub(super) struct Stall<S = TcpStream> {
    inner: S,
    limit: Duration,
    /// Runs while a write waits.
    timer: Option<Pin<Box<Sleep>>>,
    /// Knows when the answer must be over, and tells the guards of this connection why it ends.
    connection: Connection,
    /// Counts writes that wait.
    pressed: Counter,
}

impl<S> Stall<S> {
    pub(super) fn new(inner: S, limit: Duration, connection: Connection, pressed: Counter) -> Self {
        Self { inner, limit, timer: None, connection, pressed }
    }

    /// When the write that begins to wait has waited too long.
    fn timer(&self) -> Pin<Box<Sleep>> {
        self.pressed.increment(1);
        let stalled = tokio::time::sleep(self.limit);
        Box::pin(match self.connection.until() {
            Some(until) if until < stalled.deadline() => tokio::time::sleep_until(until),
            _ => stalled,
        })
    }

    fn watch<T>(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.timer = None;
            return written;
        }
        let mut timer = self.timer.take().unwrap_or_else(|| self.timer());
        if timer.as_mut().poll(cx).is_pending() {
            self.timer = Some(timer);
            return Poll::Pending;
        }
        self.connection.stalled.store(true, Ordering::Relaxed);
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Stall<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(cx, buf)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Stall<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.inner).poll_write(cx, buf);
        self.watch(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.inner).poll_write_vectored(cx, bufs);
        self.watch(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

    /// A stream with room for eight bytes that nobody takes out.
    fn unread(limit: Duration, connection: &Connection) -> (Stall<DuplexStream>, DuplexStream) {
        let (near, far) = tokio::io::duplex(8);
        (Stall::new(near, limit, connection.clone(), Counter::noop()), far)
    }

    #[tokio::test]
    async fn a_reader_that_does_not_read_is_given_up() {
        let connection = Connection::default();
        let (mut stream, _far) = unread(Duration::from_millis(5), &connection);
        stream.write_all(&[0; 8]).await.unwrap();
        assert!(!connection.stalled.load(Ordering::Relaxed));
        let error = stream.write_all(&[0; 1]).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert!(connection.stalled.load(Ordering::Relaxed));
    }

    /// Each byte that it takes begins the wait anew, and not the answer's time.
    #[tokio::test]
    async fn a_reader_that_reads_a_little_is_given_up_when_the_answer_must_be_over() {
        let connection = Connection::default();
        let (mut stream, mut far) = unread(Duration::from_secs(3_600), &connection);
        let soon = tokio::time::sleep(Duration::from_millis(20)).deadline();
        connection.answer_by(Some(soon));
        let mut beat = tokio::time::interval(Duration::from_millis(1));
        let trickle = async {
            loop {
                beat.tick().await;
                far.read_u8().await.unwrap();
            }
        };
        let write = async { while stream.write_all(&[0; 8]).await.is_ok() {} };
        tokio::select! { () = trickle => {} () = write => {} }
        assert!(connection.stalled.load(Ordering::Relaxed));
    }
}
