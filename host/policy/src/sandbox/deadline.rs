//! When a call has run too long, in a live host.
//!
//! Ticks of the engine's epoch are wall time. On a busy machine the scheduler's thread may be put aside in
//! the middle of a good call, and a policy must not be blamed for that. So the first [`WALL`] ticks count as
//! they come, and after them the processor time of this thread decides, with a cap in wall time.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use wasmtime::{Result, Trap, UpdateDeadline};

/// What one call may take.
pub(crate) const CALL: Duration = Duration::from_millis(5);
/// Ticks of a millisecond that pass before anybody looks: at least two milliseconds.
pub(crate) const WALL: u64 = 3;
/// Processor time that a call may use after that.
const REST: Duration = Duration::from_millis(3);
/// Ticks after which a call ends whatever it used.
const CAP: u32 = 100;

#[derive(Default)]
pub(crate) struct Deadline {
    /// The thread's processor time when the first ticks had passed.
    looked: Option<Duration>,
    ticks: u32,
}

impl Deadline {
    /// The epoch's deadline has passed.
    pub(crate) fn passed(&mut self) -> Result<UpdateDeadline> {
        self.ticks += 1;
        let used = processor_time();
        let since = *self.looked.get_or_insert(used);
        if used.saturating_sub(since) >= REST || self.ticks > CAP {
            return Err(Trap::Interrupt.into());
        }
        Ok(UpdateDeadline::Continue(1))
    }
}

fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let (seconds, nanos) = (u64::try_from(time.tv_sec), u32::try_from(time.tv_nsec));
    Duration::new(seconds.unwrap_or(0), nanos.unwrap_or(0))
}
