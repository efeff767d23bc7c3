//! Follows the gateway's events and tells what belongs on the board.

use anyhow::{Context, bail};
use serde::Deserialize;
use tokio::sync::watch;

use super::client::Events;
use super::news::{News, Reporter};
use super::report::{Swap, Version};
use super::sse;

/// The events that the demo shows, as `/v1/events` writes them.
#[derive(Debug, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
enum Told {
    ConcurrencyChanged {
        upstream: String,
        limit: u32,
        effective: u32,
        reason: String,
    },
    PolicySwapped {
        slot: String,
        from: Version,
        to: Version,
        restored: bool,
    },
    PolicyRejected {
        words: String,
    },
    PolicyFault {
        slot: String,
        name: String,
        words: String,
    },
    PolicyQuarantined {
        slot: String,
        name: String,
        words: String,
    },
    Refused {
        tenant: String,
        refusal: serde_json::Value,
    },
    #[serde(other)]
    Other,
}

/// Tells events until the stream ends, and counts swaps in `swaps`.
///
/// # Errors
///
/// The stream ended, broke, or has what cannot be read; or this reader was too slow and missed some.
pub(super) async fn follow(
    mut events: Events,
    reporter: &Reporter,
    swaps: &watch::Sender<usize>,
) -> anyhow::Result<std::convert::Infallible> {
    while let Some(batch) = events.next().await? {
        for event in batch {
            let Some(news) = read(&event)? else { continue };
            let swapped = matches!(news, News::Swapped(_));
            reporter.tell(news).await;
            swaps.send_modify(|swaps| *swaps += usize::from(swapped));
        }
    }
    bail!("the gateway's events ended before the agents did")
}

fn read(event: &sse::Event) -> anyhow::Result<Option<News>> {
    if event.name == "lost" {
        bail!("the demo read the gateway's events too slowly and missed some: {}", event.data);
    }
    let told: Told = serde_json::from_str(&event.data)
        .with_context(|| format!("the gateway's event {} cannot be read", event.data))?;
    Ok(told.news())
}

impl Told {
    fn news(self) -> Option<News> {
        Some(match self {
            Self::ConcurrencyChanged { upstream, limit, effective, reason } => {
                News::Limit { upstream, limit, effective, reason }
            }
            Self::PolicySwapped { slot, from, to, restored } => {
                News::Swapped(Swap { from: from.at(&slot), to: to.at(&slot), restored })
            }
            Self::PolicyRejected { words } => News::Note(format!("policy rejected: {words}")),
            Self::PolicyFault { slot, name, words } => {
                News::Note(format!("policy {name} ({slot}) failed a call: {words}"))
            }
            Self::PolicyQuarantined { slot, name, words } => {
                News::Note(format!("policy {name} ({slot}) is quarantined: {words}"))
            }
            Self::Refused { tenant, refusal } => {
                News::Note(format!("weir refused a request of {tenant}: {refusal}"))
            }
            Self::Other => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn news(data: &str) -> anyhow::Result<Option<News>> {
        read(&sse::Event { name: String::new(), data: data.to_owned() })
    }

    #[test]
    fn a_swap_and_a_limit_are_read() {
        let swap = r#"{"id":9,"at":5,"event":"policy-swapped","slot":"limit","name":"limit-aimd",
            "from":{"name":"limit-aimd","version":"0.1.0","digest":"sha256:aa"},
            "to":{"name":"limit-aimd","version":"0.2.0","digest":"sha256:bb"},"restored":true}"#;
        let Ok(Some(News::Swapped(swap))) = news(swap) else { panic!("no swap") };
        assert_eq!((swap.from.version.as_str(), swap.to.digest.as_str()), ("0.1.0", "sha256:bb"));
        assert!(swap.restored && swap.to.slot == "limit");
        let limit = r#"{"id":1,"at":2,"event":"concurrency-changed","upstream":"openai-mock",
            "limit":6,"effective":6,"reason":"rate_limited"}"#;
        assert!(matches!(news(limit), Ok(Some(News::Limit { effective: 6, .. }))));
    }

    #[test]
    fn what_is_not_shown_is_passed_over_and_what_is_missing_is_an_error() {
        assert!(matches!(news(r#"{"id":1,"at":2,"event":"admitted","item":3}"#), Ok(None)));
        let lost = sse::Event { name: "lost".to_owned(), data: r#"{"lost":4}"#.to_owned() };
        assert!(read(&lost).unwrap_err().to_string().contains("missed some"));
        assert!(news("{").unwrap_err().to_string().contains("cannot be read"));
    }
}
