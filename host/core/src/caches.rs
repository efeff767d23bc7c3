//! What the prompt caches of candidates are thought to hold.
//!
//! A provider keeps the prefix of a prompt for some minutes after its last use and reads it from there when
//! the next prompt starts alike. It tells how much it read afterwards; a route wants to know it before. So the
//! prefixes of answered requests are kept here for each candidate. A prefix is known by its hash alone: how
//! long it is follows from the requests that had it, since it is no longer than the shortest of them.
//! The figure is therefore the most that the cache can give.

use std::collections::{BTreeMap, BTreeSet};

use crate::ids::CandidateId;
use crate::units::{Micros, Tokens};

/// How long a provider is taken to keep a prefix after its last use: what Anthropic promises, and OpenAI at least.
const KEEP: Micros = Micros::from_secs(300);
/// Prefixes kept for one candidate; the one that was not used for longest goes first.
const MOST: usize = 8_192;
/// Providers put no shorter prompt into their caches.
const LEAST: Tokens = Tokens(1_024);

/// The caches of all candidates.
#[derive(Debug, Default)]
pub(crate) struct Caches {
    by_candidate: BTreeMap<CandidateId, Cache>,
}

#[derive(Debug, Default)]
struct Cache {
    by_prefix: BTreeMap<u64, Kept>,
    /// The same, by last use.
    by_use: BTreeSet<(Micros, u64)>,
}

#[derive(Clone, Copy, Debug)]
struct Kept {
    /// No more than this.
    tokens: Tokens,
    used: Micros,
}

impl Caches {
    /// A candidate has answered a request of so many input tokens. Its longest prefix stands last.
    pub(crate) fn note(&mut self, now: Micros, id: CandidateId, prefixes: &[u64], input: Tokens) {
        if prefixes.is_empty() || input < LEAST {
            return;
        }
        let cache = self.by_candidate.entry(id).or_default();
        for prefix in prefixes {
            cache.note(now, *prefix, input);
        }
        cache.drop_old(now);
    }

    /// The most of a prompt that a candidate's cache can give: its longest prefix that is known there.
    pub(crate) fn hold(&self, now: Micros, id: CandidateId, prefixes: &[u64]) -> Tokens {
        let Some(cache) = self.by_candidate.get(&id) else { return Tokens::ZERO };
        let known = prefixes.iter().rev().find_map(|prefix| cache.live(now, *prefix));
        known.map_or(Tokens::ZERO, |kept| kept.tokens)
    }

    /// Candidates got other ids.
    pub(crate) fn renumber(&mut self, map: &BTreeMap<CandidateId, CandidateId>) {
        let old = std::mem::take(&mut self.by_candidate);
        let moved = old.into_iter().filter_map(|(id, cache)| Some((*map.get(&id)?, cache)));
        self.by_candidate = moved.collect();
    }
}

impl Cache {
    fn live(&self, now: Micros, prefix: u64) -> Option<Kept> {
        self.by_prefix.get(&prefix).copied().filter(|kept| now.minus(kept.used) < KEEP)
    }

    fn note(&mut self, now: Micros, prefix: u64, input: Tokens) {
        let tokens = self.live(now, prefix).map_or(input, |kept| kept.tokens.min(input));
        if let Some(old) = self.by_prefix.insert(prefix, Kept { tokens, used: now }) {
            self.by_use.remove(&(old.used, prefix));
        }
        self.by_use.insert((now, prefix));
    }

    fn drop_old(&mut self, now: Micros) {
        while let Some((used, prefix)) = self.by_use.first().copied() {
            if self.by_use.len() <= MOST && now.minus(used) < KEEP {
                return;
            }
            self.by_use.pop_first();
            self.by_prefix.remove(&prefix);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: CandidateId = CandidateId(0);

    fn noted(entries: &[(u64, &[u64], u64)]) -> Caches {
        let mut caches = Caches::default();
        for (at, prefixes, input) in entries {
            caches.note(Micros::from_secs(*at), HERE, prefixes, Tokens(*input));
        }
        caches
    }

    fn hold(caches: &Caches, at: u64, prefixes: &[u64]) -> u64 {
        caches.hold(Micros::from_secs(at), HERE, prefixes).0
    }

    #[test]
    fn the_longest_known_prefix_counts_and_is_no_longer_than_the_shortest_prompt_with_it() {
        let caches = noted(&[(0, &[1, 2], 5_000), (1, &[1, 3], 2_000)]);
        assert_eq!(hold(&caches, 2, &[1, 2, 9]), 5_000);
        assert_eq!(hold(&caches, 2, &[1, 8]), 2_000);
        assert_eq!(hold(&caches, 2, &[7]), 0);
        assert_eq!(hold(&caches, 2, &[]), 0);
        assert_eq!(caches.hold(Micros::ZERO, CandidateId(1), &[1]), Tokens::ZERO);
    }

    #[test]
    fn a_prefix_is_kept_for_five_minutes_after_its_last_use() {
        let caches = noted(&[(0, &[1, 2], 5_000), (200, &[1, 3], 6_000)]);
        assert_eq!((hold(&caches, 299, &[1, 2]), hold(&caches, 300, &[1, 2])), (5_000, 5_000));
        assert_eq!((hold(&caches, 300, &[2]), hold(&caches, 499, &[1])), (0, 5_000));
        assert_eq!(hold(&caches, 500, &[1, 3]), 0);
    }

    #[test]
    fn short_prompts_are_not_cached() {
        assert_eq!(hold(&noted(&[(0, &[1], 1_023)]), 1, &[1]), 0);
        assert_eq!(hold(&noted(&[(0, &[1], 1_024)]), 1, &[1]), 1_024);
    }

    #[test]
    fn it_is_bounded_and_the_longest_unused_goes_first() {
        let mut caches = Caches::default();
        for prefix in 0..=MOST as u64 {
            caches.note(Micros(prefix), HERE, &[prefix], Tokens(2_000));
        }
        assert_eq!((hold(&caches, 1, &[0]), hold(&caches, 1, &[1])), (0, 2_000));
        let cache = &caches.by_candidate[&HERE];
        assert_eq!((cache.by_prefix.len(), cache.by_use.len()), (MOST, MOST));
    }

    #[test]
    fn what_is_known_moves_with_its_candidate() {
        let mut caches = noted(&[(0, &[1], 5_000)]);
        caches.renumber(&[(HERE, CandidateId(4))].into());
        assert_eq!(hold(&caches, 1, &[1]), 0);
        assert_eq!(caches.hold(Micros(1), CandidateId(4), &[1]), Tokens(5_000));
    }
}
