//! Picks: lane by lane, a schedule proposes and the host checks.

use weir_sdk::codes::left;
use weir_sdk::schedule;

use super::{Core, Io, MAX_PROPOSALS};
use crate::group::OVERDUE_COST;
use crate::ids::{CandidateId, GroupId, ItemId, LaneId};
use crate::item::{Item, Place};
use crate::policies::Slot;
use crate::timers::Due;
use crate::units::Micros;

/// How long a schedule may be idle while items wait and there is room for them. Longer is nonsense, so
/// that a policy that swallows items cannot starve a lane.
pub(super) const IDLE_BOUND: Micros = Micros::SECOND;
/// So many items at most are started without asking the schedule, when there is room for all.
const MAX_UNCONTESTED: usize = 16;
/// Items that may be set aside beside one held head.
const MAX_ASIDE: usize = 64;

/// What a look at a lane came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// An item was proposed; the lane may have room for more.
    Proposed,
    /// Nothing more for now.
    Done,
}

/// Who proposed an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Proposer {
    /// The schedule policy, whose line it has left.
    Policy,
    /// The host, because it has waited too long.
    Overdue,
    /// The host, because all that wait have room. The schedule has not been told of it.
    Uncontested,
    /// The host's own order, in the policy's stead.
    Fallback,
}

impl Core {
    /// Looks at lanes until none has room, or the step has looked at enough proposals.
    pub(super) fn picks(&mut self, io: &mut Io<'_>) {
        let mut left = MAX_PROPOSALS;
        for group in self.groups.keys().copied().collect::<Vec<_>>() {
            self.hand_over_if_needed(io, group);
            self.pick_group(io, group, &mut left);
        }
        self.more |= left == 0;
    }

    /// Items that arrive while nothing can go are told when something can, or once there are many.
    fn hand_over_if_needed(&mut self, io: &mut Io<'_>, id: GroupId) {
        let many = self.groups.get(&id).is_some_and(|group| group.events.len() >= 512);
        if many {
            self.hand_over(io, id);
        }
    }

    fn pick_group(&mut self, io: &mut Io<'_>, id: GroupId, left: &mut u32) {
        let Some(group) = self.groups.get_mut(&id) else { return };
        let mut lanes = group.lanes.clone();
        let count = lanes.len().max(1);
        lanes.rotate_left(group.turn % count);
        group.turn = (group.turn + 1) % count;
        while !lanes.is_empty() && *left > 0 {
            let mut again = Vec::new();
            for lane in lanes {
                if *left == 0 {
                    return;
                }
                if self.look(io, lane) == Look::Proposed {
                    *left -= 1;
                    again.push(lane);
                }
            }
            lanes = again;
        }
    }

    /// Asks for one item of a lane, when it has room.
    fn look(&mut self, io: &mut Io<'_>, id: LaneId) -> Look {
        self.offer_crowded(io.now, id);
        if self.line.order.len(id) == 0 {
            return Look::Done;
        }
        let Some(lane) = self.lane(id) else { return Look::Done };
        let passing = lane.held.is_some();
        if passing && lane.aside.len() >= MAX_ASIDE {
            return Look::Done;
        }
        let Some(room) = self.room(io.now, id) else { return Look::Done };
        let overdue = self.lane(id).and_then(|lane| lane.overdue(io.now)).filter(|_| !passing);
        if let Some(item) = overdue {
            return self.propose(io, id, item, Proposer::Overdue);
        }
        if let Some(item) = self.uncontested(io.now, id, &room) {
            return self.propose(io, id, item, Proposer::Uncontested);
        }
        if self.lane(id).is_some_and(|lane| lane.asleep) {
            return Look::Done;
        }
        self.ask(io, id, room)
    }

    /// The first item of a lane, when there is nothing to choose: it alone waits in its group, or all that
    /// do fit, and the schedule has not been told of it yet. It then hears of the start alone, which saves
    /// a host that is not full two calls a request.
    fn uncontested(&mut self, now: Micros, id: LaneId, room: &schedule::Room) -> Option<ItemId> {
        let first = self.line.order.first(id).filter(|_| !room.passing)?;
        if self.line.order.len(id) > 1 && !self.all_fit(now, id) {
            return None;
        }
        let group = self.lane(id)?.group;
        let lanes = &self.groups.get(&group)?.lanes;
        let busy = |other: &LaneId| {
            let held = self.lane(*other).is_some_and(|lane| lane.held.is_some());
            held || (*other != id && self.line.order.len(*other) > 0)
        };
        if lanes.iter().any(busy) {
            return None;
        }
        self.groups.get_mut(&group)?.retract(first).then_some(first)
    }

    /// Whether all that wait in a lane fit into the room of one of its candidates together.
    fn all_fit(&self, now: Micros, id: LaneId) -> bool {
        let few = self.line.order.len(id) <= MAX_UNCONTESTED;
        let Some(lane) = self.lane(id).filter(|_| few) else { return false };
        let mut rooms = lane.candidates.iter().filter_map(|each| self.room_at(now, id, *each));
        rooms.any(|mut left| {
            self.line.order.iter(id).filter_map(|id| self.line.get(id)).all(|item| {
                let fits = left.fits(&item.demand);
                left.slots = left.slots.saturating_sub(item.demand.slots);
                left.requests = left.requests.saturating_sub(item.demand.requests.into());
                left.input = left.input.saturating_sub(item.demand.input);
                left.output = left.output.saturating_sub(item.demand.output);
                fits
            })
        })
    }

    /// Asks the schedule; answers in its stead when it faults, talks nonsense or is idle for too long.
    fn ask(&mut self, io: &mut Io<'_>, id: LaneId, room: schedule::Room) -> Look {
        let Some(group) = self.lane(id).map(|lane| lane.group) else { return Look::Done };
        self.hand_over(io, group);
        match io.policies.pick(io.now, group, room) {
            Ok(schedule::Choice { item: Some(item), .. }) => match self.wrong(id, ItemId(item)) {
                None => return self.propose(io, id, ItemId(item), Proposer::Policy),
                Some(words) => self.nonsense(io, Slot::Schedule, &words),
            },
            Ok(schedule::Choice { item: None, wake }) => {
                if room.passing || !self.idle(io, id, Micros(wake)) {
                    return Look::Done;
                }
            }
            Err(_) => self.fell_back(Slot::Schedule),
        }
        self.fall_back(io, id, room.passing)
    }

    fn fall_back(&mut self, io: &mut Io<'_>, id: LaneId, passing: bool) -> Look {
        match self.line.order.first(id).filter(|_| !passing) {
            Some(item) => self.propose(io, id, item, Proposer::Fallback),
            None => Look::Done,
        }
    }

    /// Why a proposed item cannot be meant.
    fn wrong(&self, lane: LaneId, id: ItemId) -> Option<String> {
        match self.line.get(id) {
            None => Some(format!("picked item {id}, which does not exist")),
            Some(item) if item.lane != lane => {
                Some(format!("picked item {id} of lane {} for lane {lane}", item.lane))
            }
            Some(Item { place: Place::Offered, .. }) => None,
            Some(_) => Some(format!("picked item {id}, which it was not offered")),
        }
    }

    /// The schedule is idle although items wait and there is room. True when that is nonsense by now.
    fn idle(&mut self, io: &mut Io<'_>, id: LaneId, wake: Micros) -> bool {
        let Some(lane) = self.lane_mut(id) else { return false };
        let since = *lane.idle_since.get_or_insert(io.now);
        let patience = since.plus(IDLE_BOUND);
        if io.now >= patience {
            lane.idle_since = None;
            self.nonsense(io, Slot::Schedule, "idle for a second while items wait and have room");
            return true;
        }
        lane.asleep = true;
        let asked = if wake > io.now { wake.min(patience) } else { patience };
        self.timers.sooner(Due::Lane(id), asked);
        false
    }

    /// Checks a proposed item and starts it, holds it, or sends it back.
    fn propose(&mut self, io: &mut Io<'_>, id: LaneId, item: ItemId, proposer: Proposer) -> Look {
        if matches!(proposer, Proposer::Overdue | Proposer::Fallback) {
            self.tell_left(item, left::TAKEN);
        }
        if let Some(lane) = self.lane_mut(id) {
            lane.idle_since = None;
            if proposer == Proposer::Overdue {
                lane.credit = lane.credit.saturating_sub(OVERDUE_COST);
            }
        }
        self.unlist(item);
        self.line.place(item, Place::Resting(io.now));
        self.try_head(io, id, item, proposer == Proposer::Policy);
        Look::Proposed
    }

    /// The item is no more among those that may become overdue.
    pub(super) fn unlist(&mut self, id: ItemId) {
        let Some(item) = self.line.get(id) else { return };
        let (lane, late) = (item.lane, item.arrived.plus(Micros(item.placement.longest_wait)));
        if let Some(lane) = self.lane_mut(lane) {
            lane.overdue.remove(&(late, id));
        }
    }

    /// What a lane could admit: for each dimension the most that any of its candidates has. `None`: no
    /// candidate has a slot and a request to give.
    fn room(&self, now: Micros, id: LaneId) -> Option<schedule::Room> {
        let candidates = &self.lane(id)?.candidates;
        candidates.iter().filter_map(|each| self.room_at(now, id, *each)).reduce(|most, room| {
            schedule::Room {
                slots: most.slots.max(room.slots),
                requests: most.requests.max(room.requests),
                input: most.input.max(room.input),
                output: most.output.max(room.output),
                ..most
            }
        })
    }

    /// What a lane could admit at one of its candidates.
    fn room_at(&self, now: Micros, id: LaneId, candidate: CandidateId) -> Option<schedule::Room> {
        let room = self.free(now, candidate);
        let slots = room.slots.saturating_sub(self.promised(self.ledger.slots_of(candidate)));
        if slots == 0 || room.requests == 0 || room.closed_until.is_some() {
            return None;
        }
        Some(schedule::Room {
            lane: self.lane_numbers.get(id.0)?,
            passing: self.lane(id)?.held.is_some(),
            slots,
            requests: room.requests,
            input: room.input.0,
            output: room.output.0,
        })
    }
}
