//! What happens in a run, told to the one task that keeps the board.
//!
//! The channel is bounded and its sender waits: the keeper only applies news and draws, so that a full
//! channel is a matter of microseconds, and nothing that a report counts is ever dropped.

use std::time::Duration;

use tokio::sync::mpsc;

use super::clock::Clock;
use super::report::Swap;

const CAPACITY: usize = 1024;

/// A thing that happened.
#[derive(Clone, Debug)]
pub(super) enum News {
    /// The next act begins.
    Act(Act),
    /// An agent's new state.
    Agent { number: usize, state: State, counts: Counts },
    /// What an upstream's own counters say.
    Upstream { upstream: usize, counts: UpstreamCounts },
    /// An effective limit changed.
    Limit { upstream: String, limit: u32, effective: u32, reason: String },
    /// A policy's file was written, in words.
    FileWritten(String),
    /// Another policy decides from now on.
    Swapped(Swap),
    /// Anything else that is worth a line.
    Note(String),
}

/// The acts of the demo, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Act {
    /// The agents call the providers directly.
    Ungoverned,
    /// The same agents call them through the gateway.
    Governed,
    /// Both fleets have ended.
    Over,
}

/// What an agent is doing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// It has not begun.
    Idle,
    /// Its request is sent and no answer has begun.
    Waiting,
    /// It was refused and waits to try again.
    Refused,
    /// Its answer is coming.
    Reading,
    /// Its review is complete.
    Finished,
    /// It gave up, with what its client said.
    Failed(String),
}

/// What an agent has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// HTTP requests that were sent.
    pub(super) sent: u64,
    /// Of them answered in full.
    pub(super) answered: u64,
    /// Of them refused with 429.
    pub(super) refused: u64,
    /// Of them answered with another error.
    pub(super) failed: u64,
    /// Of them without an answer, or with one that broke off.
    pub(super) lost: u64,
    /// Input tokens, as the answers' usage says.
    pub(super) input: u64,
    /// Output tokens, as the answers' usage says.
    pub(super) output: u64,
    /// Time spent in a gateway's line, or between tries.
    pub(super) waited: Duration,
}

/// What an upstream has done since its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct UpstreamCounts {
    /// Requests that it served in full.
    pub(super) served: u64,
    /// Requests that it refused with 429.
    pub(super) refused: u64,
    /// Requests that it is serving.
    pub(super) in_flight: u32,
}

/// News and when it happened.
#[derive(Clone, Debug)]
pub(super) struct Stamped {
    pub(super) at: Duration,
    pub(super) news: News,
}

/// Where news is told.
#[derive(Clone, Debug)]
pub(super) struct Reporter {
    clock: Clock,
    sender: mpsc::Sender<Stamped>,
}

/// A channel of news.
pub(super) fn channel(clock: Clock) -> (Reporter, mpsc::Receiver<Stamped>) {
    let (sender, receiver) = mpsc::channel(CAPACITY);
    (Reporter { clock, sender }, receiver)
}

impl Reporter {
    /// The time now, by the demo's clock.
    pub(super) fn now(&self) -> Duration {
        self.clock.now()
    }

    /// Tells news. When the keeper is gone the run is being torn down, and nobody wants to know.
    pub(super) async fn tell(&self, news: News) {
        let _ = self.sender.send(Stamped { at: self.now(), news }).await;
    }
}
