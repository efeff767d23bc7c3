//! The core's questions, translated to calls.

use weir_core::ids::{CellId, GroupId};
use weir_core::units::Micros;
use weir_core::{Fault, Feed, Policies, Slot};
use weir_sdk::lifecycle::Named;
use weir_sdk::{classify, fanout, limit, priority, retry, route, schedule};

use super::Slots;
use crate::sandbox::short;

/// `face, store => call`: one call of a slot's interface, its answer as the SDK's.
macro_rules! ask {
    ($slots:expr, $slot:ident, $now:expr, $face:ident, $store:ident => $call:expr) => {{
        let (seat, house) = $slots.seat(Slot::$slot);
        seat.ask(house, $now, |$face, $store| $call)
    }};
}

fn list<T: Clone, W: From<T>>(records: &[T]) -> Vec<W> {
    records.iter().cloned().map(W::from).collect()
}

impl Policies for Slots {
    fn place(
        &mut self,
        now: Micros,
        arrival: priority::Arrival,
    ) -> Result<priority::Placement, Fault> {
        let arrival = arrival.into();
        ask!(self, Priority, now, face, store => {
            Ok(face.priority()?.call_place(store, now.0, arrival)?.into())
        })
    }

    fn update(
        &mut self,
        now: Micros,
        group: GroupId,
        events: &mut Vec<schedule::Event>,
    ) -> Result<(), Fault> {
        let events: Vec<_> = events.drain(..).map(Into::into).collect();
        ask!(self, Schedule, now, face, store => {
            face.schedule()?.call_update(store, now.0, group.0, &events)
        })
    }

    fn pick(
        &mut self,
        now: Micros,
        group: GroupId,
        room: schedule::Room,
    ) -> Result<schedule::Choice, Fault> {
        let room = room.into();
        ask!(self, Schedule, now, face, store => {
            Ok(face.schedule()?.call_pick(store, now.0, group.0, room)?.into())
        })
    }

    fn open(
        &mut self,
        now: Micros,
        cell: limit::Cell,
        opening: limit::Opening,
    ) -> Result<limit::Answer, Fault> {
        let (cell, opening) = (cell.into(), opening.into());
        ask!(self, Limit, now, face, store => {
            Ok(face.limit()?.call_open(store, now.0, cell, opening)?.into())
        })
    }

    fn accepted(
        &mut self,
        now: Micros,
        cell: limit::Cell,
        attempt: limit::Attempt,
    ) -> Result<limit::Answer, Fault> {
        let (cell, attempt) = (cell.into(), attempt.into());
        ask!(self, Limit, now, face, store => {
            Ok(face.limit()?.call_accepted(store, now.0, cell, attempt)?.into())
        })
    }

    fn ended(
        &mut self,
        now: Micros,
        cell: limit::Cell,
        attempt: limit::Attempt,
        ending: limit::Ending,
    ) -> Result<limit::Answer, Fault> {
        let (cell, attempt, ending) = (cell.into(), attempt.into(), ending.into());
        ask!(self, Limit, now, face, store => {
            Ok(face.limit()?.call_ended(store, now.0, cell, attempt, ending)?.into())
        })
    }

    fn wake(&mut self, now: Micros, cell: limit::Cell) -> Result<limit::Answer, Fault> {
        let cell = cell.into();
        ask!(self, Limit, now, face, store => {
            Ok(face.limit()?.call_wake(store, now.0, cell)?.into())
        })
    }

    fn close(&mut self, cell: CellId) -> Result<(), Fault> {
        let now = self.house.now;
        ask!(self, Limit, now, face, store => face.limit()?.call_close(store, cell.0))
    }

    fn classify(
        &mut self,
        now: Micros,
        response: &classify::Response,
    ) -> Result<classify::Classification, Fault> {
        let response = response.clone().into();
        let answer: classify::Classification = ask!(self, Classify, now, face, store => {
            Ok(face.classify()?.call_classify(store, now.0, &response)?.into())
        })?;
        Ok(classify::Classification { evidence: short(answer.evidence), ..answer })
    }

    fn retry(
        &mut self,
        now: Micros,
        failure: retry::Failure,
        untried: &[retry::Untried],
        draw: u64,
    ) -> Result<retry::Decision, Fault> {
        let (failure, untried) = (failure.into(), list(untried));
        ask!(self, Retry, now, face, store => {
            Ok(face.retry()?.call_decide(store, now.0, failure, &untried, draw)?.into())
        })
    }

    fn order(
        &mut self,
        now: Micros,
        request: &route::Request,
        candidates: &[route::Candidate],
        draw: u64,
    ) -> Result<Vec<route::Choice>, Fault> {
        let (request, candidates) = (request.clone().into(), list(candidates));
        ask!(self, Route, now, face, store => {
            let choices = face.route()?.call_order(store, now.0, &request, &candidates, draw)?;
            Ok(choices.into_iter().map(Into::into).collect())
        })
    }

    fn routed(&mut self, now: Micros, outcome: route::Outcome) -> Result<(), Fault> {
        let outcome = outcome.into();
        ask!(self, Route, now, face, store => face.route()?.call_ended(store, now.0, outcome))
    }

    fn fanout(
        &mut self,
        now: Micros,
        tree: fanout::Tree,
        wanted: u32,
        children: &[fanout::Child],
    ) -> Result<fanout::Plan, Fault> {
        let (tree, children) = (tree.into(), list(children));
        ask!(self, Fanout, now, face, store => {
            Ok(face.fanout()?.call_decide(store, now.0, tree, wanted, &children)?.into())
        })
    }

    fn names(&mut self, entries: &[Named]) {
        self.house.name(entries);
        for seat in &mut self.seats {
            seat.names(&mut self.house, entries);
        }
    }

    fn forget(&mut self, ids: &[(u16, u64)]) {
        self.house.forget(ids);
        for seat in &mut self.seats {
            seat.forget(&mut self.house, ids);
        }
    }

    fn nonsense(&mut self, now: Micros, slot: Slot, words: &str) {
        let (seat, house) = self.seat(slot);
        seat.nonsense(house, now, words);
    }

    fn standby(&self, slot: Slot) -> Option<u64> {
        self.seats[slot as usize].standby()
    }

    fn feed(&mut self, now: Micros, slot: Slot, feed: Feed) -> Result<(), Fault> {
        let (seat, house) = self.seat(slot);
        match feed {
            Feed::Cell(cell, opening) => {
                let (cell, opening) = ((*cell).into(), opening.into());
                seat.feed(house, now, |face, store| {
                    face.limit()?.call_open(store, now.0, cell, opening).map(drop)
                })
            }
            Feed::Group(group, events) => {
                let events: Vec<_> = events.into_iter().map(Into::into).collect();
                seat.feed(house, now, |face, store| {
                    face.schedule()?.call_update(store, now.0, group.0, &events)
                })
            }
        }
    }

    fn level(&mut self, now: Micros, slot: Slot) -> Result<(), Fault> {
        let (seat, house) = self.seat(slot);
        seat.level(house, now)
    }
}
