//! A gateway, its providers and a caller, in one process.

use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{HeaderMap, Method, Request, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use weir_gateway::config::{Secret, Settings};
use weir_gateway::{Deciders, Gateway};
use weir_mock::{Kind, Mock, ProviderScript, Script, Stats};

/// How long a condition may take to come true.
const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) struct World {
    pub(crate) mock: Mock,
    pub(crate) gateway: Gateway,
    pub(crate) client: Client<HttpConnector, Full<Bytes>>,
}

/// An answer, whole.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("no JSON: {:?}", self.body))
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

/// One upstream for each provider of the script, with the default configuration otherwise.
pub(crate) async fn world(providers: impl IntoIterator<Item = ProviderScript>) -> World {
    world_with(providers, "", fallback(), None).await
}

/// The same with more of the configuration, other deciders, and a trace.
pub(crate) async fn world_with(
    providers: impl IntoIterator<Item = ProviderScript>,
    more: &str,
    deciders: Deciders,
    trace: Option<&Path>,
) -> World {
    let mock = Mock::start(&Script::new(providers).seed(7)).await.unwrap();
    let settings = Settings { trace: trace.map(Path::to_owned), ..settings(&mock, more) };
    let gateway = Gateway::start(settings, deciders).await.unwrap();
    World { mock, gateway, client: client() }
}

pub(crate) fn fallback() -> Deciders {
    Deciders::fallback()
}

pub(crate) fn client() -> Client<HttpConnector, Full<Bytes>> {
    Client::builder(TokioExecutor::new()).build(HttpConnector::new())
}

pub(crate) fn settings(mock: &Mock, more: &str) -> Settings {
    let upstreams = mock.providers().iter().map(|provider| {
        let kind = match provider.kind() {
            Kind::OpenAi => "openai",
            Kind::Anthropic => "anthropic",
        };
        format!(
            "[[upstream]]\nname = \"{}\"\nkind = \"{kind}\"\nbase_url = \"{}\"\nmodels = [\"small\"]\n\
             limits = {{ concurrency = 64 }}\n",
            provider.name(),
            provider.base_url()
        )
    });
    let text = format!("listen = \"127.0.0.1:0\"\n{}\n{more}", upstreams.collect::<String>());
    parse(&text, &[])
}

pub(crate) fn parse(text: &str, env: &[(&str, &str)]) -> Settings {
    let env: HashMap<String, String> =
        env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Settings::parse(text, "weir.toml", &|name| env.get(name).cloned())
        .unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The operator's token, which is its name.
pub(crate) fn operator() -> Option<Secret> {
    let text = "[[upstream]]\nname = \"x\"\nkind = \"openai\"\n[admin]\ntoken_env = \"TOKEN\"\n";
    parse(text, &[("TOKEN", "operator")]).admin
}

/// A tenant of the configuration whose key is its name.
pub(crate) fn tenant(name: &str) -> String {
    let hash: String = Sha256::digest(name).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("[[tenant]]\nname = \"{name}\"\nkey_sha256 = \"{hash}\"\n")
}

impl World {
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.gateway.addr())
    }

    pub(crate) fn stats(&self) -> Stats {
        self.mock.providers()[0].stats()
    }

    pub(crate) async fn send(&self, request: Request<Full<Bytes>>) -> http::Response<Incoming> {
        self.client.request(request).await.unwrap()
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> http::Response<Incoming> {
        self.send(post(&self.url(path), body.to_string())).await
    }

    /// Posts, and reads the whole answer.
    pub(crate) async fn ask(&self, path: &str, body: &Value) -> Answer {
        whole(self.post(path, body).await).await
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        let request = Request::get(self.url(path)).body(Full::default()).unwrap();
        whole(self.send(request).await).await
    }

    /// The events from the first on, as the bearer of a key or token sees them.
    pub(crate) async fn events(&self, bearer: &str) -> http::Response<Incoming> {
        let request = Request::get(self.url("/v1/events"))
            .header("authorization", format!("Bearer {bearer}"))
            .header("last-event-id", "0")
            .body(Full::default())
            .unwrap();
        self.send(request).await
    }

    /// The value of a metric, summed over its series.
    pub(crate) fn metric(&self, name: &str) -> f64 {
        let text = self.gateway.metrics();
        let of_it =
            |line: &&str| line.strip_prefix(name).is_some_and(|rest| rest.starts_with([' ', '{']));
        let lines = text.lines().filter(of_it);
        let values = lines.filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok());
        values.sum()
    }

    /// Nothing is in flight, at the gateway or its providers.
    pub(crate) fn idle(&self) -> bool {
        self.mock.providers().iter().all(|provider| provider.stats().in_flight == 0)
            && self.metric("weir_inflight_requests") == 0.0
            && self.metric("weir_queue_depth") == 0.0
    }

    pub(crate) async fn end(self) {
        let ended = self.gateway.shutdown(Duration::from_secs(5)).await;
        assert!(ended.clean && ended.cut == 0, "{ended:?}");
        self.mock.shutdown().await;
    }
}

pub(crate) fn post(url: &str, body: impl Into<Bytes>) -> Request<Full<Bytes>> {
    Request::builder()
        .method(Method::POST)
        .uri(url)
        .header("content-type", "application/json")
        .header("anthropic-version", "2023-06-01")
        .body(Full::new(body.into()))
        .unwrap()
}

pub(crate) async fn whole(response: http::Response<Incoming>) -> Answer {
    let (parts, body) = response.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    Answer { status: parts.status, headers: parts.headers, body }
}

pub(crate) fn chat(more: Value) -> Value {
    asking(
        json!({ "model": "small", "messages": [{ "role": "user", "content": "Review this." }] }),
        more,
    )
}

pub(crate) fn message(more: Value) -> Value {
    let messages = json!([{ "role": "user", "content": "Review this." }]);
    asking(json!({ "model": "small", "max_tokens": 64, "messages": messages }), more)
}

fn asking(mut body: Value, more: Value) -> Value {
    let more = more.as_object().unwrap().clone();
    body.as_object_mut().unwrap().extend(more);
    body
}

/// Waits until a condition is true; panics with its name when it does not come true in time.
#[expect(
    clippy::disallowed_methods,
    reason = "a bound on the whole wait, which nothing else depends on"
)]
pub(crate) async fn until(what: &str, condition: impl Fn() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !condition() {
        assert!(Instant::now() < end, "not in time: {what}");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}
