//! The two mock providers: they serve a few requests at once, refuse the rest, and say when to come back.

use std::time::Duration;

use anyhow::Context;
use weir_mock::{Hint, Mock, ProviderScript, RefusalScript, Script};

use super::cast::{UPSTREAMS, Upstream};
use super::news::{News, Reporter, UpstreamCounts};
use super::wire::Wire;

/// Time to the first token, in milliseconds, and its spread (sigma of the logarithm).
const LATENCY: (f64, f64) = (450.0, 0.3);
/// Tokens of an answer, and their spread; each turn's `max_tokens` cuts it.
const OUTPUT: (f64, f64) = (70.0, 0.3);
/// Tokens a second, and tokens in one chunk.
const PACE: (f64, u32) = (100.0, 4);
/// A refusal costs the provider, and the caller, a little time too.
const REFUSAL: RefusalScript =
    RefusalScript { delay_ms: 15, hint: Hint::RetryAfterMs, hint_ms: Some(200) };
/// How often counters are read for the display.
const READ_EVERY: Duration = Duration::from_millis(100);

/// Running providers, one for each of [`UPSTREAMS`].
pub(super) struct Providers(Mock);

impl Providers {
    /// Starts fresh ones on free ports.
    pub(super) async fn start(seed: u64) -> anyhow::Result<Self> {
        let script = Script::new(UPSTREAMS.iter().map(script)).seed(seed);
        Ok(Self(Mock::start(&script).await.context("the mock providers did not start")?))
    }

    /// Where each is called, without a path.
    pub(super) fn bases(&self) -> Vec<String> {
        self.0.providers().iter().map(|provider| format!("http://{}", provider.addr())).collect()
    }

    /// What a gateway is configured with as `base_url`.
    pub(super) fn base_urls(&self) -> Vec<String> {
        self.0.providers().iter().map(weir_mock::Provider::base_url).collect()
    }

    /// The counters of each.
    pub(super) fn counts(&self) -> Vec<UpstreamCounts> {
        self.0
            .providers()
            .iter()
            .map(|provider| {
                let stats = provider.stats();
                UpstreamCounts {
                    served: stats.finished,
                    refused: stats.refused_total(),
                    in_flight: stats.in_flight,
                }
            })
            .collect()
    }

    /// Tells the counters again and again; it never ends by itself.
    pub(super) async fn tell_counts(&self, reporter: &Reporter) -> std::convert::Infallible {
        loop {
            self.tell_once(reporter).await;
            tokio::time::sleep(READ_EVERY).await;
        }
    }

    /// Tells the counters.
    pub(super) async fn tell_once(&self, reporter: &Reporter) {
        for (upstream, counts) in self.counts().into_iter().enumerate() {
            reporter.tell(News::Upstream { upstream, counts }).await;
        }
    }

    /// Waits until nothing is in flight.
    pub(super) async fn idle(&self) {
        while self.counts().iter().any(|counts| counts.in_flight > 0) {
            tokio::time::sleep(READ_EVERY).await;
        }
    }

    /// Waits until `served` requests were served by all together.
    pub(super) async fn served(&self, served: u64) {
        while self.counts().iter().map(|counts| counts.served).sum::<u64>() < served {
            tokio::time::sleep(READ_EVERY).await;
        }
    }

    pub(super) async fn stop(self) {
        self.0.shutdown().await;
    }
}

fn script(upstream: &Upstream) -> ProviderScript {
    let script = match upstream.wire {
        Wire::OpenAi => ProviderScript::openai(upstream.name),
        Wire::Anthropic => ProviderScript::anthropic(upstream.name),
    };
    script
        .models([upstream.model])
        .concurrency(upstream.hidden)
        .latency(LATENCY.0, LATENCY.1)
        .output(OUTPUT.0, OUTPUT.1)
        .pace(PACE.0, PACE.1)
        .refusal(REFUSAL)
}
