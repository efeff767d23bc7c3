//! What the tests share: requests, a way to read bodies, a script's mock.

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use weir_mock::{Body, Kind, Mock, Provider, ProviderScript, Script};

/// A running mock of one provider.
pub(crate) async fn start(provider: ProviderScript) -> (Mock, Provider) {
    let mock = Mock::start(&Script::new([provider]).seed(7)).await.unwrap();
    let provider = mock.providers()[0].clone();
    (mock, provider)
}

/// A generating request in the provider's format, with more fields.
pub(crate) fn ask(provider: &Provider, more: Value) -> Request<Bytes> {
    let mut body = json!({
        "model": "m",
        "max_tokens": 64,
        "messages": [{ "role": "user", "content": "Say something short, please." }],
    });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    post(provider, body.to_string())
}

/// A generating request with this body.
pub(crate) fn post(provider: &Provider, body: impl Into<Bytes>) -> Request<Bytes> {
    let path = match provider.kind() {
        Kind::OpenAi => "/v1/chat/completions",
        Kind::Anthropic => "/v1/messages",
    };
    Request::post(path)
        .header("anthropic-version", "2023-06-01")
        .header("content-type", "application/json")
        .body(body.into())
        .unwrap()
}

/// A GET request.
pub(crate) fn get(path: &str) -> Request<Bytes> {
    Request::get(path).body(Bytes::new()).unwrap()
}

/// The whole body as text.
pub(crate) async fn text(response: Response<Body>) -> String {
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The whole body as JSON.
pub(crate) async fn value(response: Response<Body>) -> Value {
    serde_json::from_str(&text(response).await).unwrap()
}

/// Text with what depends on the wall clock replaced.
pub(crate) fn timeless(text: &str) -> String {
    let mut out = String::new();
    for part in text.split_inclusive("\"created\":") {
        let digits = part.bytes().take_while(u8::is_ascii_digit).count();
        let replace = digits > 0 && !out.is_empty();
        out.push_str(if replace { "0" } else { "" });
        out.push_str(&part[if replace { digits } else { 0 }..]);
    }
    out
}

/// Status, the headers that matter, and the body of a response.
pub(crate) async fn wire(response: Response<Body>) -> String {
    let mut out = format!("{}\n", response.status().as_u16());
    for (name, value) in response.headers() {
        let value = value.to_str().unwrap();
        let dated = name.as_str().ends_with("-reset") && value.ends_with('Z');
        let value = if dated { "(RFC 3339)" } else { value };
        out.push_str(&format!("{name}: {value}\n"));
    }
    out.push('\n');
    out.push_str(&timeless(&text(response).await));
    out
}
