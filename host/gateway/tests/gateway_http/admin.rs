//! The operator's paths.

use http::Request;
use serde_json::json;
use weir_gateway::config::Settings;
use weir_gateway::{Deciders, Gateway, Read, What};
use weir_mock::{Mock, ProviderScript, Script};
use weir_policy::Event;

use crate::world::{Answer, World, chat, client, fallback, operator, post, settings, whole, world};

async fn with_token(world: &World, token: &str, path: &str, body: Option<&str>) -> Answer {
    let mut request = match body {
        Some(body) => post(&world.url(path), body.to_owned()),
        None => Request::get(world.url(path)).body(Default::default()).unwrap(),
    };
    let bearer = format!("Bearer {token}").parse().unwrap();
    request.headers_mut().insert("authorization", bearer);
    whole(world.send(request).await).await
}

async fn administered(deciders: Deciders) -> World {
    let mock = Mock::start(&Script::new([ProviderScript::openai("main")])).await.unwrap();
    let settings = Settings { admin: operator(), ..settings(&mock, "") };
    let gateway = Gateway::start(settings, deciders).await.unwrap();
    World { mock, gateway, client: client() }
}

#[tokio::test]
async fn without_a_token_nobody_administers() {
    let world = world([ProviderScript::openai("main")]).await;
    let answer = world.get("/admin/policies").await;
    assert_eq!(
        (answer.status.as_u16(), &answer.json()["error"]["code"]),
        (403, &json!("admin_off"))
    );
    world.end().await;
}

#[tokio::test]
async fn only_the_token_opens() {
    let world = administered(fallback()).await;
    let wrong = with_token(&world, "other", "/admin/policies", None).await;
    assert_eq!(
        (wrong.status.as_u16(), &wrong.json()["error"]["code"]),
        (401, &json!("invalid_token"))
    );
    let right = with_token(&world, "operator", "/admin/policies", None).await;
    assert_eq!((right.status.as_u16(), right.json()), (200, json!({ "policies": [] })));
    let swap =
        with_token(&world, "operator", "/admin/policies/swap", Some(r#"{"slot":"limit"}"#)).await;
    assert_eq!(swap.status, 422, "fixed policies cannot be replaced");
    let reopen = with_token(&world, "operator", "/admin/upstreams/main/reopen", Some("")).await;
    assert_eq!(reopen.status, 200);
    world.end().await;
}

/// Nobody but the operator is read from: the answer comes before the body does.
#[tokio::test]
async fn a_stranger_is_refused_before_its_body() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let world = administered(fallback()).await;
    let mut stream = tokio::net::TcpStream::connect(world.gateway.addr()).await.unwrap();
    let head = "POST /admin/policies/swap HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut status = [0; 12];
    stream.read_exact(&mut status).await.unwrap();
    assert_eq!(&status, b"HTTP/1.1 401");
    drop(stream);
    world.end().await;
}

/// The name of the policy in a slot.
async fn policy(world: &World, slot: &str) -> String {
    let listed = with_token(world, "operator", "/admin/policies", None).await.json();
    let rows = listed["policies"].as_array().unwrap().clone();
    let row = rows.into_iter().find(|row| row["slot"] == slot).unwrap();
    row["name"].as_str().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn components_decide_and_are_replaced_while_it_runs() {
    let world = administered(Deciders::Configured).await;
    let answer = world.ask("/v1/chat/completions", &chat(json!({}))).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(policy(&world, "route").await, "route-weighted");
    let wish = r#"{"slot":"route","name":"route-round-robin"}"#;
    let swap = with_token(&world, "operator", "/admin/policies/swap", Some(wish)).await;
    assert_eq!(swap.status, 202, "{swap:?}");
    assert_eq!(policy(&world, "route").await, "route-round-robin");
    let mut events = world.gateway.events(Some(0));
    let swapped = std::iter::from_fn(|| events.try_next()).any(|read| {
        let Read::Event(event) = read else { return false };
        matches!(&event.what, What::Policy(Event::PolicySwapped { to, .. }) if to.name == "route-round-robin")
    });
    assert!(swapped, "an event says so");
    let back =
        with_token(&world, "operator", "/admin/policies/rollback", Some(r#"{"slot":"route"}"#))
            .await;
    assert_eq!(back.status, 202, "{back:?}");
    assert_eq!(policy(&world, "route").await, "route-weighted");
    assert_eq!(world.metric("weir_policy_faults_total"), 0.0);
    world.end().await;
}

#[tokio::test]
async fn what_runs_already_is_no_step_to_go_back_from() {
    let world = administered(Deciders::Configured).await;
    let wish = r#"{"slot":"route","name":"route-weighted"}"#;
    let swap = with_token(&world, "operator", "/admin/policies/swap", Some(wish)).await;
    assert_eq!(swap.status, 202, "{swap:?}");
    let wish = r#"{"slot":"route"}"#;
    let back = with_token(&world, "operator", "/admin/policies/rollback", Some(wish)).await;
    assert_eq!(back.status, 422, "{back:?}");
    let other = r#"{"slot":"route","name":"route-weighted","settings":{"spread":2.0}}"#;
    let swap = with_token(&world, "operator", "/admin/policies/swap", Some(other)).await;
    assert_eq!(swap.status, 202, "{swap:?}");
    let back = with_token(&world, "operator", "/admin/policies/rollback", Some(wish)).await;
    assert_eq!(back.status, 202, "other settings are another step: {back:?}");
    world.end().await;
}

#[tokio::test]
async fn a_policy_that_is_not_there_is_named() {
    let world = administered(Deciders::Configured).await;
    for (wish, words) in [
        (r#"{"slot":"limit","name":"limit-guess"}"#, "limit-guess"),
        (r#"{"slot":"limit","name":"route-weighted"}"#, "route-weighted"),
        (r#"{"slot":"limit","file":"/nowhere/x.wasm"}"#, "/nowhere/x.wasm"),
    ] {
        let answer = with_token(&world, "operator", "/admin/policies/swap", Some(wish)).await;
        assert_eq!(answer.status, 422, "{answer:?}");
        let message = answer.json()["error"]["message"].as_str().unwrap().to_owned();
        assert!(message.contains(words), "{message}");
    }
    assert_eq!(policy(&world, "limit").await, "limit-ceiling");
    world.end().await;
}

#[tokio::test]
async fn however_many_read_the_events_the_operator_may_too() {
    let world = administered(fallback()).await;
    let read = async |token: &str| {
        let request = Request::get(world.url("/v1/events"))
            .header("authorization", format!("Bearer {token}"))
            .body(Default::default())
            .unwrap();
        world.send(request).await
    };
    let mut readers = Vec::new();
    let refused = loop {
        let response = read("nobody").await;
        if response.status() != 200 {
            break whole(response).await;
        }
        readers.push(response);
        assert!(readers.len() < 1_000, "readers are bounded");
    };
    assert_eq!((refused.status.as_u16(), readers.len()), (503, 64));
    assert_eq!(refused.json()["error"]["code"], "too_many_readers");
    assert_eq!(read("operator").await.status(), 200);
    drop(readers);
    world.end().await;
}
