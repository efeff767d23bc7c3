//! Accounts at providers: a connection pool each, and how a request is sent to one.
//!
//! **Network latency** is the time that the connection under an attempt took to be made: name look-up and TCP
//! connect, without TLS and without the provider's work. A kept connection says the same as when it was new.

use std::time::Duration;

use http::{HeaderMap, HeaderValue, Method, Request, Response, Uri};
use hyper::body::Incoming;
use hyper_util::client::legacy::{Client, Error};
use weir_core::Transport;
use weir_core::ids::CandidateId;
use weir_core::units::Micros;

use crate::clock::Clock;
use crate::config::{self, Kind, Settings, Timeouts};
use crate::dialect::Endpoint;

mod body;
mod connect;
mod headers;

pub(crate) use body::{Body, Payload};
pub(crate) use headers::{for_caller, for_core};

use connect::{Connector, Took};

/// Idle connections that are kept for each upstream.
const MAX_IDLE: usize = 256;
/// How long a connection is kept idle: less than providers keep theirs.
const IDLE: Duration = Duration::from_secs(50);

/// An account at a provider, ready to be asked.
#[derive(Debug)]
pub(crate) struct Upstream {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) timeouts: Timeouts,
    generate: Uri,
    /// Anthropic's alone.
    count_tokens: Uri,
    credential: Option<(http::HeaderName, HeaderValue)>,
    client: Client<Connector, Body>,
}

/// All upstreams, by candidate.
#[derive(Debug)]
pub(crate) struct Upstreams {
    upstreams: Vec<Upstream>,
    /// The upstream and model of each candidate.
    candidates: Vec<(usize, String)>,
}

/// An upstream cannot be used as configured.
#[derive(Debug, thiserror::Error)]
#[error("upstream `{name}`: {words}")]
pub(crate) struct BadUpstream {
    name: String,
    words: String,
}

impl Upstreams {
    pub(crate) fn new(settings: &Settings, clock: Clock) -> Result<Self, BadUpstream> {
        let mut all = Self { upstreams: Vec::new(), candidates: Vec::new() };
        for (place, upstream) in settings.upstreams.iter().enumerate() {
            all.upstreams.push(Upstream::new(upstream, clock)?);
            let models = upstream.models.iter().map(|model| (place, model.name.clone()));
            all.candidates.extend(models);
        }
        Ok(all)
    }

    /// The upstream of a candidate, and the model as it is configured.
    pub(crate) fn candidate(&self, id: CandidateId) -> Option<(&Upstream, &str)> {
        let (place, model) = self.candidates.get(id.0 as usize)?;
        Some((self.upstreams.get(*place)?, model))
    }
}

impl Upstream {
    fn new(upstream: &config::Upstream, clock: Clock) -> Result<Self, BadUpstream> {
        let bad = |words: String| BadUpstream { name: upstream.name.clone(), words };
        let uri = |endpoint: Endpoint| {
            let joined = upstream.base_url.join(endpoint.upstream_path());
            joined.map_err(|error| bad(format!("base_url: {error}")))
        };
        let credential = upstream.key.as_ref().map(|key| headers::credential(upstream.kind, key));
        let connector = connect::connector(upstream.timeouts.connect, clock);
        Ok(Self {
            name: upstream.name.clone(),
            kind: upstream.kind,
            timeouts: upstream.timeouts,
            generate: uri(Endpoint::Generate(upstream.kind))?,
            count_tokens: uri(Endpoint::CountTokens)?,
            credential: credential.transpose().map_err(|error| bad(format!("key: {error}")))?,
            client: connect::client(connector, MAX_IDLE, IDLE),
        })
    }

    /// Sends a request and waits for the headers of its answer, as long as the time-outs allow.
    pub(crate) async fn send(
        &self,
        endpoint: Endpoint,
        caller: &HeaderMap,
        query: Option<&str>,
        body: Body,
        within: Duration,
    ) -> Result<Response<Incoming>, Unanswered> {
        let mut request = Request::new(body);
        *request.method_mut() = Method::POST;
        let uri = match endpoint {
            Endpoint::Generate(_) => &self.generate,
            Endpoint::CountTokens => &self.count_tokens,
        };
        *request.uri_mut() = with_query(uri, query);
        *request.headers_mut() = headers::for_upstream(caller, self.credential.as_ref());
        match tokio::time::timeout(within.min(self.timeouts.headers), self.client.request(request))
            .await
        {
            Ok(answer) => answer.map_err(|error| Unanswered::new(&error)),
            Err(_) => {
                Err(Unanswered { how: Transport::TimedOut, words: "no answer in time".into() })
            }
        }
    }
}

/// An address with the caller's query, which is between it and the provider (`?beta=true`).
fn with_query(uri: &Uri, query: Option<&str>) -> Uri {
    let Some(query) = query else { return uri.clone() };
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = format!("{}?{query}", uri.path()).parse().ok();
    // Both have been part of an address already.
    Uri::from_parts(parts).unwrap_or_else(|_| uri.clone())
}

/// No answer came.
#[derive(Debug)]
pub(crate) struct Unanswered {
    pub(crate) how: Transport,
    /// For people; says nothing of what was sent.
    pub(crate) words: String,
}

impl Unanswered {
    fn new(error: &Error) -> Self {
        let how = if error.is_connect() { Transport::Connect } else { Transport::Reset };
        Self { how, words: cause(error) }
    }
}

/// The innermost words of an error.
pub(crate) fn cause(error: &dyn std::error::Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}

/// How long the connection under an answer took to be made.
pub(crate) fn network(answer: &Response<Incoming>) -> Option<Micros> {
    answer.extensions().get::<Took>().map(|took| took.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_follows_the_upstreams_own_path() {
        let uri = Uri::from_static("http://host:1/base/v1/messages");
        assert_eq!(with_query(&uri, None), uri);
        let asked = with_query(&uri, Some("beta=true&x=%20y"));
        assert_eq!(asked, "http://host:1/base/v1/messages?beta=true&x=%20y");
    }
}
