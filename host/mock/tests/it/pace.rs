//! Latency, pace and faults, in virtual time.

use std::time::Duration;

use crate::common::{ask, start, text, value};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tokio::time::Instant;
use weir_mock::{
    Body, Cut, Effect, FaultScript, Outcome, Pause, Provider, ProviderScript, StreamCut,
    StreamPause,
};

#[expect(clippy::disallowed_methods, reason = "paused time is read to measure what a call waited")]
fn now() -> Instant {
    Instant::now()
}

/// Milliseconds until each frame of the body, from `since`, and how it ended.
async fn frames(mut body: Body, since: Instant) -> (Vec<u128>, Result<(), Cut>) {
    let mut times = Vec::new();
    while let Some(frame) = body.frame().await {
        if let Err(cut) = frame {
            return (times, Err(cut));
        }
        times.push(since.elapsed().as_millis());
    }
    (times, Ok(()))
}

fn paced() -> ProviderScript {
    ProviderScript::openai("o").latency(500.0, 0.0).output(6.0, 0.0).pace(10.0, 2)
}

async fn stream(provider: &Provider) -> (Vec<u128>, Result<(), Cut>) {
    let since = now();
    let response = provider.call(ask(provider, json!({ "stream": true }))).await.unwrap();
    frames(response.into_body(), since).await
}

#[tokio::test(start_paused = true)]
async fn tokens_come_at_their_pace() {
    let (_mock, provider) = start(paced()).await;
    // The opening, chunks of tokens 1-2, 3-4, 5-6, the end; the first token after 500 ms, one each 100 ms.
    assert_eq!(stream(&provider).await, (vec![500, 600, 800, 1000, 1000], Ok(())));
    let since = now();
    let whole = value(provider.call(ask(&provider, json!({}))).await.unwrap()).await;
    assert_eq!(since.elapsed(), Duration::from_millis(1000));
    assert_eq!(whole["usage"]["completion_tokens"], 6);
    assert_eq!(provider.stats().output_tokens, 12);
}

#[tokio::test(start_paused = true)]
async fn load_adds_latency() {
    let mut script = paced();
    script.latency.per_in_flight_ms = 50.0;
    let (_mock, provider) = start(script).await;
    let since = now();
    let call = async {
        let response = provider.call(ask(&provider, json!({ "stream": true }))).await.unwrap();
        (since.elapsed().as_millis(), response)
    };
    let other = async {
        let response = provider.call(ask(&provider, json!({ "stream": true }))).await.unwrap();
        (since.elapsed().as_millis(), response)
    };
    let ((alone, _), (loaded, _)) = tokio::join!(other, call);
    assert_eq!((alone, loaded), (500, 550));
}

#[tokio::test(start_paused = true)]
async fn max_tokens_cuts_the_answer() {
    let (_mock, provider) = start(paced()).await;
    let whole = provider.call(ask(&provider, json!({ "max_tokens": 3 }))).await.unwrap();
    let whole = value(whole).await;
    assert_eq!(whole["choices"][0]["finish_reason"], "length");
    assert_eq!(whole["usage"]["completion_tokens"], 3);
    assert_eq!(whole["choices"][0]["message"]["content"].as_str().unwrap().len(), 12);
}

/// Lengths and latencies of ten requests.
async fn draws(seed: u64) -> Vec<(Value, u128)> {
    let script = ProviderScript::openai("o").latency(300.0, 0.8).output(50.0, 0.9);
    let script = weir_mock::Script::new([script]).seed(seed);
    let mock = weir_mock::Mock::start(&script).await.unwrap();
    let provider = &mock.providers()[0];
    let mut draws = Vec::new();
    for _ in 0..10 {
        let since = now();
        let whole = ask(provider, json!({ "max_tokens": 100_000 }));
        let whole = value(provider.call(whole).await.unwrap()).await;
        draws.push((whole["usage"].clone(), since.elapsed().as_millis()));
    }
    draws
}

#[tokio::test(start_paused = true)]
async fn the_same_seed_draws_the_same() {
    let first = draws(7).await;
    assert_eq!(first, draws(7).await);
    assert_ne!(first, draws(8).await);
    assert!(first.iter().any(|draw| draw.1 != first[0].1), "latencies vary: {first:?}");
}

#[tokio::test(start_paused = true)]
async fn a_stream_stalls_then_goes_on() {
    let stall = Effect::StallStream(StreamPause { after_chunks: 1, ms: 9000 });
    let (_mock, provider) = start(paced().fault(FaultScript::always(stall))).await;
    assert_eq!(stream(&provider).await, (vec![500, 600, 9800, 10_000, 10_000], Ok(())));
}

#[tokio::test(start_paused = true)]
async fn a_stream_is_cut() {
    let cut = Effect::CutStream(StreamCut { after_chunks: 2 });
    let (_mock, provider) = start(paced().fault(FaultScript::always(cut))).await;
    assert_eq!(stream(&provider).await, (vec![500, 600, 800], Err(Cut)));
    let attempt = provider.attempts().pop().unwrap();
    assert_eq!((attempt.outcome, attempt.output_tokens), (Outcome::Broken, 4));
    assert_eq!(provider.stats().in_flight, 0);
}

#[tokio::test(start_paused = true)]
async fn a_cut_past_the_end_strikes_at_the_end() {
    let cut = Effect::CutStream(StreamCut { after_chunks: 99 });
    let (_mock, provider) = start(paced().fault(FaultScript::always(cut))).await;
    assert_eq!(stream(&provider).await, (vec![500, 600, 800, 1000], Err(Cut)));
}

#[tokio::test(start_paused = true)]
async fn headers_come_late_or_never() {
    let slow = FaultScript::every(2, Effect::SlowHeaders(Pause { ms: 3000 }));
    let stall = FaultScript::always(Effect::StallHeaders(Pause { ms: 7000 }));
    let (_mock, provider) = start(paced().fault(slow).fault(stall)).await;
    let since = now();
    assert_eq!(provider.call(ask(&provider, json!({}))).await.unwrap_err(), Cut);
    assert_eq!(since.elapsed(), Duration::from_millis(7000));
    assert_eq!(stream(&provider).await.0[0], 3500);
    assert_eq!((provider.stats().faults, provider.stats().in_flight), (2, 0));
}

#[tokio::test(start_paused = true)]
async fn faults_keep_to_their_span() {
    let fault = FaultScript::between(1000, 2000, Effect::Overloaded);
    let (_mock, provider) = start(ProviderScript::anthropic("a").fault(fault)).await;
    let mut statuses = Vec::new();
    for _ in 0..3 {
        let response = provider.call(ask(&provider, json!({}))).await.unwrap();
        let retry = response.headers().get("x-should-retry").is_some();
        statuses.push((response.status().as_u16(), retry));
        text(response).await;
        tokio::time::advance(Duration::from_secs(1)).await;
    }
    assert_eq!(statuses, [(200, false), (529, true), (200, false)]);
}
