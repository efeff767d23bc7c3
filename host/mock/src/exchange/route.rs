//! From method and path to what answers.

use http::{HeaderMap, Method, Request, Response};
use serde::Serialize;

use super::App;
use crate::body::{Body, Cut};
use crate::json;
use crate::problem::Problem;
use crate::script::Kind;
use crate::stats::{Attempt, Stats};

/// What `GET /mock/stats` tells.
#[derive(Serialize)]
struct Report<'a> {
    name: &'a str,
    kind: Kind,
    stats: Stats,
    attempts: Vec<Attempt>,
}

/// What Anthropic answers to `count_tokens`.
#[derive(Serialize)]
struct Counted {
    input_tokens: u64,
}

impl App {
    /// Answers one request.
    ///
    /// # Errors
    ///
    /// [`Cut`] when the script wants the connection closed without an answer.
    pub(crate) async fn answer<B>(&self, request: Request<B>) -> Result<Response<Body>, Cut>
    where
        B: http_body::Body,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let (method, path) = (request.method(), request.uri().path());
        let wanted = match path {
            "/v1/models" | "/mock/stats" => Method::GET,
            path if path == self.dialect.path() => Method::POST,
            path if Some(path) == self.dialect.count_path() => Method::POST,
            path => {
                let problem = Problem::UnknownPath(format!("{method} {path}"));
                return Ok(self.problem(&problem, "", 0));
            }
        };
        if method != wanted {
            return Ok(self.problem(&Problem::WrongMethod(method.to_string()), "", 0));
        }
        match path {
            "/mock/stats" => Ok(self.report()),
            "/v1/models" => Ok(self.models(request.headers())),
            path if Some(path) == self.dialect.count_path() => Ok(self.count(request).await),
            _ => self.generate(request).await,
        }
    }

    /// How many tokens a prompt has. It takes nothing of the limits, as at the providers.
    async fn count<B>(&self, request: Request<B>) -> Response<Body>
    where
        B: http_body::Body,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let counted = async {
            let (headers, body) = self.body(request).await?;
            let ask = self.dialect.read_count(&headers, &body)?;
            self.check(&ask).map(|()| ask.prompt.tokens())
        };
        match counted.await {
            Ok(input_tokens) => {
                let body = Body::plain(json::bytes(&Counted { input_tokens }));
                self.respond("application/json", body, self.request_id(0), &self.gate.levels())
            }
            Err(problem) => self.problem(&problem, "", 0),
        }
    }

    fn report(&self) -> Response<Body> {
        let (name, kind) = (self.script.name.as_str(), self.script.kind);
        let (stats, attempts) = (self.gate.stats(), self.gate.log());
        let report = Report { name, kind, stats, attempts };
        let body = Body::plain(json::bytes(&report));
        self.respond("application/json", body, self.request_id(0), &self.gate.levels())
    }

    fn models(&self, headers: &HeaderMap) -> Response<Body> {
        if let Err(problem) = self.authorise(headers) {
            return self.problem(&problem, "", 0);
        }
        let body = Body::plain(self.dialect.models(&self.script.models));
        self.respond("application/json", body, self.request_id(0), &self.gate.levels())
    }
}
