//! What came and what became of it is written down, without what it was about.

use std::path::Path;

use serde_json::json;
use weir_core::journal::{Arrived, Ended, Header, Line};
use weir_mock::ProviderScript;

use crate::world::{chat, fallback, post, tenant, until, world_with};

fn read(path: &Path) -> Vec<Line> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn header(lines: &[Line]) -> &Header {
    match &lines[0] {
        Line::Header(header) => header,
        other => panic!("{other:?}"),
    }
}

fn arrivals(lines: &[Line]) -> Vec<&Arrived> {
    let arrived = lines.iter().filter_map(|line| match line {
        Line::Arrived(arrived) => Some(&**arrived),
        _ => None,
    });
    arrived.collect()
}

fn ends(lines: &[Line]) -> Vec<&Ended> {
    let ended = lines.iter().filter_map(|line| match line {
        Line::Ended(ended) => Some(ended),
        _ => None,
    });
    ended.collect()
}

fn more(path: &Path) -> String {
    format!("{}[journal]\npath = {path:?}\n", tenant("acme"))
}

#[tokio::test]
async fn arrivals_and_settlements_are_written_and_no_text() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.jsonl");
    let providers = ["main", "spare"].map(|name| ProviderScript::openai(name).concurrency(2));
    let world = world_with(providers, &more(&path), fallback(), None).await;
    let asks = (0..12).map(|turn| {
        let text = format!("a secret {}", turn % 3);
        let body = chat(json!({
            "messages": [{ "role": "system", "content": "be brief" }, { "role": "user", "content": text }],
            "max_tokens": 40,
        }));
        let mut request = post(&world.url("/v1/chat/completions"), body.to_string());
        for (name, value) in [("authorization", "Bearer acme"), ("x-weir-session", "mine")] {
            request.headers_mut().insert(name, value.parse().unwrap());
        }
        async { assert_eq!(world.send(request).await.status(), 200) }
    });
    futures_util::future::join_all(asks).await;
    until("idle", || world.idle()).await;
    world.end().await;
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(
        ["secret", "brief", "Bearer", "mine"].iter().all(|word| !text.contains(word)),
        "{text}"
    );
    let lines = read(&path);
    let config = &header(&lines).config;
    assert_eq!((config.tenants[0].name.as_str(), config.upstreams.len()), ("acme", 2));
    let (arrivals, ends) = (arrivals(&lines), ends(&lines));
    assert_eq!(arrivals.len(), 12);
    for arrived in &arrivals {
        assert_eq!(arrived.prefix.len(), 2, "the system's message, and all");
        assert_eq!(arrived.prefix[0], arrivals[0].prefix[0]);
        assert_eq!((arrived.session, arrived.task), (arrivals[0].session, 0));
        assert_eq!(arrived.max_output.map(|most| most.0), Some(40));
        let own = ends.iter().filter(|end| end.item == arrived.item && end.last);
        let own: Vec<_> = own.collect();
        assert_eq!((own.len(), own[0].verdict.as_str()), (1, "success"), "{own:?}");
        assert!(own[0].output.0 > 0 && own[0].exact && own[0].at >= arrived.at);
        assert!(own[0].first_content.is_some_and(|first| first <= own[0].latency));
    }
    assert_ne!(arrivals[0].session, 0);
}

#[tokio::test]
async fn refusals_and_callers_that_leave_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.jsonl");
    let more = format!("[line]\nmax_items_per_tenant = 1\n[journal]\npath = {path:?}\n");
    let main = ProviderScript::openai("main").concurrency(1);
    let world = world_with([main], &more, fallback(), None).await;
    let asks = (0..80).map(|_| async {
        let answer = world.ask("/v1/chat/completions", &chat(json!({}))).await;
        u32::from(answer.status != 200)
    });
    let refused: u32 = futures_util::future::join_all(asks).await.into_iter().sum();
    until("idle", || world.idle()).await;
    world.end().await;
    let lines = read(&path);
    let full = lines.iter().filter(|line| matches!(line, Line::Left(left) if left.why == "full"));
    assert_eq!(full.count(), refused as usize);
    assert_eq!(arrivals(&lines).len(), 80);
    // One candidate leaves no choice, so nothing is hashed.
    assert!(arrivals(&lines).iter().all(|arrived| arrived.prefix.is_empty()));
}
