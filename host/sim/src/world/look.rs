//! The world is looked at: samples, the start of a record and its end.

use weir_core::Slot;

use super::World;
use super::queue::{Event, Try};
use super::source::Source;
use crate::Progress;
use crate::record::{CellSample, Names, Record, Sample};
use crate::scenario::Plan;

/// The demands, with what an answer is like where they do not say: as the lane's first candidate answers.
pub(super) fn sources(plan: &Plan, seed: u64) -> Vec<Source> {
    let owners: Vec<usize> = (plan.core.upstreams.iter().enumerate())
        .flat_map(|(place, upstream)| upstream.models.iter().map(move |_| place))
        .collect();
    let output = |lane: usize| {
        let first = plan.core.lanes.get(lane).and_then(|lane| lane.candidates.first());
        let upstream = first.and_then(|id| owners.get(id.0 as usize)).copied().unwrap_or(0);
        plan.providers[upstream].output
    };
    let demands = plan.demands.iter().enumerate();
    demands
        .map(|(place, demand)| Source::new(demand, place, output(demand.lane.0 as usize), seed))
        .collect()
}

/// A record in which nothing has happened.
pub(super) fn blank(plan: &Plan, seed: u64) -> Record {
    let names = Names {
        upstreams: plan.providers.iter().map(|one| one.name.clone()).collect(),
        models: plan.providers.iter().map(|one| one.models.clone()).collect(),
        tenants: plan.core.tenants.iter().map(|one| one.name.clone()).collect(),
        weights: plan.core.tenants.iter().map(|one| one.weight).collect(),
        demands: plan.demands.iter().map(|one| one.name.clone()).collect(),
        lanes: plan.core.lanes.iter().map(|one| one.name.clone()).collect(),
        instances: plan.instances.as_ref().map_or(1, |instances| instances.count),
    };
    let (duration, warm_up, every) = (plan.duration, plan.warm_up, plan.sample);
    Record { names, seed, duration, warm_up, every, ..Record::default() }
}

impl World<'_> {
    pub(super) fn sample(&mut self, progress: &mut dyn FnMut(Progress)) {
        let mut sample = Sample { at: self.now, ..Sample::default() };
        sample.waiting = vec![0; self.plan.core.tenants.len()];
        for place in 0..self.hosts.len() {
            self.sample_host(place, &mut sample);
        }
        self.record.samples.push(sample);
        self.queue.at(self.now.plus(self.plan.sample), Event::Sample);
        let end = self.plan.duration.plus(self.plan.drain);
        progress(Progress { now: self.now, end, requests: self.record.requests.len() as u64 });
    }

    fn sample_host(&mut self, place: usize, sample: &mut Sample) {
        let host = &self.hosts[place];
        if !host.alive {
            for provider in &mut self.providers {
                let hidden = provider.hidden(self.now);
                sample.cells.push(CellSample { hidden, ..CellSample::default() });
            }
            return;
        }
        let view = host.core.view(self.now);
        for (provider, cell) in self.providers.iter_mut().zip(view.upstreams) {
            sample.cells.push(CellSample {
                limit: cell.limit,
                effective: cell.effective,
                in_flight: cell.in_flight,
                slot_blocked: cell.slot_blocked,
                queued: cell.queued as u32,
                hidden: provider.hidden(self.now),
                closed: cell.closed_until.is_some(),
            });
        }
        for (waiting, tenant) in sample.waiting.iter_mut().zip(view.tenants) {
            *waiting += tenant.waiting as u32;
        }
    }

    /// The record, complete.
    pub(super) fn finish(mut self) -> Record {
        self.record.finished = self.now;
        for place in 0..self.hosts.len() {
            if self.hosts[place].alive {
                self.close_host(place);
            }
        }
        self.close_open_rows();
        self.record
    }

    /// What a host says of itself when the run ends.
    fn close_host(&mut self, place: usize) {
        let owed = self.hosts[place].mind.owed();
        let host = &self.hosts[place];
        let view = host.core.view(self.now);
        let sums = &mut self.record.sums;
        sums.in_flight += view.in_flight as u64;
        sums.waiting += view.waiting as u64;
        let owed = (owed > 0).then_some((Slot::Limit, owed));
        for (slot, answers) in host.fallbacks().chain(owed) {
            *sums.fallbacks.entry(slot).or_default() += answers;
        }
        if let Err(unsound) = host.core.check_invariants() {
            sums.unsound.push(format!("{unsound:?}"));
        }
        self.record.books.push(host.book(place as u16, &view));
    }

    /// Requests that were there when the run ended: what they had waited.
    fn close_open_rows(&mut self) {
        for (request, live) in &self.live {
            let attempt = live.attempt.and_then(|attempt| {
                let sent = self.flights.get(&Try { host: live.host, attempt })?.sent;
                Some(self.now.minus(sent))
            });
            let busy = live.busy.plus(attempt.unwrap_or_default());
            if let Some(written) = self.record.requests.get_mut(*request as usize) {
                written.waited = self.now.minus(written.arrived).minus(busy);
            }
        }
    }
}
