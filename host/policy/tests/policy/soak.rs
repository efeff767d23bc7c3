//! Many swaps in one life.

use weir_core::Slot;
use weir_policy::Pace;

use crate::support::{Host, questions};

/// Pages of this process in memory.
fn resident() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    statm.split(' ').nth(1).unwrap().parse().unwrap()
}

#[test]
#[cfg(target_os = "linux")]
fn a_thousand_swaps_do_not_grow_memory() {
    let mut host = Host::new(Pace::Live);
    let mut swap = |times: u64| {
        for _ in 0..times {
            host.install(Slot::Limit, "");
            questions::ask(&mut host.slots, Slot::Limit).unwrap();
        }
        host.slots.events();
        resident()
    };
    let warm = swap(200);
    let after = swap(1_000);
    let grown = after.saturating_sub(warm) * 4;
    assert!(grown < 4 << 10, "{grown} KiB more after 1,000 swaps");
}
