//! Requests that cannot be served: each gets a clear word in its API's shape.

use serde_json::json;
use weir_mock::ProviderScript;

use crate::world::{chat, fallback, message, post, tenant, whole, world, world_with};

#[tokio::test]
async fn an_unknown_model_lists_the_known() {
    let world = world([ProviderScript::openai("a"), ProviderScript::anthropic("b")]).await;
    let answer = world.ask("/v1/chat/completions", &chat(json!({ "model": "huge" }))).await;
    let error = &answer.json()["error"];
    assert_eq!((answer.status.as_u16(), &error["code"]), (404, &json!("model_not_found")));
    assert!(error["message"].as_str().unwrap().ends_with("known here: small"), "{error}");
    let answer = world.ask("/v1/messages", &message(json!({ "model": "huge" }))).await;
    assert_eq!(answer.json()["error"]["type"], "not_found_error");
    world.end().await;
}

#[tokio::test]
async fn a_body_that_is_no_request_is_a_bad_request() {
    let world = world([ProviderScript::openai("a")]).await;
    for body in ["", "no json", "[]", "{}", r#"{"model":5}"#, r#"{"model":"small","stream":"yes"}"#]
    {
        let request = post(&world.url("/v1/chat/completions"), body);
        let answer = whole(world.send(request).await).await;
        assert_eq!(answer.status, 400, "{body}: {answer:?}");
        assert_eq!(answer.json()["error"]["code"], "invalid_json", "{body}");
    }
    assert_eq!(world.metric("weir_turned_away_total"), 6.0, "each is counted");
    world.end().await;
}

#[tokio::test]
async fn a_model_has_a_name_of_some_length() {
    let world = world([ProviderScript::openai("a")]).await;
    let answer =
        world.ask("/v1/chat/completions", &chat(json!({ "model": "m".repeat(1_000) }))).await;
    assert_eq!(answer.status, 400, "{answer:?}");
    assert_eq!(answer.json()["error"]["code"], "invalid_model");
    world.end().await;
}

#[tokio::test]
async fn a_body_over_the_cap_is_too_large() {
    let more = "[host]\nmax_body = 1024\n";
    let world = world_with([ProviderScript::anthropic("a")], more, fallback(), None).await;
    let long = "x".repeat(2_000);
    let answer = world.ask("/v1/messages", &message(json!({ "system": long }))).await;
    assert_eq!(answer.status, 413, "{answer:?}");
    assert_eq!(answer.json()["error"]["type"], "request_too_large");
    world.end().await;
}

#[tokio::test]
async fn a_bad_header_is_named() {
    let world = world([ProviderScript::openai("a")]).await;
    let mut request = post(&world.url("/v1/chat/completions"), chat(json!({})).to_string());
    request.headers_mut().insert("x-weir-class", "urgent".parse().unwrap());
    let answer = whole(world.send(request).await).await;
    assert_eq!(
        (answer.status.as_u16(), &answer.json()["error"]["code"]),
        (400, &json!("invalid_header"))
    );
    world.end().await;
}

#[tokio::test]
async fn only_a_tenants_key_opens() {
    let provider = ProviderScript::openai("a").api_key("provider-key");
    let world = world_with([provider], &tenant("acme-key"), fallback(), None).await;
    let ask = async |name: &'static str, value: &str| {
        let mut request = post(&world.url("/v1/chat/completions"), chat(json!({})).to_string());
        request.headers_mut().insert(name, value.parse().unwrap());
        whole(world.send(request).await).await
    };
    let wrong = ask("authorization", "Bearer nope").await;
    assert_eq!(
        (wrong.status.as_u16(), &wrong.json()["error"]["code"]),
        (401, &json!("invalid_api_key"))
    );
    assert_eq!(world.stats().requests + world.stats().rejected, 0, "it never got that far");
    // The right key opens, and is not what the provider sees: that demands another.
    let right = ask("x-api-key", "acme-key").await;
    assert_eq!(right.status, 401, "{right:?}");
    assert_eq!(world.stats().rejected, 1);
    world.end().await;
}

#[tokio::test]
async fn an_unknown_path_names_the_known() {
    let world = world([ProviderScript::openai("a")]).await;
    let answer = world.get("/v2/things").await;
    assert_eq!(answer.status, 404);
    assert!(answer.json()["error"]["message"].as_str().unwrap().contains("/v1/messages"));
    assert_eq!(world.get("/v1/messages").await.status, 405);
    // `post` says that it speaks Anthropic's API.
    let anthropic = whole(world.send(post(&world.url("/v1/messages/batches"), "{}")).await).await;
    assert_eq!((anthropic.status.as_u16(), &anthropic.json()["type"]), (404, &json!("error")));
    assert_eq!(anthropic.json()["request_id"], json!(null));
    world.end().await;
}
