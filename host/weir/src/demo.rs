//! `weir demo`: what weir does, seen in half a minute.
//!
//! Two mock providers serve six and three requests at once, tell nobody, and refuse the rest with 429 and
//! `retry-after-ms: 200`. Thirty code-review agents of two tenants call them over real HTTP, first directly
//! and then through a gateway whose decisions are made by the shipped policies. In the middle of the second
//! run the file of the limit policy is replaced by another build.
//!
//! News flow one way: agents, providers and the gateway's own event stream tell the keeper here, which
//! applies them to the board and draws it. The report is made of what was counted, never of the display.

mod acts;
mod agent;
mod board;
mod cast;
mod client;
mod clock;
mod corpus;
mod fleet;
mod follow;
mod governor;
mod news;
mod providers;
mod report;
mod screen;
mod sse;
mod summary;
mod view;
mod wire;

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, bail};
use tokio::sync::mpsc;
use tokio::time::MissedTickBehavior;

use self::acts::Governed;
use self::board::Board;
use self::clock::Clock;
use self::news::{Act, News, Reporter, Stamped};
use self::report::Evidence;
use self::screen::Screen;
use self::summary::Summary;
use crate::output::Output;
use crate::signals::Signals;

/// The longest that the demo may take in all.
const AT_MOST: Duration = Duration::from_secs(60);
const FRAME: Duration = Duration::from_millis(100);

/// What the demo is told.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Options {
    /// The seed of latencies, lengths of answers and the agents' first moves
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Runs the demo. It succeeds when every agent behind the gateway finished, nothing was lost and the policy
/// was replaced.
///
/// # Errors
///
/// A part did not start, somebody interrupted it, or it took longer than a minute.
pub(crate) async fn run(options: Options, output: Output) -> anyhow::Result<ExitCode> {
    let clock = Clock::start();
    let mut screen = Screen::open(output.is_json()).context("the terminal cannot be used")?;
    let (reporter, news) = news::channel(clock);
    let both =
        async { tokio::try_join!(play(options.seed, reporter), keep(news, &mut screen, clock)) };
    let ended = tokio::time::timeout(AT_MOST, both).await;
    drop(screen);
    let seconds = AT_MOST.as_secs();
    let (mut evidence, board) = ended
        .with_context(|| format!("the demo was not over after {seconds} s and was stopped"))??;
    evidence.limit_changes = board.limit_changes;
    evidence.swaps = board.swaps;
    close(&evidence, output)
}

/// Both acts.
async fn play(seed: u64, reporter: Reporter) -> anyhow::Result<Evidence> {
    let ungoverned = acts::ungoverned(seed, &reporter).await?;
    let Governed { run: governed, books, policies } = acts::governed(seed, &reporter).await?;
    reporter.tell(News::Act(Act::Over)).await;
    Ok(Evidence { ungoverned, governed, books, policies, ..Evidence::default() })
}

/// Applies news and draws until nobody tells any more.
async fn keep(
    mut news: mpsc::Receiver<Stamped>,
    screen: &mut Screen,
    clock: Clock,
) -> anyhow::Result<Board> {
    let mut board = Board::new();
    let mut frames = tokio::time::interval(FRAME);
    frames.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut signals = Signals::listen().context("signals cannot be listened to")?;
    loop {
        tokio::select! {
            stamped = news.recv() => match stamped {
                Some(stamped) => if let Some(line) = board.apply(stamped) {
                    screen.line(line)?;
                },
                None => return Ok(board),
            },
            _ = frames.tick() => screen.draw(&board, clock.now())?,
            () = screen.quit() => bail!("interrupted"),
            signal = signals.next() => bail!("interrupted by {signal}"),
        }
    }
}

/// Prints what was found and says whether that is a success.
fn close(evidence: &Evidence, output: Output) -> anyhow::Result<ExitCode> {
    let report = evidence.report();
    output.print(Summary(evidence).to_string().trim_end(), &serde_json::to_value(&report)?)?;
    let failures = report.failures();
    for failure in &failures {
        eprintln!("weir: {failure}");
    }
    Ok(if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
