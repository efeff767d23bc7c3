//! A provider that is up.

use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;

use crate::body::{Body, Cut};
use crate::exchange::App;
use crate::script::Kind;
use crate::stats::{Attempt, Stats};

/// A running provider.
#[derive(Clone)]
pub struct Provider {
    pub(crate) app: Arc<App>,
    pub(crate) addr: SocketAddr,
}

impl Provider {
    /// Its name in the script.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.app.script.name
    }

    /// Whose format it speaks.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.app.script.kind
    }

    /// Where it listens.
    #[must_use]
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// What an SDK of its kind takes as base URL: with `/v1` for OpenAI's, without for Anthropic's.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}{}", self.addr, self.app.dialect.base_path())
    }

    /// The counters since the start.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.app.gate.stats()
    }

    /// The last 1024 ended attempts, oldest first.
    #[must_use]
    pub fn attempts(&self) -> Vec<Attempt> {
        self.app.gate.log()
    }

    /// Answers one request without a socket, for callers that keep virtual time. Dropping the future or
    /// the body is a client that goes.
    ///
    /// # Errors
    ///
    /// [`Cut`] when the script wants the connection closed without an answer.
    pub async fn call(&self, request: Request<Bytes>) -> Result<Response<Body>, Cut> {
        self.app.answer(request.map(Full::new)).await
    }
}

impl std::fmt::Debug for Provider {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut debug = formatter.debug_struct("Provider");
        debug.field("name", &self.name()).field("addr", &self.addr).finish_non_exhaustive()
    }
}
