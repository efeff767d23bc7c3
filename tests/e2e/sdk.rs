//! The real OpenAI and Anthropic SDKs with their base address on a gateway, beside the same calls straight at
//! the provider: what a caller gets must be the same.

use serde_json::{Value, json};

use crate::support::python;
use crate::support::{Gateway, Mock};

/// One provider of each kind, in a steady pace of 20 tokens a second, 40 tokens an answer.
const PROVIDERS: &str = r#"
seed = 1

[[provider]]
name = "openai"
kind = "openai"
models = ["gpt-4o-mini"]
latency = { mean_ms = 20.0, sigma = 0.0 }
output = { mean = 40.0, sigma = 0.0 }
tokens_per_second = 20.0
chunk_tokens = 1

[[provider]]
name = "anthropic"
kind = "anthropic"
models = ["claude-sonnet-5"]
latency = { mean_ms = 20.0, sigma = 0.0 }
output = { mean = 40.0, sigma = 0.0 }
tokens_per_second = 20.0
chunk_tokens = 1
"#;

/// An SDK, the provider of its kind, and a model there.
#[derive(Clone, Copy)]
struct Sdk {
    file: &'static str,
    kind: &'static str,
    model: &'static str,
}

const OPENAI: Sdk = Sdk { file: "openai_sdk.py", kind: "openai", model: "gpt-4o-mini" };
const ANTHROPIC: Sdk =
    Sdk { file: "anthropic_sdk.py", kind: "anthropic", model: "claude-sonnet-5" };

impl Sdk {
    /// A call through a gateway and the same call straight at a provider with the same seed.
    fn both(self, function: &str) -> (Value, Value, Gateway) {
        let (governed, direct) = (Mock::start(PROVIDERS), Mock::start(PROVIDERS));
        let gateway = self.gateway(&governed);
        let call = |url: &str| {
            python::call(self.file, function, &json!({ "url": url, "model": self.model }))
        };
        (call(&self.base(&gateway)), call(direct.url(self.kind)), gateway)
    }

    fn gateway(self, mock: &Mock) -> Gateway {
        Gateway::start(&format!(
            "[[upstream]]\nname = \"main\"\nkind = \"{0}\"\nbase_url = \"{1}\"\nmodels = [\"{2}\"]\n",
            self.kind,
            mock.url(self.kind),
            self.model
        ))
    }

    /// The gateway's address as this SDK takes it.
    fn base(self, gateway: &Gateway) -> String {
        let version = if self.kind == "openai" { "/v1" } else { "" };
        format!("{}{version}", gateway.url())
    }

    fn plain(self) {
        let (governed, direct, gateway) = self.both("plain");
        assert_eq!(governed, direct);
        let usage = &governed["usage"];
        assert_eq!(gateway.metric("weir_actual_input_tokens"), usage[0].as_f64().expect("a count"));
        assert_eq!(
            gateway.metric("weir_actual_output_tokens"),
            usage[1].as_f64().expect("a count")
        );
    }

    /// The first piece is there long before the last: half of the two seconds that a whole answer takes.
    fn stream(self) {
        let (governed, direct, gateway) = self.both("stream");
        assert_eq!(governed["text"], direct["text"]);
        assert_eq!(governed["usage"], direct["usage"]);
        let at: Vec<f64> = serde_json::from_value(governed["at"].clone()).expect("times");
        assert!(at.len() > 20, "{at:?}");
        assert!(at[0] < at[at.len() - 1] / 2.0, "{at:?}");
        let output = governed["usage"][1].as_f64().expect("a count");
        assert_eq!(gateway.metric("weir_actual_output_tokens"), output);
    }

    fn untouched(self, function: &str) {
        let (governed, direct, _gateway) = self.both(function);
        assert!(governed.to_string().contains("read_file"), "{governed}");
        assert_eq!(without_ids(governed), without_ids(direct));
    }

    fn models(self) {
        let (governed, direct, _gateway) = self.both_models();
        assert_eq!(governed, direct);
    }

    fn both_models(self) -> (Value, Value, Gateway) {
        let mock = Mock::start(PROVIDERS);
        let gateway = self.gateway(&mock);
        let call = |url: &str| python::call(self.file, "models", &json!({ "url": url }));
        (call(&self.base(&gateway)), call(mock.url(self.kind)), gateway)
    }
}

/// Identifiers are the provider's, drawn anew for each request.
fn without_ids(mut value: Value) -> Value {
    match &mut value {
        Value::Object(map) => {
            map.remove("id");
            map.values_mut().for_each(|inner| *inner = without_ids(inner.take()));
        }
        Value::Array(list) => list.iter_mut().for_each(|inner| *inner = without_ids(inner.take())),
        _ => {}
    }
    value
}

#[test]
fn openai_plain() {
    OPENAI.plain();
}

#[test]
fn openai_stream() {
    OPENAI.stream();
}

#[test]
fn openai_tool_calls() {
    OPENAI.untouched("tool");
    OPENAI.untouched("tool_stream");
}

#[test]
fn openai_models() {
    OPENAI.models();
}

#[test]
fn anthropic_plain() {
    ANTHROPIC.plain();
}

#[test]
fn anthropic_stream() {
    ANTHROPIC.stream();
}

#[test]
fn anthropic_tool_calls() {
    ANTHROPIC.untouched("tool");
    ANTHROPIC.untouched("tool_stream");
}

#[test]
fn anthropic_counts_tokens() {
    let (governed, direct, gateway) = ANTHROPIC.both("count");
    assert!(governed.as_u64().is_some_and(|tokens| tokens > 0) && governed == direct, "{governed}");
    let unknown = json!({ "url": ANTHROPIC.base(&gateway), "model": "unknown" });
    let raised = python::call(ANTHROPIC.file, "fail_to_count", &unknown);
    assert_eq!(raised["class"], "NotFoundError", "{raised}");
}

#[test]
fn anthropic_models() {
    ANTHROPIC.models();
}
