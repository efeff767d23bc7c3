//! Counts over the last so-long, in slots of time.

use crate::units::Micros;

/// A sum over a sliding window of `N` slots. Exact to one slot's width: what is older than the window by
/// less than that may still count. Time does not go back.
#[derive(Clone, Debug)]
pub(crate) struct Ring<const N: usize> {
    counts: [u64; N],
    /// Width of a slot in microseconds.
    width: u64,
    /// The number of the newest slot since the host's start.
    newest: u64,
}

impl<const N: usize> Ring<N> {
    /// Counts over `window`.
    pub(crate) fn new(window: Micros) -> Self {
        Self { counts: [0; N], width: (window.0 / N as u64).max(1), newest: 0 }
    }

    /// Counts `n` more.
    pub(crate) fn add(&mut self, now: Micros, n: u64) {
        self.advance(now);
        let slot = self.place(self.newest);
        self.counts[slot] = self.counts[slot].saturating_add(n);
    }

    /// The sum of the window that ends now.
    pub(crate) fn total(&self, now: Micros) -> u64 {
        let gone = (now.0 / self.width).saturating_sub(self.newest);
        if gone >= N as u64 {
            return 0;
        }
        let kept = N as u64 - gone;
        (0..kept.min(self.newest + 1)).map(|age| self.counts[self.place(self.newest - age)]).sum()
    }

    fn advance(&mut self, now: Micros) {
        let slot = (now.0 / self.width).max(self.newest);
        let stale = (slot - self.newest).min(N as u64);
        for step in 0..stale {
            let at = self.place(slot - step);
            self.counts[at] = 0;
        }
        self.newest = slot;
    }

    fn place(&self, slot: u64) -> usize {
        (slot % N as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forgets_what_is_older_than_its_window() {
        let mut ring = Ring::<10>::new(Micros::SECOND);
        ring.add(Micros(50_000), 3);
        ring.add(Micros(950_000), 4);
        assert_eq!(ring.total(Micros(999_999)), 7);
        assert_eq!(ring.total(Micros(1_000_000)), 4);
        assert_eq!(ring.total(Micros(1_899_999)), 4);
        assert_eq!(ring.total(Micros(1_900_000)), 0);
        ring.add(Micros(9_000_000), 1);
        assert_eq!(ring.total(Micros(9_000_000)), 1);
    }
}
