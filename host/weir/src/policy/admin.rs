//! A host's `/admin`, asked over HTTP.

use std::time::Duration;

use anyhow::{Context, bail};
use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::{Method, Request, Uri, header};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::Value;

/// How long a host may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// The longest answer that is read.
const LONGEST: usize = 1 << 20;

/// Which host, and who asks.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(super) struct Options {
    /// The host's address
    #[arg(long, default_value = "http://127.0.0.1:18790")]
    url: String,
    /// The variable that holds the operator's token
    #[arg(long, value_name = "NAME", default_value = "WEIR_ADMIN_TOKEN")]
    token_env: String,
}

/// A host, and the token that it wants.
pub(super) struct Admin {
    url: String,
    token: String,
    client: Client<HttpConnector, Full<Bytes>>,
}

impl Admin {
    /// # Errors
    ///
    /// The variable with the token is not set.
    pub(super) fn new(options: &Options) -> anyhow::Result<Self> {
        let variable = &options.token_env;
        let token = std::env::var(variable).with_context(|| {
            format!("the variable {variable} must hold the token that the host's `[admin]` names")
        })?;
        let url = options.url.trim_end_matches('/').to_owned();
        Ok(Self { url, token, client: Client::builder(TokioExecutor::new()).build_http() })
    }

    pub(super) async fn get(&self, path: &str) -> anyhow::Result<Value> {
        self.ask(Method::GET, path, Bytes::new()).await
    }

    pub(super) async fn post(&self, path: &str, body: &Value) -> anyhow::Result<Value> {
        self.ask(Method::POST, path, body.to_string().into()).await
    }

    async fn ask(&self, method: Method, path: &str, body: Bytes) -> anyhow::Result<Value> {
        let uri: Uri = format!("{}{path}", self.url)
            .parse()
            .with_context(|| format!("{} is no URL", self.url))?;
        let request = Request::builder()
            .method(method)
            .uri(uri)
            .header(header::AUTHORIZATION, format!("Bearer {}", self.token.trim()))
            .header(header::CONTENT_TYPE, "application/json")
            .body(Full::new(body))?;
        tokio::time::timeout(PATIENCE, self.send(request)).await.with_context(|| {
            format!("{} did not answer within {} s", self.url, PATIENCE.as_secs())
        })?
    }

    async fn send(&self, request: Request<Full<Bytes>>) -> anyhow::Result<Value> {
        let response = self.client.request(request).await.with_context(|| {
            format!(
                "cannot reach {}; is `weir serve` running there? `--url` names another",
                self.url
            )
        })?;
        let status = response.status();
        let body = Limited::new(response.into_body(), LONGEST).collect().await;
        let body = body.map_err(|error| anyhow::anyhow!(error))?.to_bytes();
        let answer: Value = serde_json::from_slice(&body).with_context(|| {
            format!("{} answered {status} with what is no JSON; is it a weir?", self.url)
        })?;
        if !status.is_success() {
            bail!("{}", answer["error"]["message"].as_str().unwrap_or(status.as_str()));
        }
        Ok(answer)
    }
}
