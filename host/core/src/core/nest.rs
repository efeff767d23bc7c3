//! Parents that hold slots while their children wait for some.
//!
//! A parent in flight ends only when its children have. If parents took every slot of a cell, nobody
//! could ever go on. So the deepest get the last slots: where `d` is how deep an item stands below the
//! root of its tree and `D` the deepest nesting that waits or runs, though no more than is configured
//! ([`Line::max_nesting`](crate::config::Line::max_nesting)), an item may fill `limit - (D - d)` slots. An item whose own ancestors hold every slot can never go: it is refused at once.

use std::collections::BTreeMap;

use super::Core;
use crate::ids::CandidateId;
use crate::item::{Item, Place};

/// How many nested items of each depth there are, by upstream.
#[derive(Debug, Default)]
pub(super) struct Nest {
    depths: BTreeMap<usize, BTreeMap<u16, usize>>,
}

/// The deepest nesting that makes sense.
const MAX_DEPTH: u16 = 64;

impl Nest {
    fn add(&mut self, upstream: usize, depth: u16) {
        *self.depths.entry(upstream).or_default().entry(depth).or_default() += 1;
    }

    fn sub(&mut self, upstream: usize, depth: u16) {
        let Some(depths) = self.depths.get_mut(&upstream) else { return };
        let left = depths.get_mut(&depth).map_or(0, |count| {
            *count = count.saturating_sub(1);
            *count
        });
        if left == 0 {
            depths.remove(&depth);
        }
    }

    fn deepest(&self, upstream: usize) -> u16 {
        let depths = self.depths.get(&upstream);
        depths.and_then(|depths| depths.keys().next_back().copied()).unwrap_or(0)
    }
}

impl Core {
    /// Finds how deep an arriving item stands: below a parent that the core has.
    pub(super) fn place_in_tree(&self, item: &mut Item) {
        let parent = item.parent.and_then(|id| self.line.get(id));
        item.depth = parent.map_or(0, |parent| (parent.depth + 1).min(MAX_DEPTH));
    }

    pub(super) fn nest_enter(&mut self, item: &Item) {
        if item.depth > 0 {
            for upstream in self.upstreams_of(item) {
                self.nest.add(upstream, item.depth);
            }
        }
    }

    pub(super) fn nest_leave(&mut self, item: &Item) {
        if item.depth > 0 {
            for upstream in self.upstreams_of(item) {
                self.nest.sub(upstream, item.depth);
            }
        }
    }

    fn upstreams_of(&self, item: &Item) -> std::collections::BTreeSet<usize> {
        let lane = self.lane(item.lane);
        let ids = lane.map(|lane| lane.candidates.as_slice()).unwrap_or_default();
        ids.iter().filter_map(|id| self.topology.candidate(*id)).map(|c| c.upstream).collect()
    }

    /// Slots that an item must leave free for deeper ones.
    pub(super) fn spare(&self, item: &Item, candidate: CandidateId) -> u32 {
        let upstream = self.topology.candidate(candidate).map(|c| c.upstream);
        let deepest = upstream.map_or(0, |upstream| self.nest.deepest(upstream));
        u32::from(deepest.min(self.config.line.max_nesting).saturating_sub(item.depth))
    }

    /// The item's own ancestors in flight hold every slot of every candidate.
    pub(super) fn deadlocked(&self, item: &Item) -> bool {
        if item.depth == 0 {
            return false;
        }
        let Some(lane) = self.lane(item.lane) else { return false };
        lane.candidates.iter().all(|candidate| {
            let holding = self.ancestors_at(item, *candidate);
            let slots = self.ledger.slots_of(*candidate);
            let cell = slots.and_then(|cell| self.ledger.view(self.now, cell));
            cell.is_some_and(|cell| holding > 0 && holding >= cell.limit.max(1))
        })
    }

    /// Ancestors of an item that hold a slot of a candidate's account.
    fn ancestors_at(&self, item: &Item, candidate: CandidateId) -> u32 {
        let slots = self.ledger.slots_of(candidate);
        let mut next = item.parent;
        let mut holding = 0;
        for _ in 0..MAX_DEPTH {
            let Some(parent) = next.and_then(|id| self.line.get(id)) else { break };
            if let Place::Running(attempt) = parent.place {
                let attempt = self.attempts.get(attempt).filter(|attempt| !attempt.parked);
                holding += u32::from(attempt.is_some_and(|a| Some(a.held.slots()) == slots));
            }
            next = parent.parent;
        }
        holding
    }
}
