//! The trace of a live gateway gives the same decisions again.

use std::fs::File;
use std::io::BufReader;

use serde_json::json;
use sha2::{Digest, Sha256};
use weir_core::Output;
use weir_core::trace::replay;
use weir_gateway::Deciders;
use weir_mock::ProviderScript;

use crate::world::{chat, fallback, post, until, world_with};

async fn recorded(deciders: Deciders) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.jsonl");
    let world =
        world_with([ProviderScript::openai("main").concurrency(2)], "", deciders, Some(&path))
            .await;
    let asks = (0..20).map(|_| async {
        let answer = world.ask("/v1/chat/completions", &chat(json!({}))).await;
        assert_eq!(answer.status, 200, "{answer:?}");
    });
    futures_util::future::join_all(asks).await;
    until("idle", || world.idle()).await;
    world.end().await;
    let replayed = replay(BufReader::new(File::open(path).unwrap())).unwrap();
    let ends = replayed.outputs.iter().filter(|output| matches!(output, Output::Ended { .. }));
    assert!(ends.count() >= 20, "one for each attempt");
    assert!(replayed.calls > 40);
}

#[tokio::test]
async fn with_the_fallback() {
    recorded(fallback()).await;
}

#[tokio::test]
async fn with_components() {
    recorded(Deciders::Configured).await;
}

/// The parent that the core was told for each item, in order.
fn parents(trace: &std::path::Path) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(trace).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    lines.filter_map(|line| line.pointer("/call/apply/input/Arrive/parent").cloned()).collect()
}

#[tokio::test]
async fn a_parent_is_one_of_the_same_tenant() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.jsonl");
    let hash = |key: &str| -> String {
        Sha256::digest(key).iter().map(|byte| format!("{byte:02x}")).collect()
    };
    let tenants: String = ["acme", "bolt"]
        .map(|name| format!("[[tenant]]\nname = \"{name}\"\nkey_sha256 = \"{}\"\n", hash(name)))
        .concat();
    let slow = ProviderScript::openai("main").output(4_000.0, 0.0).pace(50.0, 1);
    let world = world_with([slow], &tenants, fallback(), Some(&path)).await;
    let ask = async |tenant: &str, parent: &str| {
        let body = chat(json!({ "stream": true, "max_tokens": 8_000 }));
        let mut request = post(&world.url("/v1/chat/completions"), body.to_string());
        request.headers_mut().insert("x-api-key", tenant.parse().unwrap());
        request.headers_mut().insert("x-weir-parent", parent.parse().unwrap());
        world.send(request).await
    };
    let parent = ask("acme", "77").await;
    let name = parent.headers()["x-weir-request"].to_str().unwrap().to_owned();
    let children = [ask("acme", &name).await, ask("bolt", &name).await];
    drop((parent, children));
    until("idle", || world.idle()).await;
    world.end().await;
    let id = json!(name.parse::<u64>().unwrap());
    assert_eq!(parents(&path), [json!(null), id, json!(null)]);
}
