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
    pub(crate) watchers: Arc<Semaphore>,
    /// Readers of events are to leave.
    pub(crate) stop: CancellationToken,
    /// KiB for bodies that are read, wait or are sent.
    bodies: Arc<Semaphore>,
    tickets: AtomicU64,
    draining: AtomicBool,
}

/// Readers of events at once.
const MAX_WATCHERS: usize = 64;

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
            watchers: Arc::new(Semaphore::new(MAX_WATCHERS)),
            stop: CancellationToken::new(),
            bodies: Arc::new(Semaphore::new(
                kib(settings.line.max_bytes).saturating_mul(2).min(Semaphore::MAX_PERMITS),
            )),
            tickets: AtomicU64::new(1),
            draining: AtomicBool::new(false),
            settings,
        }
    }

    /// Memory for a body, if there is some: twice what may wait in line, since as much may be under way.
    pub(crate) fn room(&self, bytes: usize) -> Option<OwnedSemaphorePermit> {
        let kib = u32::try_from(kib(bytes as u64)).ok()?;
        Arc::clone(&self.bodies).try_acquire_many_owned(kib).ok()
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

/// Gives back what a body did not need of the memory that was taken for it.
pub(crate) fn shrink(room: &mut OwnedSemaphorePermit, bytes: usize) {
    let spare = room.num_permits().saturating_sub(kib(bytes as u64));
    drop(room.split(spare));
}

fn kib(bytes: u64) -> usize {
    usize::try_from(bytes.div_ceil(1_024)).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_keeps_the_memory_that_it_needs() {
        let all = Arc::new(Semaphore::new(10));
        let mut room = Arc::clone(&all).try_acquire_many_owned(8).unwrap();
        shrink(&mut room, 1_025);
        assert_eq!((room.num_permits(), all.available_permits()), (2, 8));
        shrink(&mut room, 4_096);
        assert_eq!(room.num_permits(), 2);
        drop(room);
        assert_eq!(all.available_permits(), 10);
    }
}
