//! Reading a request's body, within bounds of size, time and memory.

use axum::body::Body;
use bytes::{Bytes, BytesMut};
use http::{HeaderMap, StatusCode, header};
use http_body::Body as _;
use http_body_util::BodyExt;
use tokio::sync::OwnedSemaphorePermit;

use crate::complaint::Complaint;
use crate::host::Host;

/// A body that has been read.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) bytes: Bytes,
    /// Its share of the memory for bodies, given back on drop.
    pub(super) room: OwnedSemaphorePermit,
}

/// Reads a whole body. One that came in one piece is not copied.
pub(super) async fn read(body: Body, headers: &HeaderMap, host: &Host) -> Result<Read, Complaint> {
    let bounds = &host.settings.host;
    let length = length(headers);
    if length.is_some_and(|length| length > bounds.max_body) {
        return Err(too_large(bounds.max_body));
    }
    // A body of unknown length may become the largest.
    let room = host.room(length.unwrap_or(bounds.max_body)).ok_or_else(Complaint::overfull)?;
    match tokio::time::timeout(bounds.read_timeout, collect(body, length, bounds.max_body)).await {
        Ok(bytes) => Ok(Read { bytes: bytes?, room }),
        Err(_) => Err(Complaint::new(
            StatusCode::REQUEST_TIMEOUT,
            "body_timeout",
            format!("the body did not come within {} s", bounds.read_timeout.as_secs()),
        )),
    }
}

async fn collect(mut body: Body, length: Option<usize>, cap: usize) -> Result<Bytes, Complaint> {
    let first = next(&mut body).await?.unwrap_or_default();
    if body.is_end_stream() && first.len() <= cap {
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
