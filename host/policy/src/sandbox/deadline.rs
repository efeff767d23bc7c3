//! When a call has run too long, and what it has used, in a live host.
//!
//! Ticks of the engine's epoch are wall time. On a busy machine the scheduler's thread may be put aside in
//! the middle of a good call, and a policy must not be blamed for that. So the first tick that a call lives to see
//! counts as it comes, and after it the processor time of this thread decides, with a cap on ticks. The
//! common call is over before its first tick and costs no look at that clock.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use wasmtime::{Result, Trap, UpdateDeadline};

use crate::meter::EACH;

/// What one call may take: a call that only runs ends between this and twice this.
pub(crate) const CALL: Duration = Duration::from_millis(5);
/// How often the epoch moves. Each tick wakes a thread and takes about 14 us of a processor: every 2.5 ms, that
/// came to as much as a tenth of a busy host's calls.
pub(crate) const TICK: Duration = CALL;
/// Ticks that pass before anybody looks.
pub(crate) const FIRST: u64 = 1;
/// Processor time that a call may use after the first look: less than a tick, so that the second look ends a
/// call that ran through, and enough that one which was put aside goes on.
const REST: Duration = Duration::from_micros(2_500);
/// Ticks in which a call runs before it ends, whatever it used.
const CAP: u32 = 20;

#[derive(Default)]
pub(crate) struct Deadline {
    /// The thread's processor time at the first look.
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

    /// What a call that took so long, if it was timed, has used, with the untimed ones for which it stands: no
    /// more than a tick of the time before the first look, since running longer it would have been looked at.
    /// One that was looked at, or put aside, stands for itself.
    pub(crate) fn used(&self, took: Option<Duration>) -> Duration {
        match self.looked {
            Some(since) => {
                let used = TICK + processor_time().saturating_sub(since);
                took.unwrap_or(used).min(used)
            }
            None => match took.unwrap_or_default() {
                took if took > TICK => TICK,
                took => took * EACH,
            },
        }
    }
}

fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let (seconds, nanos) = (u64::try_from(time.tv_sec), u32::try_from(time.tv_nsec));
    Duration::new(seconds.unwrap_or(0), nanos.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_was_put_aside_has_not_used_that_time() {
        let long = Duration::from_secs(60);
        let mut deadline = Deadline::default();
        assert_eq!(deadline.used(Some(long)), TICK);
        assert!(deadline.passed().is_ok(), "the first look ends nothing");
        assert!((TICK..long).contains(&deadline.used(Some(long))));
    }

    #[test]
    fn a_timed_call_stands_for_others_and_one_that_was_looked_at_for_itself() {
        let micro = Duration::from_micros(1);
        let mut deadline = Deadline::default();
        assert_eq!(
            [Some(micro), None].map(|took| deadline.used(took)),
            [micro * EACH, Duration::ZERO]
        );
        assert!(deadline.passed().is_ok());
        assert_eq!(deadline.used(Some(micro)), micro);
        assert!(deadline.used(None) >= TICK);
    }

    #[test]
    fn processor_time_ends_a_call() {
        let mut deadline = Deadline::default();
        let ticks = std::iter::repeat_with(|| deadline.passed()).take_while(Result::is_ok).count();
        assert!(ticks <= CAP as usize);
        let mut deadline = Deadline { looked: Some(Duration::ZERO), ticks: 1 };
        while processor_time() < REST {}
        assert!(deadline.passed().is_err());
    }
}
