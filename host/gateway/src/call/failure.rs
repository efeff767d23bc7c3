//! What an attempt can come to nothing of.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, StatusCode};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use weir_core::{Outcome, Response, Transport};

use crate::config::Kind;
use crate::driver::Halt;
use crate::host::Host;
use crate::relay::{Why, excerpt};
use crate::upstream;

/// The most of a provider's refusal that is passed on.
const MAX_BODY: usize = 1 << 20;

/// Nothing of it has reached the caller.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The provider answered, and said no.
    Response { status: StatusCode, headers: HeaderMap, body: Bytes },
    /// The provider began a stream, and said no in it.
    Event(String),
    /// No answer, or one that broke off; with words for people.
    Broken(Transport, String),
    /// This host ended it.
    Cut(Halt),
}

impl Failure {
    /// What the core is told.
    pub(crate) fn outcome(&self, kind: Kind, host: &Host) -> Outcome {
        let response = |status: u16, headers, body| {
            let (endpoint, wall_ms) = (kind.endpoint().to_owned(), host.clock.wall_ms());
            Outcome::Response(Response { status, headers, body, endpoint, wall_ms })
        };
        match self {
            Self::Response { status, headers, body } => {
                response(status.as_u16(), upstream::for_core(headers), excerpt(body))
            }
            Self::Event(data) => response(0, Vec::new(), data.clone()),
            Self::Broken(how, _) => Outcome::Transport(*how),
            Self::Cut(_) => Outcome::Cut,
        }
    }
}

impl From<Why> for Failure {
    fn from(why: Why) -> Self {
        match why {
            Why::Event(data) => Self::Event(data),
            Why::Broken(how) => Self::Broken(how, "before its first content".into()),
            Why::Cut(halt) => Self::Cut(halt),
        }
    }
}

/// Reads a refusal's body as far as it comes in time and size. What is missing makes it no less a refusal.
pub(super) async fn read(mut body: Incoming, within: Duration) -> Bytes {
    let mut read = BytesMut::new();
    let reading = async {
        while let Some(Ok(frame)) = body.frame().await {
            let Some(data) = frame.data_ref() else { continue };
            let room = MAX_BODY - read.len();
            read.extend_from_slice(&data[..data.len().min(room)]);
            if room <= data.len() {
                return;
            }
        }
    };
    // Too late: what has come must do.
    let _ = tokio::time::timeout(within, reading).await;
    read.freeze()
}
