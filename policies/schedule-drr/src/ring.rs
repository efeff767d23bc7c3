//! Flows that are siblings, and whose turn it is in each lane.

use std::collections::{BTreeMap, BTreeSet};

use weir_sdk::types::{FlowId, LaneId};

use crate::account::Account;

/// Whose turn it is: class of the head, round in which it is eligible, place in the ring.
type Turn = (u8, u64, u64, FlowId);

/// Siblings, each with its account and the lanes in which it waits.
pub(crate) struct Ring {
    quantum: i64,
    round: u64,
    /// The next place at the end of the ring.
    tail: u64,
    members: BTreeMap<FlowId, Member>,
    lanes: BTreeMap<LaneId, BTreeSet<Turn>>,
}

struct Member {
    account: Account,
    place: u64,
    /// The class of its head in each lane where it waits.
    heads: BTreeMap<LaneId, u8>,
}

impl Member {
    fn turn(&self, id: FlowId, class: u8) -> Turn {
        (class, self.account.eligible(), self.place, id)
    }
}

impl Ring {
    pub(crate) fn new(quantum: i64) -> Self {
        Self { quantum, round: 0, tail: 0, members: BTreeMap::new(), lanes: BTreeMap::new() }
    }

    /// Sets a member's weight; one that is new joins.
    pub(crate) fn weigh(&mut self, id: FlowId, weight: u32) {
        let grant = self.quantum.saturating_mul(weight.max(1).into());
        self.change(id, |member, round| member.account.set_grant(round, grant));
    }

    /// Takes units from a member, or gives them back. When its credit is used up it goes to the tail.
    pub(crate) fn charge(&mut self, id: FlowId, units: i64) {
        let tail = self.next_place();
        self.change(id, |member, round| {
            let had = member.account.deficit(round) > 0;
            member.account.charge(round, units);
            if had && member.account.deficit(round) <= 0 {
                member.place = tail;
            }
        });
    }

    /// Says the class of a member's head in a lane; `None` when it does not wait there.
    pub(crate) fn show(&mut self, id: FlowId, lane: LaneId, head: Option<u8>) {
        if self.members.get(&id).and_then(|member| member.heads.get(&lane)).copied() == head {
            return;
        }
        let tail = self.next_place();
        self.change(id, |member, round| {
            if member.heads.is_empty() {
                member.place = tail;
            }
            match head {
                Some(class) => member.heads.insert(lane, class),
                None => member.heads.remove(&lane),
            };
            member.account.set_active(round, !member.heads.is_empty());
        });
    }

    /// Drops a member that will never return.
    pub(crate) fn remove(&mut self, id: FlowId) {
        if let Some(member) = self.members.remove(&id) {
            self.unlink(id, &member);
        }
    }

    /// Those that wait in a lane, in the order of their turns.
    pub(crate) fn order(&self, lane: LaneId) -> impl Iterator<Item = FlowId> {
        self.lanes.get(&lane).into_iter().flatten().map(|(.., id)| *id)
    }

    /// All members.
    pub(crate) fn members(&self) -> impl Iterator<Item = FlowId> {
        self.members.keys().copied()
    }

    /// Gives a member its turn: the rounds until then have passed.
    pub(crate) fn take_turn(&mut self, id: FlowId) {
        if let Some(member) = self.members.get(&id) {
            self.round = self.round.max(member.account.eligible());
        }
    }

    /// Whether a member waits anywhere.
    pub(crate) fn waits(&self, id: FlowId) -> bool {
        self.members.get(&id).is_some_and(|member| !member.heads.is_empty())
    }

    /// The deficits that are not zero.
    pub(crate) fn deficits(&self) -> Vec<(FlowId, i64)> {
        let deficit = |(id, member): (&FlowId, &Member)| (*id, member.account.deficit(self.round));
        self.members.iter().map(deficit).filter(|(_, deficit)| *deficit != 0).collect()
    }

    /// Takes over the deficits of members that are known.
    pub(crate) fn adopt(&mut self, deficits: &[(FlowId, i64)]) {
        for (id, deficit) in deficits {
            if let Some(member) = self.members.get(id) {
                let units = member.account.deficit(self.round).saturating_sub(*deficit);
                self.charge(*id, units);
            }
        }
    }

    fn next_place(&mut self) -> u64 {
        self.tail += 1;
        self.tail
    }

    /// Changes a member, or one that joins with it, and puts it where it then belongs.
    fn change(&mut self, id: FlowId, change: impl FnOnce(&mut Member, u64)) {
        let tail = self.next_place();
        let mut member = self.members.remove(&id).unwrap_or_else(|| Member {
            account: Account::new(self.quantum, self.round),
            place: tail,
            heads: BTreeMap::new(),
        });
        self.unlink(id, &member);
        change(&mut member, self.round);
        for (lane, class) in &member.heads {
            self.lanes.entry(*lane).or_default().insert(member.turn(id, *class));
        }
        self.members.insert(id, member);
    }

    fn unlink(&mut self, id: FlowId, member: &Member) {
        for (lane, class) in &member.heads {
            let turn = member.turn(id, *class);
            if let Some(turns) = self.lanes.get_mut(lane) {
                turns.remove(&turn);
                if turns.is_empty() {
                    self.lanes.remove(lane);
                }
            }
        }
    }
}
