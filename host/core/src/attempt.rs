//! Attempts in flight.

use std::collections::{BTreeMap, BTreeSet};

use weir_sdk::schedule::{Charged, Service};

use crate::claim::Held;
use crate::ids::{AttemptId, CandidateId, CellId, FlowId, ItemId, LaneId};
use crate::output::Settled;
use crate::units::{Micros, Tokens};

/// One try of an item at a candidate.
#[derive(Debug)]
pub(crate) struct Attempt {
    pub(crate) item: ItemId,
    pub(crate) lane: LaneId,
    pub(crate) candidate: CandidateId,
    pub(crate) held: Held,
    pub(crate) sent: Micros,
    /// When it should end.
    pub(crate) expected_end: Micros,
    pub(crate) bill: Bill,
    /// It is a retry of a failure.
    pub(crate) retry: bool,
    /// The limit policy has heard that it was taken up.
    pub(crate) accepted: bool,
    pub(crate) network: Option<Micros>,
    /// Its parent waits for children, or for its slot back.
    pub(crate) parked: bool,
}

/// What a flow has been charged for an attempt.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bill {
    pub(crate) flow: FlowId,
    pub(crate) charged: Service,
}

impl Bill {
    /// The correction that makes the charge what was settled. A refused attempt counts as no request.
    pub(crate) fn correction(&self, settled: &Settled, refused: bool) -> Charged {
        let (settled, requests) = match refused {
            true => (&Settled::default(), 0),
            false => (settled, 1),
        };
        Charged {
            flow: self.flow.0,
            requests: delta(requests, self.charged.requests),
            input: delta(settled.input.0, self.charged.input),
            output: delta(settled.output.0, self.charged.output),
            cost: delta(settled.cost.0, self.charged.cost),
        }
    }

    /// The charge for a reservation that grew to `output`.
    pub(crate) fn grow(&mut self, output: Tokens) -> Charged {
        let more = delta(output.0.max(self.charged.output), self.charged.output);
        self.charged.output = output.0.max(self.charged.output);
        Charged { flow: self.flow.0, requests: 0, input: 0, output: more, cost: 0 }
    }
}

fn delta(after: u64, before: u64) -> i64 {
    let clamp = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
    clamp(after).saturating_sub(clamp(before))
}

/// All attempts, and when each cell's slots should come back.
#[derive(Debug, Default)]
pub(crate) struct Attempts {
    next: u64,
    by_id: BTreeMap<AttemptId, Attempt>,
    releases: BTreeMap<CellId, BTreeSet<(Micros, AttemptId)>>,
}

impl Attempts {
    pub(crate) fn insert(&mut self, attempt: Attempt) -> AttemptId {
        self.next += 1;
        let id = AttemptId(self.next);
        self.releases.entry(attempt.held.slots()).or_default().insert((attempt.expected_end, id));
        self.by_id.insert(id, attempt);
        id
    }

    pub(crate) fn remove(&mut self, id: AttemptId) -> Option<Attempt> {
        let attempt = self.by_id.remove(&id)?;
        self.released(&attempt, id);
        Some(attempt)
    }

    fn released(&mut self, attempt: &Attempt, id: AttemptId) {
        if let Some(ends) = self.releases.get_mut(&attempt.held.slots()) {
            ends.remove(&(attempt.expected_end, id));
        }
    }

    pub(crate) fn get(&self, id: AttemptId) -> Option<&Attempt> {
        self.by_id.get(&id)
    }

    pub(crate) fn get_mut(&mut self, id: AttemptId) -> Option<&mut Attempt> {
        self.by_id.get_mut(&id)
    }

    /// When the `nth` slot (from 1) of a cell should come back. An attempt that is late is thought to end
    /// at once.
    pub(crate) fn release(&self, now: Micros, cell: CellId, nth: usize) -> Micros {
        let ends = self.releases.get(&cell);
        let nth = ends.and_then(|ends| ends.iter().nth(nth.saturating_sub(1)));
        nth.map_or(now, |(at, _)| (*at).max(now))
    }

    /// Changes every attempt.
    pub(crate) fn remap(&mut self, change: impl FnMut(&mut Attempt)) {
        self.by_id.values_mut().for_each(change);
    }

    pub(crate) fn len(&self) -> usize {
        self.by_id.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&AttemptId, &Attempt)> {
        self.by_id.iter()
    }
}
