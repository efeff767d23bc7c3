//! Many at once.

use futures_util::future::join_all;
use serde_json::json;
use weir_mock::ProviderScript;

use crate::world::{chat, until, world};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_a_thousand_at_once_none_is_lost() {
    let provider =
        ProviderScript::openai("main").output(16.0, 0.3).latency(20.0, 0.5).concurrency(48);
    let world = world([provider]).await;
    let asks = (0..1_000_u32).map(|n| {
        let body = chat(json!({ "stream": n % 2 == 0 }));
        let world = &world;
        async move { world.ask("/v1/chat/completions", &body).await }
    });
    let answers = join_all(asks).await;
    let failed: Vec<_> = answers.iter().filter(|answer| answer.status != 200).collect();
    assert!(failed.is_empty(), "{} failed, such as {:?}", failed.len(), failed[0]);
    assert_eq!(world.stats().finished, 1_000);
    until("idle", || world.idle()).await;
    world.end().await;
}
