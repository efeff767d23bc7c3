//! How long a swap of the schedule policy holds up the line: the longest step, and the longest look at the
//! standby instance between two steps, while 100,000 requests wait and others come and go. The policies are
//! components, as in a live host. The target is a pause below a millisecond, in processor time of the scheduler's
//! thread, so that it says the same on a busy machine.

#![expect(clippy::expect_used, reason = "a benchmark that cannot run says where and stops")]

#[path = "support/crowd.rs"]
mod crowd;

use std::time::Duration;

use crowd::Crowd;
use rustix::time::{ClockId, clock_gettime};
use weir_core::{Policies as _, Slot};
use weir_policy::{Component, Engine, Options, Pace, Prepared, Slots, Source};

const WAITING: u64 = 100_000;
const SWAPS: [&str; 4] = ["schedule-drr", "schedule-vtc", "schedule-fifo", "schedule-drr"];
/// Items that are told between two steps, as the live driver does.
const SLICE: usize = 64;

fn prepared(engine: &Engine, name: &str) -> Prepared {
    let shipped = weir_shipped::find(name).expect("shipped");
    let component = Component::load(engine, shipped.wasm, Source::BuiltIn).expect("loads");
    Prepared::new(component, Slot::Schedule, String::new()).expect("starts")
}

/// The longest of many spans.
#[derive(Default)]
struct Longest(Duration, u64);

impl Longest {
    fn time<R>(&mut self, work: impl FnOnce() -> R) -> R {
        let start = processor_time();
        let result = work();
        self.0 = self.0.max(processor_time().saturating_sub(start));
        self.1 += 1;
        result
    }
}

fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}

/// Tells the standby instance a slice. True while there is more.
fn feed(crowd: &mut Crowd<Slots>) -> bool {
    crowd.core.maintain(crowd.now, &mut crowd.policies, &mut Vec::new(), SLICE)
}

fn main() {
    let engine = Engine::new(&Options { pace: Pace::Live, cache: None, seed: 1 }).expect("engine");
    let mut crowd = Crowd::new(Slots::default(), WAITING, 10);
    let mut quiet = Longest::default();
    (0..2_000).for_each(|_| quiet.time(|| crowd.admit()));
    println!("{WAITING} waiting; longest step without a swap: {:?}", quiet.0);
    for name in SWAPS {
        let ready = prepared(&engine, name);
        let (mut steps, mut slices) = (Longest::default(), Longest::default());
        steps.time(|| crowd.policies.swap(crowd.now, ready).expect("is taken"));
        while slices.time(|| feed(&mut crowd)) {
            steps.time(|| crowd.admit());
        }
        (0..100).for_each(|_| steps.time(|| crowd.admit()));
        assert_eq!(crowd.policies.standby(Slot::Schedule), None, "{name} has taken over");
        println!(
            "swap to {name}: {} slices; longest step {:?}, longest slice or take-over {:?}",
            slices.1, steps.0, slices.0
        );
    }
}
