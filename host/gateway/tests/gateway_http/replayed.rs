//! The trace of a live gateway gives the same decisions again.

use std::fs::File;
use std::io::BufReader;

use serde_json::json;
use weir_core::Output;
use weir_core::trace::replay;
use weir_gateway::Deciders;
use weir_mock::ProviderScript;

use crate::world::{chat, fallback, until, world_with};

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
