//! The caller's body on its way to a provider.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Frame, SizeHint};

use crate::dialect::Splice;

/// What every attempt of a request sends: the caller's bytes, shared and not copied, with at most one range
/// replaced.
#[derive(Clone, Debug)]
pub(crate) struct Payload {
    parts: [Bytes; 3],
}

impl Payload {
    pub(crate) fn new(body: Bytes, splice: Option<Splice>) -> Self {
        let Some(Splice { range, with }) = splice else {
            return Self { parts: [body, Bytes::new(), Bytes::new()] };
        };
        Self { parts: [body.slice(..range.start), with.into(), body.slice(range.end..)] }
    }

    pub(crate) fn body(&self) -> Body {
        Body { parts: self.parts.clone(), next: 0 }
    }
}

/// One sending of a payload.
#[derive(Debug)]
pub(crate) struct Body {
    parts: [Bytes; 3],
    next: usize,
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        while let Some(part) = {
            let next = self.next;
            self.parts.get_mut(next).map(std::mem::take)
        } {
            self.next += 1;
            if !part.is_empty() {
                return Poll::Ready(Some(Ok(Frame::data(part))));
            }
        }
        Poll::Ready(None)
    }

    fn is_end_stream(&self) -> bool {
        self.parts.iter().all(Bytes::is_empty)
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.parts.iter().map(|part| part.len() as u64).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body_util::BodyExt;

    async fn sent(payload: &Payload) -> Bytes {
        payload.body().collect().await.unwrap().to_bytes()
    }

    #[tokio::test]
    async fn each_attempt_sends_the_same() {
        let splice = Splice { range: 1..3, with: "XYZ".into() };
        let payload = Payload::new(Bytes::from_static(b"abcdef"), Some(splice));
        let size = http_body::Body::size_hint(&payload.body()).exact();
        assert_eq!(size, Some(7));
        assert_eq!(sent(&payload).await, "aXYZdef");
        assert_eq!(sent(&payload).await, "aXYZdef");
        assert_eq!(sent(&Payload::new(Bytes::from_static(b"abc"), None)).await, "abc");
    }
}
