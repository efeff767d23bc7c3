//! What every request shares.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use weir_core::ids::TenantId;

use crate::clock::Clock;
use crate::config::{Lanes, Settings};
use crate::driver::{Inbox, Ticket};
use crate::events::Ring;
use crate::ingress::Keys;
use crate::metrics::Metrics;
use crate::policies::SharedWorkshop;
use crate::upstream::Upstreams;
use crate::watch::Places;

/// The gateway, as its requests see it.
pub(crate) struct Host {
    pub(crate) settings: Settings,
    pub(crate) lanes: Lanes,
    pub(crate) keys: Keys,
    pub(crate) upstreams: Upstreams,
    pub(crate) inbox: Inbox,
    pub(crate) ring: Arc<Ring>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) clock: Clock,
    /// Makes policies ready; absent when they are fixed.
    pub(crate) workshop: SharedWorkshop,
    /// Work that is no task's.
    pub(crate) blocking: TaskTracker,
    /// Requests in hand.
    pub(crate) calls: TaskTracker,
    /// Readers of events.
    pub(crate) readers: Places,
    /// Readers of events are to leave.
    pub(crate) stop: CancellationToken,
    /// KiB for bodies that are read, wait or are sent.
    bodies: Arc<Semaphore>,
    tickets: AtomicU64,
    draining: AtomicBool,
}

impl Host {
    pub(crate) fn new(
        settings: Settings,
        workshop: SharedWorkshop,
        upstreams: Upstreams,
        inbox: Inbox,
        ring: Arc<Ring>,
        metrics: Arc<Metrics>,
        clock: Clock,
    ) -> Self {
        Self {
            lanes: settings.lanes(),
            keys: Keys::new(&settings.tenants),
            upstreams,
            inbox,
            ring,
            metrics,
            clock,
            workshop,
            blocking: TaskTracker::new(),
            calls: TaskTracker::new(),
            readers: Places::new(settings.tenants.len()),
            stop: CancellationToken::new(),
            bodies: Arc::new(Semaphore::new(
                kib(settings.line.max_bytes).saturating_mul(2).min(Semaphore::MAX_PERMITS),
            )),
            tickets: AtomicU64::new(1),
            draining: AtomicBool::new(false),
            settings,
        }
    }

    /// A place in the memory for bodies, with nothing in it yet. There is twice what may wait in line, since as
    /// much may be under way.
    pub(crate) fn room(&self) -> Room {
        Room::new(&self.bodies)
    }

    pub(crate) fn ticket(&self) -> Ticket {
        Ticket(self.tickets.fetch_add(1, Ordering::Relaxed))
    }

    pub(crate) fn tenant_name(&self, id: TenantId) -> &str {
        self.settings.tenants.get(id.0 as usize).map_or("", |tenant| &tenant.name)
    }

    /// From here on nothing new is taken.
    pub(crate) fn drain(&self) {
        self.draining.store(true, Ordering::Relaxed);
    }

    pub(crate) fn draining(&self) -> bool {
        self.draining.load(Ordering::Relaxed)
    }
}

/// A body's share of the memory for bodies, given back on drop.
#[derive(Debug)]
pub(crate) struct Room {
    all: Arc<Semaphore>,
    held: Option<OwnedSemaphorePermit>,
}

impl Room {
    pub(crate) fn new(all: &Arc<Semaphore>) -> Self {
        Self { all: Arc::clone(all), held: None }
    }

    /// Makes it large enough for so many bytes in all. False when there is no more memory.
    ///
    /// It is asked for as the bytes come: what a caller only announces keeps nobody else out.
    pub(crate) fn grow(&mut self, bytes: usize) -> bool {
        let held = self.held.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        let missing = u32::try_from(kib(bytes as u64).saturating_sub(held)).unwrap_or(u32::MAX);
        let Ok(more) = Arc::clone(&self.all).try_acquire_many_owned(missing) else { return false };
        match &mut self.held {
            Some(held) => held.merge(more),
            None => self.held = Some(more),
        }
        true
    }
}

fn kib(bytes: u64) -> usize {
    usize::try_from(bytes.div_ceil(1_024)).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_holds_the_memory_of_what_has_come() {
        let all = Arc::new(Semaphore::new(4));
        let (mut first, mut second) = (Room::new(&all), Room::new(&all));
        assert!(first.grow(1) && first.grow(1_024) && second.grow(2_048));
        assert_eq!(all.available_permits(), 1);
        assert!(first.grow(2_048) && !first.grow(2_049), "full");
        drop(second);
        assert!(first.grow(2_049));
        drop(first);
        assert_eq!(all.available_permits(), 4);
    }
}
