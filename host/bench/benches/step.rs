//! What one admission costs: a request arrives, another ends, and the next one starts.
//!
//! The cost must not depend on how many wait: with 100,000 at most one and a half times that with 1,000.
//! Groups hold the fallback and native schedules, so that one run shows each ratio.

#![expect(clippy::expect_used, reason = "a benchmark that cannot run says where and stops")]

#[path = "support/crowd.rs"]
mod crowd;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use crowd::Crowd;
use weir_core::{Fallback, Policies, Slot};
use weir_native::Native;
use weir_sdk::native;
use weir_sdk::schedule::Schedule;

/// The shipped policies with a limit that stays.
fn drr() -> Native {
    let steady = |slot| if slot == Slot::Limit { r#"{"most": 8}"# } else { "" };
    Native::with(steady).expect("sound settings")
}

/// The same with another schedule.
fn with<P: Schedule>() -> Native {
    let schedule = native::schedule::<P>("", 0).expect("defaults");
    Native { schedule, ..drr() }
}

fn group<P: Policies>(criterion: &mut Criterion, name: &str, make: impl Fn() -> P) {
    let mut group = criterion.benchmark_group(name);
    for (waiting, tenants) in [(1_000, 10), (100_000, 10), (1_000, 2_000)] {
        let mut crowd = Crowd::new(make(), waiting, tenants);
        let id = BenchmarkId::new(format!("{tenants} tenants"), waiting);
        group.bench_function(id, |bencher| bencher.iter(|| crowd.admit()));
    }
    group.finish();
}

fn admission(criterion: &mut Criterion) {
    group(criterion, "fallback", Fallback::new);
    group(criterion, "drr", drr);
    group(criterion, "vtc", with::<schedule_vtc::Vtc>);
    group(criterion, "fifo", with::<schedule_fifo::Fifo>);
    group(criterion, "edf", with::<schedule_edf::Edf>);
}

criterion_group!(benches, admission);
criterion_main!(benches);
