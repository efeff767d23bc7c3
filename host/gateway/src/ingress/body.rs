//! Reading a request's body, within bounds of size, time and memory.

use axum::body::Body;
use bytes::{Bytes, BytesMut};
use http::{HeaderMap, StatusCode, header};
use http_body::Body as _;
use http_body_util::BodyExt;
use tokio::sync::OwnedSemaphorePermit;

use crate::complaint::Complaint;
use crate::host::{Host, shrink};

/// A body that has been read.
#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) bytes: Bytes,
    /// Its share of the memory for bodies, given back on drop.
    pub(crate) room: OwnedSemaphorePermit,
}

/// Reads a whole body. One that came in one piece is not copied.
pub(crate) async fn read(body: Body, headers: &HeaderMap, host: &Host) -> Result<Read, Complaint> {
    let bounds = &host.settings.host;
    let length = length(headers);
    if length.is_some_and(|length| length > bounds.max_body) {
        return Err(too_large(bounds.max_body));
    }
    // A body of unknown length may become the largest; what it did not need is given back.
    let mut room = host.room(length.unwrap_or(bounds.max_body)).ok_or_else(Complaint::overfull)?;
    match tokio::time::timeout(bounds.read_timeout, collect(body, length, bounds.max_body)).await {
        Ok(bytes) => {
            let bytes = bytes?;
            shrink(&mut room, bytes.len());
            Ok(Read { bytes, room })
        }
        Err(_) => Err(Complaint::new(
            StatusCode::REQUEST_TIMEOUT,
            "body_timeout",
            format!("the body did not come within {} s", bounds.read_timeout.as_secs()),
        )),
    }
}

async fn collect(mut body: Body, length: Option<usize>, cap: usize) -> Result<Bytes, Complaint> {
    let first = next(&mut body).await?.unwrap_or_default();
    if first.len() > cap {
        return Err(too_large(cap));
    }
    if body.is_end_stream() {
        return Ok(first);
    }
    let mut all = BytesMut::with_capacity(length.unwrap_or(first.len() * 2));
    all.extend_from_slice(&first);
    while let Some(chunk) = next(&mut body).await? {
        if all.len() + chunk.len() > cap {
            return Err(too_large(cap));
        }
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
    use super::*;
    use http_body_util::Full;

    #[tokio::test]
    async fn the_cap_holds_without_a_length() {
        let code = async |body: Body| collect(body, None, 4).await.map_err(|error| error.code);
        let piece = |text: &'static str| Body::new(Full::new(Bytes::from_static(text.as_bytes())));
        assert_eq!(code(piece("four")).await, Ok("four".into()));
        assert_eq!(code(piece("fives")).await, Err("request_too_large"));
        let pieces = ["two", "2"].map(|text| Ok::<_, std::convert::Infallible>(text));
        let pieces = Body::from_stream(futures_util::stream::iter(pieces));
        assert_eq!(code(pieces).await, Ok("two2".into()));
        let pieces = ["two", "two"].map(|text| Ok::<_, std::convert::Infallible>(text));
        let pieces = Body::from_stream(futures_util::stream::iter(pieces));
        assert_eq!(code(pieces).await, Err("request_too_large"));
    }
}
