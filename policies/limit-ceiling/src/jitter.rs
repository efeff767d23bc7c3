//! Spread without chance: a span is shortened by a hash of the cell and a counter.
//!
//! A limit policy is given no random draw. Hosts that share a provider's limit number their cells alike, so
//! what keeps their probes apart is that their counters differ after the first few.

use weir_sdk::{Draw, Micros};

/// The share of a span that is spread.
const SPREAD: f64 = 0.2;

/// The span, shortened by less than a fifth.
pub(crate) fn shorten(span: Micros, cell: u32, count: u32) -> Micros {
    let unit = Draw(mix(u64::from(cell) << 32 | u64::from(count))).unit();
    span.scale(1.0 - SPREAD * unit)
}

/// The finalizer of SplitMix64 (Steele, Lea and Flood, 2014), which spreads every bit of its input.
fn mix(seed: u64) -> u64 {
    let a = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let b = (a ^ (a >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let c = (b ^ (b >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    c ^ (c >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_keep_four_fifths_and_differ() {
        let span = Micros::from_secs(30);
        let spans: Vec<Micros> = (0..100).map(|count| shorten(span, 3, count)).collect();
        assert!(spans.iter().all(|short| *short > Micros::from_secs(24) && *short <= span));
        let early = spans.iter().filter(|short| **short < Micros::from_secs(27)).count();
        assert!((30..=70).contains(&early), "{early} of 100 in the lower half");
        assert_ne!(shorten(span, 3, 0), shorten(span, 4, 0));
    }
}
