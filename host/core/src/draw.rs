//! Chance that is the same in every replay.

use crate::policies::Slot;

/// A number for a policy's call: a pure function of the seed, the slot and the call's number.
///
/// It is the output of `SplitMix64` (Steele, Lea, Flood: "Fast splittable pseudorandom number generators",
/// OOPSLA 2014) at position `call` of a stream that the seed and the slot choose, so draws can be made in
/// any order and none depends on how many were made before.
#[must_use]
pub fn draw(seed: u64, slot: Slot, call: u64) -> u64 {
    let stream = mix(seed ^ mix((slot as u64).wrapping_add(1)));
    mix(stream.wrapping_add(call.wrapping_add(1).wrapping_mul(GOLDEN)))
}

/// 2^64 divided by the golden ratio, odd: the step of `SplitMix64`.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The finalizer of `SplitMix64`.
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equals_the_published_generator() {
        // The first outputs of SplitMix64 from state 0.
        assert_eq!(mix(GOLDEN), 0xe220_a839_7b1d_cdaf);
        assert_eq!(mix(GOLDEN.wrapping_mul(2)), 0x6e78_9e6a_a1b9_65f4);
    }

    #[test]
    fn differs_by_seed_slot_and_call() {
        let first = draw(7, Slot::Retry, 0);
        assert_eq!(first, draw(7, Slot::Retry, 0));
        assert_ne!(first, draw(8, Slot::Retry, 0));
        assert_ne!(first, draw(7, Slot::Route, 0));
        assert_ne!(first, draw(7, Slot::Retry, 1));
    }
}
