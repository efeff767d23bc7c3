//! The scheduler's thread from outside.

use std::sync::Arc;
use std::thread::JoinHandle;

use tokio::sync::mpsc::Receiver;
use tokio::sync::oneshot;
use weir_core::Core;

use super::count::Count;
use super::{Driver, Hosted, Message, Records};
use crate::clock::Clock;
use crate::config::Settings;
use crate::events::Ring;
use crate::metrics::Metrics;

/// Why the scheduler did not start.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartFailed {
    /// The policies could not be made.
    #[error("{0}")]
    Policies(String),
    /// The configuration of the core contradicts itself.
    #[error("{0}")]
    Core(#[from] weir_core::ConfigError),
    /// The system gave no thread.
    #[error("no thread for the scheduler: {0}")]
    Thread(#[from] std::io::Error),
}

/// Policies run on this stack as well, and want 2 MiB.
const STACK: usize = 4 << 20;

/// Makes policies. `Err`: words for the operator.
pub(crate) type Make = Box<dyn FnOnce() -> Result<Hosted, String> + Send>;

/// A scheduler that runs.
#[derive(Debug)]
pub(crate) struct Thread {
    handle: JoinHandle<()>,
    /// Its sender is dropped when the thread ends.
    ended: oneshot::Receiver<()>,
}

/// What a scheduler is made of.
pub(crate) struct Parts<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) clock: Clock,
    pub(crate) ring: Arc<Ring>,
    pub(crate) metrics: Arc<Metrics>,
    /// Makes the policies, on the thread.
    pub(crate) make: Make,
    pub(crate) records: Records,
}

impl Thread {
    /// Starts it and waits until its policies stand.
    pub(crate) async fn start(
        parts: Parts<'_>,
        receiver: Receiver<Message>,
    ) -> Result<Self, StartFailed> {
        let core = Core::new(parts.settings.core())?;
        let names = parts.settings.upstreams.iter().enumerate();
        let upstreams = names.map(|(place, upstream)| (upstream.name.clone(), place)).collect();
        let count = Count::new(parts.metrics, upstreams);
        let (started, standing) = oneshot::channel();
        let (end, ended) = oneshot::channel();
        let (make, records, clock, ring) = (parts.make, parts.records, parts.clock, parts.ring);
        let body = move || {
            let _end: oneshot::Sender<()> = end;
            let hosted = match make() {
                Ok(hosted) => hosted,
                Err(words) => return drop(started.send(Err(words))),
            };
            drop(started.send(Ok(())));
            Driver::new(core, hosted, records, clock, receiver, ring, count).run();
        };
        let thread = std::thread::Builder::new().name("weir-scheduler".into()).stack_size(STACK);
        let handle = thread.spawn(body)?;
        match standing.await {
            Ok(Ok(())) => Ok(Self { handle, ended }),
            Ok(Err(words)) => Err(StartFailed::Policies(words)),
            Err(_) => Err(StartFailed::Policies("making the policies panicked".into())),
        }
    }

    /// Waits for its end. False when it panicked.
    pub(crate) async fn join(self) -> bool {
        // The sender is dropped, never used, so this is an error and means the end.
        let _ = self.ended.await;
        self.handle.join().is_ok()
    }
}
