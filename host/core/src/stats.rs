//! What recent attempts at a candidate were like, for routes.

use std::collections::BTreeMap;

use crate::ids::CandidateId;
use crate::units::Micros;

/// Weight of a new sample in a decaying mean.
const ALPHA: f64 = 0.1;
/// How fast a peak comes down to the mean: half in this time.
const PEAK_HALF_LIFE: Micros = Micros::from_secs(10);

/// One candidate.
#[derive(Clone, Debug)]
pub(crate) struct Stat {
    pub(crate) in_flight: u32,
    pub(crate) network: f64,
    pub(crate) latency: f64,
    peak: f64,
    peak_at: Micros,
    pub(crate) success: f64,
    pub(crate) retries: f64,
}

impl Default for Stat {
    fn default() -> Self {
        Self {
            in_flight: 0,
            network: 0.0,
            latency: 0.0,
            peak: 0.0,
            peak_at: Micros::ZERO,
            success: 1.0,
            retries: 0.0,
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
        mean_from(&mut self.success, f64::from(u8::from(success)));
        mean_from(&mut self.retries, f64::from(u8::from(sample.retry)));
        if success {
            let latency = sample.latency.0 as f64;
            mean(&mut self.latency, latency);
            self.peak = self.peak(now).max(latency);
            self.peak_at = now;
        }
    }

    /// The peak as it has decayed to.
    pub(crate) fn peak(&self, now: Micros) -> f64 {
        let halves = now.minus(self.peak_at).0 / PEAK_HALF_LIFE.0;
        let share = if halves > 60 { 0.0 } else { 1.0 / (1_u64 << halves) as f64 };
        self.latency + (self.peak - self.latency).max(0.0) * share
    }
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
