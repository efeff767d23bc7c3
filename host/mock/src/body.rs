//! The body of a response: it holds the permit, so that the slot is taken for as long as the body lives.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Frame, SizeHint};

use crate::gate::Permit;
use crate::stats::Outcome;
use crate::stream::Stream;

/// A response's body, whole or streamed. Dropping it before its end is a client that went.
#[derive(Debug)]
pub struct Body(Payload);

#[derive(Debug)]
enum Payload {
    /// Bytes, and the permit of an accepted request.
    Whole(Option<Bytes>, Option<Permit>),
    Stream(Box<Stream>),
}

/// The script closes the connection here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the script cuts the connection")]
pub struct Cut;

impl Body {
    pub(crate) fn plain(bytes: Bytes) -> Self {
        Self(Payload::Whole(Some(bytes), None))
    }

    pub(crate) fn whole(bytes: Bytes, permit: Permit) -> Self {
        Self(Payload::Whole(Some(bytes), Some(permit)))
    }

    pub(crate) fn stream(stream: Stream) -> Self {
        Self(Payload::Stream(Box::new(stream)))
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = Cut;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Cut>>> {
        let bytes = match &mut self.0 {
            Payload::Stream(stream) => return stream.poll(context).map_ok(Frame::data),
            Payload::Whole(bytes, permit) => {
                if let Some(permit) = permit.take() {
                    permit.end(Outcome::Finished);
                }
                bytes.take()
            }
        };
        Poll::Ready(bytes.map(Frame::data).map(Ok))
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            Payload::Whole(bytes, _) => bytes.is_none(),
            Payload::Stream(stream) => stream.is_done(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Payload::Whole(bytes, _) => {
                SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64))
            }
            Payload::Stream(_) => SizeHint::default(),
        }
    }
}
