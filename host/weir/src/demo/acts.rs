//! The two runs: the fleet straight at the providers, and the same fleet through the gateway.

use std::time::Duration;

use anyhow::Context;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::agent::Ending;
use super::cast::{self, UPSTREAMS};
use super::corpus::Turn;
use super::governor::Governor;
use super::news::{Act, News, Reporter};
use super::providers::Providers;
use super::report::{Books, Policy, Run};
use super::{fleet, follow};

/// How long providers may take to notice that nobody reads any more.
const SETTLE: Duration = Duration::from_secs(3);
/// How long a written policy may take to be compiled, checked and fed.
const SWAP_WITHIN: Duration = Duration::from_secs(10);

/// What the governed run brought.
pub(super) struct Governed {
    pub(super) run: Run,
    pub(super) books: Books,
    /// The policies at its end.
    pub(super) policies: Vec<Policy>,
}

/// Thirty agents and nobody between them and the providers.
pub(super) async fn ungoverned(seed: u64, reporter: &Reporter) -> anyhow::Result<Run> {
    reporter.tell(News::Act(Act::Ungoverned)).await;
    let providers = Providers::start(seed).await?;
    let bases = providers.bases();
    let began = reporter.now();
    let endings = tokio::select! {
        endings = fleet::run(&bases, seed, reporter) => endings,
        never = providers.tell_counts(reporter) => match never {},
    };
    let took = reporter.now().saturating_sub(began);
    close(providers, endings, took, reporter).await
}

/// The same agents, and a gateway between them and fresh providers. In the middle its limit policy's file is
/// replaced.
pub(super) async fn governed(seed: u64, reporter: &Reporter) -> anyhow::Result<Governed> {
    reporter.tell(News::Note("weir starts and compiles its policies".to_owned())).await;
    let providers = Providers::start(seed).await?;
    let governor = Governor::start(&providers.base_urls(), seed).await?;
    let events = governor.events().await?;
    let bases = vec![governor.base(); UPSTREAMS.len()];
    reporter.tell(News::Act(Act::Governed)).await;
    let (swaps, swapped) = watch::channel(0);
    let began = reporter.now();
    let work = async {
        let over = CancellationToken::new();
        let fleet = async {
            let endings = fleet::run(&bases, seed, reporter).await;
            let took = reporter.now().saturating_sub(began);
            over.cancel();
            (endings, took)
        };
        let replace = replace(&governor, &providers, &over, swapped, reporter);
        let ((endings, took), replaced) = tokio::join!(fleet, replace);
        replaced.map(|()| (endings, took))
    };
    let (endings, took) = tokio::select! {
        done = work => done?,
        failed = follow::follow(events, reporter, &swaps) => match failed? {},
        never = providers.tell_counts(reporter) => match never {},
    };
    let (books, policies) = (governor.books().await?, governor.policies().await?);
    governor.stop().await?;
    let run = close(providers, endings, took, reporter).await?;
    Ok(Governed { run, books, policies })
}

/// Writes the other build over the limit policy's file when half of the work is done, and waits until it
/// decides.
async fn replace(
    governor: &Governor,
    providers: &Providers,
    over: &CancellationToken,
    mut swapped: watch::Receiver<usize>,
    reporter: &Reporter,
) -> anyhow::Result<()> {
    let half = cast::members().count() * Turn::ALL.len() / 2;
    tokio::select! {
        () = providers.served(half as u64) => {}
        () = over.cancelled() => {}
    }
    let written = governor.replace_limit_policy()?;
    reporter.tell(News::FileWritten(written)).await;
    // A swap that does not come is a failure of the report, which says so.
    let _ = tokio::time::timeout(SWAP_WITHIN, swapped.wait_for(|swaps| *swaps > 0)).await;
    Ok(())
}

/// Waits until the providers are idle, takes their counters and stops them.
async fn close(
    providers: Providers,
    endings: Vec<Ending>,
    took: Duration,
    reporter: &Reporter,
) -> anyhow::Result<Run> {
    tokio::time::timeout(SETTLE, providers.idle())
        .await
        .context("a mock provider still serves a request though every agent has ended")?;
    let upstreams = providers.counts();
    providers.tell_once(reporter).await;
    providers.stop().await;
    Ok(Run { endings, upstreams, took })
}
