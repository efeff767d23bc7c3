//! Limits, permits and hints, in virtual time.

use std::time::Duration;

use crate::common::{ask, start, text, value};
use http::StatusCode;
use serde_json::json;
use tokio::time::{Instant, advance};
use weir_mock::{Dimension, Hint, Limits, Outcome, ProviderScript, RefusalScript, Window};

#[expect(clippy::disallowed_methods, reason = "paused time is read to measure what a call waited")]
fn now() -> Instant {
    Instant::now()
}

#[tokio::test(start_paused = true)]
async fn a_slot_is_held_until_the_last_byte_and_freed_by_a_drop() {
    let script = ProviderScript::openai("o").concurrency(1).output(40.0, 0.0).pace(10.0, 1);
    let (_mock, provider) = start(script).await;
    let streaming = provider.call(ask(&provider, json!({ "stream": true }))).await.unwrap();
    assert_eq!(provider.stats().in_flight, 1);

    let refused = provider.call(ask(&provider, json!({}))).await.unwrap();
    assert_eq!(refused.status(), StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(refused.headers()["retry-after"], "1");
    let words = text(refused).await;
    assert!(words.contains("concurrent requests: Limit 1, Used 1, Requested 1"), "{words}");

    drop(streaming);
    assert_eq!((provider.stats().in_flight, provider.stats().disconnected), (0, 1));
    let whole = provider.call(ask(&provider, json!({}))).await.unwrap();
    assert_eq!(provider.stats().in_flight, 1, "the body holds the permit");
    text(whole).await;
    let stats = provider.stats();
    assert_eq!((stats.in_flight, stats.peak_in_flight, stats.accepted), (0, 1, 2));
    assert_eq!(stats.refused_by(Dimension::Concurrency), 1);
    assert_eq!(stats.refused_total(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_goes_before_the_headers_frees_its_slot() {
    let script = ProviderScript::anthropic("a").concurrency(1).latency(5000.0, 0.0);
    let (_mock, provider) = start(script).await;
    let call = provider.call(ask(&provider, json!({})));
    assert!(tokio::time::timeout(Duration::from_secs(1), call).await.is_err());
    assert_eq!((provider.stats().in_flight, provider.stats().disconnected), (0, 1));
    let attempts = provider.attempts();
    assert_eq!(attempts[0].outcome, Outcome::Disconnected);
    assert_eq!(attempts[0].ended_us - attempts[0].at_us, 1_000_000);
}

#[tokio::test(start_paused = true)]
async fn a_rate_refuses_with_the_true_wait_and_then_passes() {
    let mut script = ProviderScript::openai("o");
    script.limits = Limits { rpm: Some(3), ..Limits::default() };
    script.refusal = RefusalScript { delay_ms: 30, hint: Hint::Both, hint_ms: None };
    let (_mock, provider) = start(script).await;
    for _ in 0..3 {
        let accepted = provider.call(ask(&provider, json!({}))).await.unwrap();
        assert_eq!(accepted.status(), StatusCode::OK);
    }
    let before = now();
    let refused = provider.call(ask(&provider, json!({}))).await.unwrap();
    assert_eq!(before.elapsed(), Duration::from_millis(30));
    assert_eq!(refused.headers()["retry-after-ms"], "20000");
    assert_eq!(refused.headers()["retry-after"], "20");
    let words = value(refused).await["error"]["message"].to_string();
    assert!(
        words.contains("(RPM): Limit 3, Used 3, Requested 1. Please try again in 20s."),
        "{words}"
    );

    advance(Duration::from_millis(20_000 - 30)).await;
    let accepted = provider.call(ask(&provider, json!({}))).await.unwrap();
    assert_eq!(accepted.status(), StatusCode::OK);
}

#[tokio::test(start_paused = true)]
async fn output_is_reserved_by_max_tokens_and_comes_back() {
    let mut script = ProviderScript::anthropic("a").output(10.0, 0.0);
    script.limits = Limits { output_tpm: Some(100), ..Limits::default() };
    script.window = Window::Fixed;
    script.headers = true;
    let (_mock, provider) = start(script).await;
    let held = provider.call(ask(&provider, json!({}))).await.unwrap();
    assert_eq!(held.headers()["anthropic-ratelimit-output-tokens-remaining"], "36");
    let refused = provider.call(ask(&provider, json!({}))).await.unwrap();
    assert_eq!(refused.status(), StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(refused.headers()["anthropic-ratelimit-output-tokens-remaining"], "36");
    assert!(text(refused).await.contains("rate limit of 100 output tokens per minute"));
    text(held).await;
    let accepted = provider.call(ask(&provider, json!({}))).await.unwrap();
    assert_eq!(accepted.headers()["anthropic-ratelimit-output-tokens-remaining"], "26");
}

#[tokio::test(start_paused = true)]
async fn a_request_over_the_whole_limit_gets_no_hint() {
    let mut script = ProviderScript::openai("o");
    script.limits = Limits { tpm: Some(50), ..Limits::default() };
    let (_mock, provider) = start(script).await;
    let refused = provider.call(ask(&provider, json!({}))).await.unwrap();
    assert!(!refused.headers().contains_key("retry-after"));
    assert!(text(refused).await.contains("Request too large for m"));
}

#[tokio::test(start_paused = true)]
async fn openai_headers_tell_the_true_state() {
    let mut script = ProviderScript::openai("o").output(8.0, 0.0);
    script.limits = Limits { rpm: Some(500), tpm: Some(6000), ..Limits::default() };
    script.headers = true;
    let (_mock, provider) = start(script).await;
    let response = provider.call(ask(&provider, json!({}))).await.unwrap();
    let header = |name: &str| response.headers()[name].to_str().unwrap().to_owned();
    assert_eq!(header("x-ratelimit-remaining-requests"), "499");
    assert_eq!(header("x-ratelimit-reset-requests"), "120ms");
    // 8 tokens of prompt and 64 reserved; 100 come back each second.
    assert_eq!(header("x-ratelimit-remaining-tokens"), "5928");
    assert_eq!(header("x-ratelimit-reset-tokens"), "720ms");
}

#[tokio::test(start_paused = true)]
async fn a_date_hint_is_never_too_early() {
    let mut script = ProviderScript::anthropic("a");
    script.limits = Limits { rpm: Some(1), ..Limits::default() };
    script.refusal.hint = Hint::HttpDate;
    let (_mock, provider) = start(script).await;
    text(provider.call(ask(&provider, json!({}))).await.unwrap()).await;
    let refused = provider.call(ask(&provider, json!({}))).await.unwrap();
    let date = refused.headers()["retry-after"].to_str().unwrap();
    assert!(httpdate::parse_http_date(date).is_ok(), "{date}");
}

#[tokio::test(start_paused = true)]
async fn a_prefix_seen_before_is_cached_and_not_counted() {
    let mut script = ProviderScript::anthropic("a").output(5.0, 0.0);
    script.prompt_cache = true;
    script.limits = Limits { input_tpm: Some(1000), ..Limits::default() };
    script.headers = true;
    let (_mock, provider) = start(script).await;
    let system = json!({ "system": "You are thorough. ".repeat(20) });
    let first = provider.call(ask(&provider, system.clone())).await.unwrap();
    let left = first.headers()["anthropic-ratelimit-input-tokens-remaining"].clone();
    let first = value(first).await;
    assert_eq!(first["usage"]["cache_read_input_tokens"], 0);
    let second = provider.call(ask(&provider, system)).await.unwrap();
    assert_eq!(second.headers()["anthropic-ratelimit-input-tokens-remaining"], left);
    let second = value(second).await;
    assert_eq!(second["usage"]["cache_read_input_tokens"], first["usage"]["input_tokens"]);
    assert_eq!(second["usage"]["input_tokens"], 0);
}
