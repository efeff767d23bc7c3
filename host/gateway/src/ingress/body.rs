//! Reading a request's body, within bounds of size, time and memory.

use axum::body::Body;
use bytes::{Bytes, BytesMut};
use http::{HeaderMap, StatusCode, header};
use http_body::Body as _;
use http_body_util::BodyExt;

use crate::complaint::Complaint;
use crate::host::{Host, Room};

/// Room that is made for a body before its first piece is followed by another.
const FIRST: usize = 64 << 10;

/// A body that has been read.
#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) bytes: Bytes,
    pub(crate) room: Room,
}

/// Reads a whole body. One that came in one piece is not copied.
pub(crate) async fn read(body: Body, headers: &HeaderMap, host: &Host) -> Result<Read, Complaint> {
    let bounds = &host.settings.host;
    let length = length(headers);
    if length.is_some_and(|length| length > bounds.max_body) {
        return Err(too_large(bounds.max_body));
    }
    let mut room = host.room();
    let reading = collect(body, &mut room, bounds.max_body);
    match tokio::time::timeout(bounds.read_timeout, reading).await {
        Ok(bytes) => Ok(Read { bytes: bytes?, room }),
        Err(_) => Err(Complaint::new(
            StatusCode::REQUEST_TIMEOUT,
            "body_timeout",
            format!("the body did not come within {} s", bounds.read_timeout.as_secs()),
        )),
    }
}

async fn collect(mut body: Body, room: &mut Room, cap: usize) -> Result<Bytes, Complaint> {
    let mut take = |bytes: usize| match bytes {
        bytes if bytes > cap => Err(too_large(cap)),
        bytes if room.grow(bytes) => Ok(()),
        _ => Err(Complaint::overfull()),
    };
    let first = next(&mut body).await?.unwrap_or_default();
    take(first.len())?;
    if body.is_end_stream() {
        return Ok(first);
    }
    let mut all = BytesMut::with_capacity(FIRST.max(first.len() * 2));
    all.extend_from_slice(&first);
    while let Some(chunk) = next(&mut body).await? {
        take(all.len() + chunk.len())?;
        all.extend_from_slice(&chunk);
    }
    Ok(all.freeze())
}

async fn next(body: &mut Body) -> Result<Option<Bytes>, Complaint> {
    loop {
        match body.frame().await {
            None => return Ok(None),
            Some(Ok(frame)) => {
                if let Ok(data) = frame.into_data() {
                    return Ok(Some(data));
                }
            }
            Some(Err(error)) => {
                let cause = crate::upstream::cause(&error);
                let message = format!("the body broke off: {cause}");
                return Err(Complaint::bad_request("broken_body", message));
            }
        }
    }
}

fn length(headers: &HeaderMap) -> Option<usize> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

fn too_large(cap: usize) -> Complaint {
    Complaint::new(
        StatusCode::PAYLOAD_TOO_LARGE,
        "request_too_large",
        format!("the body is larger than {cap} bytes, which is the most that this gateway takes"),
    )
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use http_body_util::Full;
    use tokio::sync::Semaphore;

    use super::*;

    /// What comes of a body where 4 bytes are the most for one, and 1 KiB for all.
    async fn code(body: Body) -> Result<Bytes, &'static str> {
        let mut room = Room::new(&Arc::new(Semaphore::new(1)));
        collect(body, &mut room, 4).await.map_err(|error| error.code)
    }

    fn pieces(pieces: [&'static str; 2]) -> Body {
        let pieces = pieces.map(Ok::<_, std::convert::Infallible>);
        Body::from_stream(futures_util::stream::iter(pieces))
    }

    #[tokio::test]
    async fn the_cap_holds_without_a_length() {
        let piece = |text: &'static str| Body::new(Full::new(Bytes::from_static(text.as_bytes())));
        assert_eq!(code(piece("four")).await, Ok("four".into()));
        assert_eq!(code(piece("fives")).await, Err("request_too_large"));
        assert_eq!(code(pieces(["two", "2"])).await, Ok("two2".into()));
        assert_eq!(code(pieces(["two", "two"])).await, Err("request_too_large"));
    }

    #[tokio::test]
    async fn without_memory_a_body_is_refused() {
        let mut room = Room::new(&Arc::new(Semaphore::new(0)));
        let refused = collect(pieces(["a", "b"]), &mut room, 4).await;
        assert_eq!(refused.map_err(|error| error.code), Err("gateway_full"));
    }
}
