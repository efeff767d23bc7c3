//! Web pages, which have their reader's browser ask.

use serde_json::{Value, json};
use weir_mock::ProviderScript;

use crate::world::{
    Answer, World, chat, fallback, message, post, tenant, whole, world, world_with,
};

/// Asks as a browser does for a page.
async fn ask(world: &World, path: &str, body: &Value, head: (&'static str, &str)) -> Answer {
    let mut request = post(&world.url(path), body.to_string());
    request.headers_mut().insert(head.0, head.1.parse().unwrap());
    whole(world.send(request).await).await
}

#[tokio::test]
async fn where_nobody_needs_a_key_a_page_cannot_ask() {
    let providers = [ProviderScript::openai("a"), ProviderScript::anthropic("b")];
    let world = world(providers).await;
    for (head, code) in [
        (("origin", "https://evil.example"), "foreign_origin"),
        (("origin", "null"), "foreign_origin"),
        (("host", "evil.example:18790"), "foreign_host"),
    ] {
        let openai = ask(&world, "/v1/chat/completions", &chat(json!({})), head).await;
        assert_eq!((openai.status.as_u16(), &openai.json()["error"]["code"]), (403, &json!(code)));
        let anthropic = ask(&world, "/v1/messages", &message(json!({})), head).await;
        assert_eq!(anthropic.status, 403, "{anthropic:?}");
        assert_eq!(anthropic.json()["error"]["type"], "permission_error", "{anthropic:?}");
    }
    assert!(world.mock.providers().iter().all(|provider| provider.stats().requests == 0));
    assert_eq!(world.metric("weir_turned_away_total"), 6.0);
    let own = ("origin", "http://localhost:3000");
    assert_eq!(ask(&world, "/v1/chat/completions", &chat(json!({})), own).await.status, 200);
    world.end().await;
}

#[tokio::test]
async fn a_page_with_a_tenants_key_may() {
    let more = tenant("acme");
    let world = world_with([ProviderScript::openai("a")], &more, fallback(), None).await;
    let mut request = post(&world.url("/v1/chat/completions"), chat(json!({})).to_string());
    for (name, value) in [
        ("host", "weir.example"),
        ("origin", "https://app.example"),
        ("authorization", "Bearer acme"),
    ] {
        request.headers_mut().insert(name, value.parse().unwrap());
    }
    let answer = whole(world.send(request).await).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    world.end().await;
}
