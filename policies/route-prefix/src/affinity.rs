//! Where prefixes were last sent.

use std::collections::{BTreeMap, BTreeSet};

use weir_sdk::Micros;
use weir_sdk::types::CandidateId;

/// Known prefixes, bounded in number and age.
#[derive(Debug)]
pub(crate) struct Affinity {
    keep: Micros,
    most: usize,
    by_prefix: BTreeMap<u64, Bond>,
    /// The same, by last use.
    by_use: BTreeSet<(Micros, u64)>,
}

/// A prefix's candidate.
#[derive(Clone, Copy, Debug)]
struct Bond {
    candidate: CandidateId,
    used: Micros,
}

impl Affinity {
    /// Keeps `most` prefixes at most, each for `keep` after its last use.
    pub(crate) fn new(keep: Micros, most: usize) -> Self {
        Self { keep, most, by_prefix: BTreeMap::new(), by_use: BTreeSet::new() }
    }

    /// The candidate of the longest prefix that is known; the longest stands last.
    pub(crate) fn find(&self, now: Micros, prefixes: &[u64]) -> Option<CandidateId> {
        prefixes.iter().rev().find_map(|prefix| self.live(now, *prefix)).map(|bond| bond.candidate)
    }

    fn live(&self, now: Micros, prefix: u64) -> Option<Bond> {
        let bond = self.by_prefix.get(&prefix).copied()?;
        (now - bond.used < self.keep).then_some(bond)
    }

    /// Prefixes are sent to a candidate. One that is known elsewhere stays there.
    pub(crate) fn note(&mut self, now: Micros, prefixes: &[u64], candidate: CandidateId) {
        for prefix in prefixes {
            let elsewhere = |bond: Bond| bond.candidate != candidate;
            if self.live(now, *prefix).is_some_and(elsewhere) {
                continue;
            }
            if let Some(old) = self.by_prefix.insert(*prefix, Bond { candidate, used: now }) {
                self.by_use.remove(&(old.used, *prefix));
            }
            self.by_use.insert((now, *prefix));
        }
        self.drop_old(now);
    }

    /// Drops what is out of date, and the longest unused of what is too many.
    fn drop_old(&mut self, now: Micros) {
        while let Some((used, prefix)) = self.by_use.first().copied() {
            if self.by_use.len() <= self.most && now - used < self.keep {
                return;
            }
            self.by_use.pop_first();
            self.by_prefix.remove(&prefix);
        }
    }

    /// A candidate is gone.
    pub(crate) fn forget(&mut self, candidate: CandidateId) {
        let by_use = &mut self.by_use;
        self.by_prefix.retain(|prefix, bond| {
            let stays = bond.candidate != candidate;
            if !stays {
                by_use.remove(&(bond.used, *prefix));
            }
            stays
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn affinity(most: usize) -> Affinity {
        Affinity::new(Micros(100), most)
    }

    #[test]
    fn the_longest_known_prefix_decides() {
        let mut affinity = affinity(10);
        affinity.note(Micros(0), &[1], 7);
        affinity.note(Micros(0), &[1, 2], 8);
        assert_eq!(affinity.find(Micros(1), &[1, 9]), Some(7));
        assert_eq!(affinity.find(Micros(1), &[1, 2, 3]), Some(8));
        assert_eq!(affinity.find(Micros(1), &[9]), None);
    }

    #[test]
    fn a_prefix_is_forgotten_some_time_after_its_last_use() {
        let mut affinity = affinity(10);
        affinity.note(Micros(0), &[1], 7);
        affinity.note(Micros(60), &[1], 7);
        assert_eq!(affinity.find(Micros(159), &[1]), Some(7));
        assert_eq!(affinity.find(Micros(160), &[1]), None);
        affinity.note(Micros(160), &[1], 8);
        assert_eq!(affinity.find(Micros(161), &[1]), Some(8));
    }

    #[test]
    fn use_elsewhere_neither_moves_a_prefix_nor_keeps_it() {
        let mut affinity = affinity(10);
        affinity.note(Micros(0), &[1], 7);
        affinity.note(Micros(50), &[1, 2], 8);
        assert_eq!(affinity.find(Micros(99), &[1]), Some(7));
        assert_eq!(affinity.find(Micros(99), &[1, 2]), Some(8));
        assert_eq!(affinity.find(Micros(100), &[1]), None);
    }

    #[test]
    fn the_longest_unused_gives_way_and_both_tables_agree() {
        let mut affinity = affinity(3);
        for (at, prefix) in [(1, 10), (2, 20), (3, 30), (4, 10), (5, 40)] {
            affinity.note(Micros(at), &[prefix], 1);
        }
        let known: Vec<_> = affinity.by_prefix.keys().copied().collect();
        assert_eq!(known, [10, 30, 40]);
        assert_eq!(affinity.by_use.len(), 3);
        affinity.note(Micros(500), &[50], 2);
        assert_eq!((affinity.by_prefix.len(), affinity.by_use.len()), (1, 1));
    }

    #[test]
    fn a_candidate_that_is_gone_takes_its_prefixes_along() {
        let mut affinity = affinity(10);
        affinity.note(Micros(0), &[1], 7);
        affinity.note(Micros(0), &[2], 8);
        affinity.forget(7);
        assert_eq!(affinity.find(Micros(1), &[1]), None);
        assert_eq!(affinity.find(Micros(1), &[2]), Some(8));
        assert_eq!(affinity.by_use.len(), 1);
    }
}
