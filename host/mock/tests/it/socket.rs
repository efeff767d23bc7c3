//! Over real sockets: a client that goes, a cut, a shutdown, statistics, many requests.

use std::time::Duration;

use crate::common::{ask, start};
use bytes::Bytes;
use http::{Request, Response, StatusCode, Uri};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::{Value, json};
use weir_mock::{Effect, FaultScript, Mock, Provider, ProviderScript, Script, Stats, StreamCut};

type Http = Client<HttpConnector, Full<Bytes>>;

fn client() -> Http {
    Client::builder(TokioExecutor::new()).build_http()
}

async fn send(http: &Http, provider: &Provider, request: Request<Bytes>) -> Response<Incoming> {
    let uri = format!("http://{}{}", provider.addr(), request.uri().path());
    let mut request = request.map(Full::new);
    *request.uri_mut() = uri.parse::<Uri>().unwrap();
    http.request(request).await.unwrap()
}

/// Waits until the statistics satisfy a condition; fails after ten seconds.
async fn until(provider: &Provider, what: &str, holds: impl Fn(&Stats) -> bool) {
    let poll = async {
        while !holds(&provider.stats()) {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    let met = tokio::time::timeout(Duration::from_secs(10), poll).await;
    assert!(met.is_ok(), "{what}: {:?}", provider.stats());
}

fn slow_stream() -> ProviderScript {
    ProviderScript::openai("o").concurrency(1).output(1000.0, 0.0).pace(1.0, 1)
}

#[tokio::test]
async fn a_client_that_closes_in_mid_stream_frees_the_slot_at_once() {
    let (_mock, provider) = start(slow_stream()).await;
    let http = client();
    let more = json!({ "stream": true, "max_tokens": 1000 });
    let mut response = send(&http, &provider, ask(&provider, more)).await;
    response.body_mut().frame().await.unwrap().unwrap();
    assert_eq!(provider.stats().in_flight, 1);
    drop(response);
    drop(http);
    until(&provider, "freed", |stats| stats.in_flight == 0 && stats.disconnected == 1).await;
}

#[tokio::test]
async fn a_client_that_closes_before_the_headers_frees_the_slot_at_once() {
    let (_mock, provider) = start(slow_stream().latency(600_000.0, 0.0)).await;
    let http = client();
    let request = ask(&provider, json!({}));
    tokio::select! {
        _ = send(&http, &provider, request) => unreachable!("the answer takes ten minutes"),
        () = until(&provider, "accepted", |stats| stats.in_flight == 1) => {}
    }
    drop(http);
    until(&provider, "freed", |stats| stats.in_flight == 0 && stats.disconnected == 1).await;
}

#[tokio::test]
async fn a_cut_stream_is_an_error_of_the_connection() {
    let cut = FaultScript::always(Effect::CutStream(StreamCut { after_chunks: 1 }));
    let (_mock, provider) = start(ProviderScript::anthropic("a").fault(cut)).await;
    let response = send(&client(), &provider, ask(&provider, json!({ "stream": true }))).await;
    assert_eq!(response.status(), StatusCode::OK);
    assert!(response.into_body().collect().await.is_err());
    until(&provider, "freed", |stats| stats.in_flight == 0).await;
}

#[tokio::test]
async fn statistics_are_served() {
    let (_mock, provider) = start(ProviderScript::openai("o").concurrency(1)).await;
    let http = client();
    send(&http, &provider, ask(&provider, json!({}))).await.collect().await.unwrap();
    let report = send(&http, &provider, crate::common::get("/mock/stats")).await;
    let report = report.collect().await.unwrap().to_bytes();
    let report: Value = serde_json::from_slice(&report).unwrap();
    assert_eq!(report["name"], "o");
    assert_eq!(report["stats"]["finished"], 1);
    assert_eq!(report["stats"]["in_flight"], 0);
    assert_eq!(report["attempts"][0]["outcome"], "finished");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_at_once_are_counted_exactly() {
    let (_mock, provider) =
        start(ProviderScript::openai("o").concurrency(8).latency(2.0, 0.5)).await;
    let http = client();
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..400 {
        let (http, provider) = (http.clone(), provider.clone());
        tasks.spawn(async move {
            let stream = json!({ "stream": number % 2 == 0 });
            let response = send(&http, &provider, ask(&provider, stream)).await;
            let status = response.status();
            response.collect().await.unwrap();
            status
        });
    }
    let statuses = tasks.join_all().await;
    let count = |status| statuses.iter().filter(|each| **each == status).count() as u64;
    until(&provider, "idle", |stats| stats.in_flight == 0).await;
    let stats = provider.stats();
    assert_eq!(stats.accepted, count(StatusCode::OK));
    assert_eq!(stats.refused_total(), count(StatusCode::TOO_MANY_REQUESTS));
    assert_eq!((stats.accepted + stats.refused_total(), stats.finished), (400, stats.accepted));
    assert!(stats.peak_in_flight <= 8, "{stats:?}");
}

#[tokio::test]
async fn shutdown_lets_a_response_end_and_closes_the_door() {
    let script = ProviderScript::openai("o").latency(200.0, 0.0);
    let (mock, provider) = start(script).await;
    let http = client();
    let answer = send(&http, &provider, ask(&provider, json!({})));
    let stop = async {
        until(&provider, "accepted", |stats| stats.in_flight == 1).await;
        mock.shutdown().await;
    };
    let (answer, ()) = tokio::join!(async { answer.await.collect().await }, stop);
    assert!(!answer.unwrap().to_bytes().is_empty());
    assert!(tokio::net::TcpStream::connect(provider.addr()).await.is_err());
}

#[tokio::test]
async fn a_taken_port_names_address_and_provider() {
    let (_mock, provider) = start(ProviderScript::openai("first")).await;
    let mut second = ProviderScript::openai("second");
    second.listen = provider.addr();
    let error = Mock::start(&Script::new([second])).await.unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::AddrInUse);
    let words = error.to_string();
    assert!(words.contains("`second`") && words.contains(&provider.addr().to_string()), "{words}");
}

#[tokio::test]
async fn a_script_built_in_code_is_checked() {
    let error = Mock::start(&Script::new([ProviderScript::openai("o").concurrency(0)])).await;
    let words = error.unwrap_err().to_string();
    assert!(words.starts_with("provider[0].limits.concurrency: 0 lets nothing through"), "{words}");
}
