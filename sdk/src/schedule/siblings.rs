//! Flows that are siblings, and whose turn it is in each lane.

use std::collections::{BTreeMap, BTreeSet};

use super::Sharing;
use crate::types::{FlowId, LaneId};

/// Siblings, each with its account and the lanes in which it waits.
pub(super) struct Siblings<S: Sharing> {
    rule: S,
    /// The next place at the end of the ring.
    tail: u64,
    members: BTreeMap<FlowId, Member<S::Account>>,
    turns: Turns,
}

struct Member<A> {
    account: A,
    place: u64,
    /// The class of its head in each lane where it waits.
    heads: BTreeMap<LaneId, u8>,
}

/// Those that wait, in order.
#[derive(Default)]
struct Turns {
    /// In each lane: class of the head, turn by the rule, place in the ring.
    lanes: BTreeMap<LaneId, BTreeSet<(u8, i64, u64, FlowId)>>,
    /// Anywhere, by turn.
    anywhere: BTreeSet<(i64, FlowId)>,
}

impl<S: Sharing> Siblings<S> {
    pub(super) fn new(rule: S) -> Self {
        Self { rule, tail: 0, members: BTreeMap::new(), turns: Turns::default() }
    }

    /// Sets a member's weight; one that is new joins.
    pub(super) fn weigh(&mut self, id: FlowId, weight: u32) {
        self.change(id, |rule, member, _| rule.weigh(&mut member.account, weight.max(1)));
    }

    /// Takes units from a member, or gives them back.
    pub(super) fn charge(&mut self, id: FlowId, units: i64) {
        self.change(id, |rule, member, tail| {
            if rule.charge(&mut member.account, units) {
                member.place = tail;
            }
        });
    }

    /// Says the class of a member's head in a lane; `None` when it does not wait there.
    pub(super) fn show(&mut self, id: FlowId, lane: LaneId, head: Option<u8>) {
        if self.members.get(&id).and_then(|member| member.heads.get(&lane)).copied() == head {
            return;
        }
        let least = self.turns.least_but(id);
        self.change(id, |rule, member, tail| {
            let waited = !member.heads.is_empty();
            match head {
                Some(class) => member.heads.insert(lane, class),
                None => member.heads.remove(&lane),
            };
            match (waited, !member.heads.is_empty()) {
                (false, true) => {
                    member.place = tail;
                    rule.wait(&mut member.account, least);
                }
                (true, false) => rule.rest(&mut member.account),
                _ => {}
            }
        });
    }

    /// Gives a member its turn.
    pub(super) fn serve(&mut self, id: FlowId) {
        let Some(member) = self.members.get_mut(&id) else { return };
        let before = self.rule.turn(&member.account);
        self.rule.serve(&mut member.account);
        let now = self.rule.turn(&member.account);
        if now != before {
            self.turns.remove(id, member, before);
            self.turns.insert(id, member, now);
        }
    }

    /// An item of a member starts that nobody picked. A member that does not wait comes and goes at once;
    /// it has its turn when nobody else waits for one.
    pub(super) fn pass(&mut self, id: FlowId) {
        let least = self.turns.least_but(id);
        let waits = self.waits(id);
        if !waits {
            self.change(id, |rule, member, _| rule.wait(&mut member.account, least));
        }
        if least.is_none() {
            self.serve(id);
        }
        if !waits {
            self.change(id, |rule, member, _| rule.rest(&mut member.account));
        }
    }

    /// Drops a member that will never return.
    pub(super) fn remove(&mut self, id: FlowId) {
        if let Some(member) = self.members.remove(&id) {
            self.turns.remove(id, &member, self.rule.turn(&member.account));
        }
    }

    /// Those that wait in a lane, in the order of their turns.
    pub(super) fn order(&self, lane: LaneId) -> impl Iterator<Item = FlowId> {
        self.turns.lanes.get(&lane).into_iter().flatten().map(|(.., id)| *id)
    }

    /// All members.
    pub(super) fn members(&self) -> impl Iterator<Item = FlowId> {
        self.members.keys().copied()
    }

    /// Whether a member waits anywhere.
    pub(super) fn waits(&self, id: FlowId) -> bool {
        self.members.get(&id).is_some_and(|member| !member.heads.is_empty())
    }

    /// Where the members stand, of whom it is worth keeping.
    pub(super) fn standings(&self) -> impl Iterator<Item = (FlowId, i64)> {
        self.members.iter().filter_map(|(id, member)| {
            let waits = !member.heads.is_empty();
            self.rule.standing(&member.account, waits).map(|standing| (*id, standing))
        })
    }

    /// Takes over the standings of members that are known.
    pub(super) fn adopt(&mut self, standings: &[(FlowId, i64)]) {
        for &(id, standing) in standings {
            if self.members.contains_key(&id) {
                self.change(id, |rule, member, _| rule.adopt(&mut member.account, standing));
            }
        }
    }

    /// Changes a member, or one that joins with it, and puts it where it then belongs.
    fn change(&mut self, id: FlowId, change: impl FnOnce(&mut S, &mut Member<S::Account>, u64)) {
        self.tail += 1;
        let Self { rule, tail, members, turns } = self;
        let member = members.entry(id).or_insert_with(|| Member {
            account: rule.join(),
            place: *tail,
            heads: BTreeMap::new(),
        });
        turns.remove(id, member, rule.turn(&member.account));
        change(rule, member, *tail);
        turns.insert(id, member, rule.turn(&member.account));
    }
}

impl Turns {
    fn insert<A>(&mut self, id: FlowId, member: &Member<A>, turn: i64) {
        for (lane, class) in &member.heads {
            self.lanes.entry(*lane).or_default().insert((*class, turn, member.place, id));
        }
        if !member.heads.is_empty() {
            self.anywhere.insert((turn, id));
        }
    }

    fn remove<A>(&mut self, id: FlowId, member: &Member<A>, turn: i64) {
        for (lane, class) in &member.heads {
            if let Some(turns) = self.lanes.get_mut(lane) {
                turns.remove(&(*class, turn, member.place, id));
                if turns.is_empty() {
                    self.lanes.remove(lane);
                }
            }
        }
        self.anywhere.remove(&(turn, id));
    }

    /// The earliest turn of those that wait, without one of them.
    fn least_but(&self, id: FlowId) -> Option<i64> {
        self.anywhere.iter().find(|(_, other)| *other != id).map(|(turn, _)| *turn)
    }
}
