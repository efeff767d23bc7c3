//! A run with the shipped policies, replayed from its trace.

use weir_core::trace::replay;
use weir_native::Native;

use crate::chaos::record;

#[test]
fn a_recorded_run_of_the_shipped_policies_replays_to_the_same_outputs() {
    for seed in [1, 2, 3] {
        let mut policies = Native::start().expect("defaults");
        let (trace, outputs) = record(seed, &mut policies, |_, _| {});
        assert!(outputs.len() > 50, "seed {seed} gave only {} outputs", outputs.len());
        let replayed = replay(trace.as_slice()).expect("the same outputs");
        assert_eq!(replayed.outputs, outputs, "seed {seed}");
    }
}
