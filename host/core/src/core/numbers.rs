//! Numbers that policies know lanes and candidates by.
//!
//! The core and its driver name both by their place in the configuration, and another configuration can
//! give a place to something else. Policies keep state by id, so the ids that they see are never reused:
//! what stays by name keeps its number, what is new gets a fresh one.

use std::collections::BTreeMap;

/// Numbers by place.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    by_place: Vec<u32>,
    next: u32,
}

impl Numbers {
    /// So many, numbered by their places.
    pub(super) fn new(count: usize) -> Self {
        let next = count as u32;
        Self { by_place: (0..next).collect(), next }
    }

    /// The number of a place; `None` for one that the configuration does not have.
    pub(super) fn get(&self, place: u32) -> Option<u32> {
        self.by_place.get(place as usize).copied()
    }

    /// Goes over to `count` other places; `moves` says where those went that stay. Answers the numbers that
    /// are retired.
    pub(super) fn rearrange(
        &mut self,
        count: usize,
        moves: impl Iterator<Item = (u32, u32)>,
    ) -> Vec<u32> {
        let before: BTreeMap<u32, u32> = moves.map(|(old, new)| (new, old)).collect();
        let old = std::mem::take(&mut self.by_place);
        for place in 0..count as u32 {
            let kept = before.get(&place).and_then(|place| old.get(*place as usize));
            let number = kept.copied().unwrap_or_else(|| self.fresh());
            self.by_place.push(number);
        }
        old.into_iter().filter(|number| !self.by_place.contains(number)).collect()
    }

    fn fresh(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stays_keeps_its_number_and_none_comes_back() {
        let mut numbers = Numbers::new(2);
        assert_eq!(numbers.rearrange(2, [(1, 0)].into_iter()), [0]);
        assert_eq!((numbers.get(0), numbers.get(1)), (Some(1), Some(2)));
        assert_eq!(numbers.rearrange(0, std::iter::empty()), [1, 2]);
        assert_eq!(numbers.rearrange(1, std::iter::empty()), [0_u32; 0]);
        assert_eq!((numbers.get(0), numbers.get(1)), (Some(3), None));
    }
}
