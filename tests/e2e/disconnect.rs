//! A caller that leaves in the middle of a stream: the upstream call ends with it, and its slot is free.

use std::time::Duration;

use serde_json::json;

use crate::support::{Gateway, Mock, python, until};

/// An answer that takes twenty seconds.
fn mock(kind: &str) -> Mock {
    Mock::start(&format!(
        "[[provider]]\nname = \"main\"\nkind = \"{kind}\"\nmodels = [\"m\"]\n\
         latency = {{ mean_ms = 20.0, sigma = 0.0 }}\noutput = {{ mean = 200.0, sigma = 0.0 }}\n\
         tokens_per_second = 10.0\nchunk_tokens = 1\n"
    ))
}

fn leaves(kind: &str, file: &str, version: &str) {
    let mock = mock(kind);
    let gateway = Gateway::start(&format!(
        "[[upstream]]\nname = \"main\"\nkind = \"{kind}\"\nbase_url = \"{}\"\nmodels = [\"m\"]\n",
        mock.url("main")
    ));
    let url = format!("{}{version}", gateway.url());
    let seen = python::call(
        file,
        "close",
        &json!({ "url": url, "model": "m", "provider": mock.url("main") }),
    );
    assert_eq!(seen["before"], 1, "{seen}");
    assert!(seen["seconds"].as_f64().is_some_and(|seconds| seconds < 1.0), "{seen}");
    assert_eq!(mock.stats("main")["disconnected"], 1);
    until("nothing in flight", Duration::from_secs(1), || {
        gateway.metric("weir_inflight_requests") == 0.0
    });
}

#[test]
fn an_openai_caller_leaves() {
    leaves("openai", "openai_sdk.py", "/v1");
}

#[test]
fn an_anthropic_caller_leaves() {
    leaves("anthropic", "anthropic_sdk.py", "");
}
