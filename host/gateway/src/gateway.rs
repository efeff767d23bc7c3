//! A gateway: started, asked, and shut down.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use weir_core::{Slot, View};
use weir_policy::{Row, Watcher};

use crate::admin;
use crate::clock::Clock;
use crate::config::Settings;
use crate::driver::{self, Command, Hosted, Inbox, Message, Records, StartFailed, Thread, Trace};
use crate::events::{Events, Ring};
use crate::host::Host;
use crate::ingress;
use crate::journal::Journal;
use crate::listener::Listener;
use crate::metrics::Metrics;
use crate::policies::{self, Deciders, SharedWorkshop, Swap, Workshop};
use crate::upstream::{BadUpstream, Upstreams};

/// How long connections have to write what is left after the drain's end.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// Between two foldings of the histograms.
const FOLD_EVERY: Duration = Duration::from_secs(5);

/// A gateway that runs. Several can run in one process.
pub struct Gateway {
    addr: SocketAddr,
    host: Arc<Host>,
    /// Until it is joined.
    thread: Option<Thread>,
    connections: TaskTracker,
    stop: CancellationToken,
    kill: CancellationToken,
    tasks: TaskTracker,
    watcher: Option<Watcher>,
}

/// Why a gateway did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The address cannot be listened on.
    #[error("cannot listen on {addr}: {error}{hint}", hint = hint(error))]
    Listen {
        /// Which.
        addr: SocketAddr,
        /// Why. It is told with the hint, so it is no source that would be told again.
        error: io::Error,
    },
    /// Without tenants anybody could ask, so only this machine may.
    #[error(
        "listening on {addr} would let anybody in: name tenants with keys in weir.toml, or listen on a \
         loopback address such as 127.0.0.1"
    )]
    Open {
        /// Where.
        addr: SocketAddr,
    },
    /// An upstream cannot be used as configured.
    #[error("{0}")]
    Upstream(String),
    /// The trace cannot be written.
    #[error("cannot write the trace to {}", path.display())]
    Trace {
        /// Where.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The journal cannot be written.
    #[error("cannot write the journal to {}", path.display())]
    Journal {
        /// Where.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The scheduler or its policies did not start.
    #[error("{0}")]
    Scheduler(String),
}

fn hint(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::AddrInUse => {
            "; another process listens there: stop it or choose another port"
        }
        io::ErrorKind::AddrNotAvailable => "; this machine has no such address",
        io::ErrorKind::PermissionDenied => "; ports below 1024 need a privilege: choose another",
        _ => "",
    }
}

/// How a gateway ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Requests that had not ended when the time was over: they were refused or cut.
    pub cut: usize,
    /// The scheduler ended without a panic.
    pub clean: bool,
}

impl Gateway {
    /// Binds, starts the scheduler with its policies, and serves.
    ///
    /// # Errors
    ///
    /// The address, an upstream or a policy is no good. Nothing is left running.
    pub async fn start(settings: Settings, deciders: Deciders) -> Result<Self, StartError> {
        let clock = Clock::start();
        if settings.tenants.iter().any(|tenant| tenant.key.is_none())
            && !settings.listen.ip().is_loopback()
        {
            return Err(StartError::Open { addr: settings.listen });
        }
        let upstreams = Upstreams::new(&settings, clock)?;
        let listener = bind(settings.listen).await?;
        let (ring, metrics) = (Ring::new(), Arc::new(Metrics::new(&settings)));
        let records = records(&settings, clock, &metrics)?;
        let (inbox, receiver) = Inbox::new(settings.host.max_connections);
        let (workshop, make) = decide(&settings, deciders).await?;
        let parts = driver::Parts {
            settings: &settings,
            clock,
            ring: Arc::clone(&ring),
            metrics: Arc::clone(&metrics),
            make,
            records,
        };
        // Should one of the next steps fail, the thread ends with the last sender.
        let thread = Thread::start(parts, receiver).await?;
        let watcher = watch(&workshop, inbox.clone())?;
        let host = Host::new(settings, workshop, upstreams, inbox, ring, metrics, clock);
        Self::serve(Arc::new(host), listener, thread, watcher)
    }

    fn serve(
        host: Arc<Host>,
        listener: TcpListener,
        thread: Thread,
        watcher: Option<Watcher>,
    ) -> Result<Self, StartError> {
        let router = ingress::router(Arc::clone(&host));
        let pressed = host.metrics.backpressure.clone();
        let listener = Listener::new(listener, router, host.settings.host, pressed);
        let at = host.settings.listen;
        let addr = listener.addr().map_err(|error| StartError::Listen { addr: at, error })?;
        let (stop, kill) = (listener.stop.clone(), listener.kill.clone());
        let connections = listener.connections.clone();
        let tasks = TaskTracker::new();
        tasks.spawn(listener.run());
        tasks.spawn(fold(Arc::clone(&host.metrics), stop.clone()));
        tracing::info!(%addr, "listening");
        let thread = Some(thread);
        Ok(Self { addr, host, thread, connections, stop, kill, tasks, watcher })
    }

    /// Where it listens.
    #[must_use]
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Its clock: events are stamped with it.
    #[must_use]
    pub fn clock(&self) -> Clock {
        self.host.clock
    }

    /// Its events after a number; 0 for all that are kept, `None` for those to come.
    #[must_use]
    pub fn events(&self, after: Option<u64>) -> Events {
        self.host.ring.read_after(after)
    }

    /// Its metrics as Prometheus text.
    #[must_use]
    pub fn metrics(&self) -> String {
        self.host.metrics.render()
    }

    /// How the core stands; absent once the scheduler is gone.
    pub async fn view(&self) -> Option<View> {
        admin::ask(&self.host, Command::Measure).await.ok()
    }

    /// The policy of each slot; empty when they are fixed.
    pub async fn policies(&self) -> Vec<Row> {
        admin::ask(&self.host, Command::List).await.unwrap_or_default()
    }

    /// Starts to replace a policy; an event tells whether it took over.
    ///
    /// # Errors
    ///
    /// Words: why it cannot even be tried.
    pub async fn swap(&self, swap: Swap) -> Result<(), String> {
        admin::swap_in(&self.host, swap).await.map_err(|complaint| complaint.message)
    }

    /// Starts to go back to the policy before.
    ///
    /// # Errors
    ///
    /// Words: why it cannot even be tried.
    pub async fn rollback(&self, slot: Slot) -> Result<(), String> {
        let asked = admin::ask(&self.host, |reply| Command::Rollback(slot, reply)).await;
        asked.map_err(|complaint| complaint.message)?
    }

    /// Takes nothing new, lets what is in hand end within a time, refuses what still waits then, ends streams
    /// with an error of their API, cuts the rest, and stops.
    pub async fn shutdown(mut self, within: Duration) -> Ended {
        self.host.drain();
        tracing::info!(requests = self.host.calls.len(), "draining");
        self.host.calls.close();
        let drained = tokio::time::timeout(within, self.host.calls.wait()).await.is_ok();
        // Watchers leave, idle connections close, nobody new comes in.
        self.host.stop.cancel();
        self.stop.cancel();
        let cut = self.host.calls.len();
        if !drained {
            // A scheduler that is gone lets nobody wait.
            let _ = self.host.inbox.say(Message::Command(Command::TurnAway)).await;
        }
        self.connections.close();
        let _ = tokio::time::timeout(LAST_WORDS, self.connections.wait()).await;
        self.kill.cancel();
        self.connections.wait().await;
        self.tasks.close();
        self.tasks.wait().await;
        self.watcher = None;
        let _ = self.host.inbox.say(Message::Stop).await;
        let clean = match self.thread.take() {
            Some(thread) => thread.join().await,
            None => false,
        };
        Ended { cut, clean }
    }
}

/// A gateway that is dropped stops at once.
impl Drop for Gateway {
    fn drop(&mut self) {
        self.host.drain();
        self.host.stop.cancel();
        self.stop.cancel();
        self.kill.cancel();
    }
}

/// Watches the folder of policies, if there is one.
fn watch(workshop: &SharedWorkshop, inbox: Inbox) -> Result<Option<Watcher>, StartError> {
    let Some(workshop) = workshop else { return Ok(None) };
    let deliver = move |delivery| {
        // A scheduler that is gone wants no news.
        let _ = inbox.say_blocking(Message::Command(Command::Deliver(delivery)));
    };
    workshop.watch(deliver).map_err(StartError::Scheduler)
}

/// How the scheduler's thread gets its policies, and what makes later ones ready.
async fn decide(
    settings: &Settings,
    deciders: Deciders,
) -> Result<(SharedWorkshop, driver::Make), StartError> {
    let make = match deciders {
        Deciders::Fixed(make) => return Ok((None, Box::new(|| make().map(Hosted::Fixed)))),
        Deciders::Configured => settings.clone(),
    };
    let compile = move || {
        let workshop = Workshop::new(&make)?;
        let first = workshop.first()?;
        Ok::<_, String>((workshop, first))
    };
    // A panic while compiling is told like any failure.
    let compiled = tokio::task::spawn_blocking(compile).await.map_err(|error| error.to_string());
    let (workshop, first) = compiled.and_then(|done| done).map_err(StartError::Scheduler)?;
    let make = move || policies::seated(first).map(Hosted::Slots);
    Ok((Some(Arc::new(workshop)), Box::new(make)))
}

/// Creates what is to be written.
fn records(settings: &Settings, clock: Clock, metrics: &Metrics) -> Result<Records, StartError> {
    let trace = settings.trace.as_deref().map(|path| {
        let failed = |source| StartError::Trace { path: path.to_owned(), source };
        Trace::create(path).map_err(failed)
    });
    let journal = settings.journal.as_ref().map(|journal| {
        let failed = |source| StartError::Journal { path: journal.path.clone(), source };
        let lost = metrics.journal_lost.clone();
        Journal::create(journal, settings.core(), clock, lost).map_err(failed)
    });
    Ok(Records { trace: trace.transpose()?, journal: journal.transpose()? })
}

async fn bind(addr: SocketAddr) -> Result<TcpListener, StartError> {
    TcpListener::bind(addr).await.map_err(|error| StartError::Listen { addr, error })
}

async fn fold(metrics: Arc<Metrics>, stop: CancellationToken) {
    while tokio::time::timeout(FOLD_EVERY, stop.cancelled()).await.is_err() {
        metrics.fold();
    }
}

impl From<BadUpstream> for StartError {
    fn from(error: BadUpstream) -> Self {
        Self::Upstream(error.to_string())
    }
}

impl From<StartFailed> for StartError {
    fn from(error: StartFailed) -> Self {
        Self::Scheduler(error.to_string())
    }
}
