//! What recent attempts at a candidate were like, for routes.

use std::collections::BTreeMap;

use crate::ids::CandidateId;
use crate::units::Micros;

/// Weight of a new sample in a decaying mean.
const ALPHA: f64 = 0.1;
/// Without news a peak comes down to the mean, and failures and retries are forgotten: half in this time.
/// A candidate that nobody is sent to would otherwise be thought to fail for ever.
const HALF_LIFE: Micros = Micros::from_secs(10);
/// After so many halvings nothing is left: news is not recent any more.
const RECENT: u64 = 6;

/// One candidate.
#[derive(Clone, Debug)]
pub(crate) struct Stat {
    pub(crate) in_flight: u32,
    pub(crate) network: f64,
    pub(crate) latency: f64,
    peak: f64,
    peak_at: Micros,
    failures: f64,
    retries: f64,
    /// When it last had news of failures and retries.
    judged: Micros,
}

impl Default for Stat {
    fn default() -> Self {
        Self {
            in_flight: 0,
            network: 0.0,
            latency: 0.0,
            peak: 0.0,
            peak_at: Micros::ZERO,
            failures: 0.0,
            retries: 0.0,
            judged: Micros::ZERO,
        }
    }
}

/// An attempt that ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    pub(crate) latency: Micros,
    pub(crate) network: Option<Micros>,
    /// Absent when the end says nothing about the candidate.
    pub(crate) success: Option<bool>,
    pub(crate) retry: bool,
}

impl Stat {
    fn learn(&mut self, now: Micros, sample: Sample) {
        if let Some(network) = sample.network {
            mean(&mut self.network, network.0 as f64);
        }
        let Some(success) = sample.success else { return };
        let kept = kept_share(self.judged, now);
        (self.failures, self.retries) = (self.failures * kept, self.retries * kept);
        mean_from(&mut self.failures, f64::from(u8::from(!success)));
        mean_from(&mut self.retries, f64::from(u8::from(sample.retry)));
        self.judged = now;
        if success {
            let latency = sample.latency.0 as f64;
            mean(&mut self.latency, latency);
            self.peak = self.peak(now).max(latency);
            self.peak_at = now;
        }
    }

    /// The peak as it has decayed to.
    pub(crate) fn peak(&self, now: Micros) -> f64 {
        let kept = kept_share(self.peak_at, now);
        self.latency + (self.peak - self.latency).max(0.0) * kept
    }

    /// Share of recent attempts that succeeded.
    pub(crate) fn success(&self, now: Micros) -> f64 {
        1.0 - self.failures * kept_share(self.judged, now)
    }

    /// Share of recent attempts that were retries.
    pub(crate) fn retries(&self, now: Micros) -> f64 {
        self.retries * kept_share(self.judged, now)
    }
}

/// What is left of news from `then`.
fn kept_share(then: Micros, now: Micros) -> f64 {
    let halves = now.minus(then).0 / HALF_LIFE.0;
    if halves >= RECENT { 0.0 } else { 1.0 / (1_u64 << halves) as f64 }
}

/// A decaying mean whose first sample counts whole.
fn mean(mean: &mut f64, sample: f64) {
    if *mean == 0.0 {
        *mean = sample;
    } else {
        mean_from(mean, sample);
    }
}

fn mean_from(mean: &mut f64, sample: f64) {
    *mean += ALPHA * (sample - *mean);
}

/// All candidates.
#[derive(Debug, Default)]
pub(crate) struct Stats {
    by_id: BTreeMap<CandidateId, Stat>,
}

impl Stats {
    pub(crate) fn get(&self, id: CandidateId) -> Stat {
        self.by_id.get(&id).cloned().unwrap_or_default()
    }

    pub(crate) fn started(&mut self, id: CandidateId) {
        self.by_id.entry(id).or_default().in_flight += 1;
    }

    pub(crate) fn ended(&mut self, now: Micros, id: CandidateId, sample: Sample) {
        let stat = self.by_id.entry(id).or_default();
        stat.in_flight = stat.in_flight.saturating_sub(1);
        stat.learn(now, sample);
    }

    /// Candidates got other ids.
    pub(crate) fn renumber(&mut self, map: &BTreeMap<CandidateId, CandidateId>) {
        let old = std::mem::take(&mut self.by_id);
        self.by_id =
            old.into_iter().filter_map(|(id, stat)| Some((*map.get(&id)?, stat))).collect();
    }
}
