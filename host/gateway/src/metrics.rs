//! What a gateway counts, as Prometheus reads it.
//!
//! Each gateway has a recorder of its own, so that several in one process do not mix. Labels come from the
//! configuration alone (upstream, model, tenant) or from closed sets, so their number is bounded. The handles
//! of all series are made at the start: counting is an addition, not a look-up.

use metrics::{Counter, Gauge, Histogram, Key, Label, Level, Metadata, Recorder, Unit};
use metrics_exporter_prometheus::{
    Matcher, PrometheusBuilder, PrometheusHandle, PrometheusRecorder,
};
use weir_core::Slot;
use weir_core::ids::{CandidateId, TenantId};
use weir_policy::Meter;

use crate::config::Settings;

mod calls;
mod page;
mod refusals;
mod turned_away;

pub(crate) use refusals::{Refusals, reason};
pub(crate) use turned_away::TurnedAway;

use calls::Calls;

/// Milliseconds that histograms are cut at.
const BOUNDS_MS: [f64; 14] =
    [0.5, 1.0, 2.0, 5.0, 10.0, 25.0, 50.0, 100.0, 250.0, 500.0, 1e3, 5e3, 3e4, 3e5];

/// All series of a gateway.
pub(crate) struct Metrics {
    handle: PrometheusHandle,
    pub(crate) queue_depth: Gauge,
    pub(crate) reserved_input: Gauge,
    pub(crate) turned_away: TurnedAway,
    pub(crate) backpressure: Counter,
    pub(crate) journal_lost: Counter,
    /// In the order of [`Slot::ALL`].
    slots: [OfSlot; Slot::ALL.len()],
    calls: Calls,
    pub(crate) tenants: Vec<OfTenant>,
    pub(crate) upstreams: Vec<OfUpstream>,
    candidates: Vec<OfCandidate>,
}

/// Series of a tenant.
pub(crate) struct OfTenant {
    pub(crate) wait: Histogram,
    pub(crate) rejected: Refusals,
    pub(crate) budget: Gauge,
}

/// Series of an upstream.
pub(crate) struct OfUpstream {
    pub(crate) limit: Gauge,
    pub(crate) refused_429: Counter,
    pub(crate) retry_after: Histogram,
    pub(crate) retries: Counter,
    pub(crate) cooldowns: Counter,
}

/// Series of a policy slot.
struct OfSlot {
    calls: Counter,
    faults: Counter,
}

/// Series of a candidate: an upstream's model.
pub(crate) struct OfCandidate {
    pub(crate) upstream: usize,
    pub(crate) inflight: Gauge,
    pub(crate) reserved_output: Gauge,
    /// By tenant.
    pub(crate) pairs: Vec<OfPair>,
}

/// Series of a tenant at a candidate.
pub(crate) struct OfPair {
    pub(crate) allowed: Counter,
    pub(crate) input: Counter,
    pub(crate) output: Counter,
}

impl Metrics {
    pub(crate) fn new(settings: &Settings) -> Self {
        let recorder = recorder();
        let make = Make(&recorder);
        Self {
            handle: recorder.handle(),
            queue_depth: make.gauge("weir_queue_depth", "Requests that wait.", &[]),
            reserved_input: make.gauge(
                "weir_reserved_input_tokens",
                "Input tokens reserved by attempts in flight.",
                &[],
            ),
            turned_away: TurnedAway::new(|code| {
                let about = "Requests refused before they got in line.";
                make.counter("weir_turned_away_total", about, &[("code", code)])
            }),
            backpressure: make.counter(
                "weir_backpressure_high_watermark_total",
                "Times that an answer had to wait for its caller to read.",
                &[],
            ),
            journal_lost: make.counter(
                "weir_journal_lost_total",
                "Lines that the journal lacks, because the disk was too slow or failed.",
                &[],
            ),
            slots: Slot::ALL.map(|slot| OfSlot::new(&make, slot)),
            calls: Calls::default(),
            tenants: settings
                .tenants
                .iter()
                .map(|tenant| OfTenant::new(&make, &tenant.name))
                .collect(),
            upstreams: settings
                .upstreams
                .iter()
                .map(|up| OfUpstream::new(&make, &up.name))
                .collect(),
            candidates: candidates(&make, settings),
        }
    }

    pub(crate) fn candidate(&self, id: CandidateId) -> Option<&OfCandidate> {
        self.candidates.get(id.0 as usize)
    }

    pub(crate) fn tenant(&self, id: TenantId) -> Option<&OfTenant> {
        self.tenants.get(id.0 as usize)
    }

    /// Takes over what has been measured of a slot since the start.
    pub(crate) fn measured(&self, slot: Slot, meter: &Meter) {
        let of_slot = &self.slots[slot as usize];
        of_slot.calls.absolute(meter.calls);
        of_slot.faults.absolute(meter.faults);
        self.calls.measured(slot, meter);
    }

    /// Everything as text.
    pub(crate) fn render(&self) -> String {
        self.handle.run_upkeep();
        let mut text = self.handle.render();
        self.calls.write(&mut text);
        page::ordered(&text)
    }

    /// Folds samples into histograms, so that they do not pile up while nobody reads.
    pub(crate) fn fold(&self) {
        self.handle.run_upkeep();
    }
}

impl OfCandidate {
    pub(crate) fn pair(&self, tenant: TenantId) -> Option<&OfPair> {
        self.pairs.get(tenant.0 as usize)
    }
}

fn candidates(make: &Make<'_>, settings: &Settings) -> Vec<OfCandidate> {
    let mut found = Vec::new();
    for (place, upstream) in settings.upstreams.iter().enumerate() {
        for model in &upstream.models {
            let labels = [("upstream", upstream.name.as_str()), ("model", model.name.as_str())];
            found.push(OfCandidate {
                upstream: place,
                inflight: make.gauge("weir_inflight_requests", "Attempts in flight.", &labels),
                reserved_output: make.gauge(
                    "weir_reserved_output_tokens",
                    "Output tokens reserved by attempts in flight.",
                    &labels,
                ),
                pairs: settings
                    .tenants
                    .iter()
                    .map(|t| OfPair::new(make, &labels, &t.name))
                    .collect(),
            });
        }
    }
    found
}

impl OfPair {
    fn new(make: &Make<'_>, candidate: &[(&str, &str); 2], tenant: &str) -> Self {
        let labels = [candidate[0], candidate[1], ("tenant", tenant)];
        Self {
            allowed: make.counter("weir_admission_allowed_total", "Attempts admitted.", &labels),
            input: make.counter("weir_actual_input_tokens", "Input tokens used.", &labels),
            output: make.counter("weir_actual_output_tokens", "Output tokens used.", &labels),
        }
    }
}

impl OfSlot {
    fn new(make: &Make<'_>, slot: Slot) -> Self {
        let labels = [("slot", slot.name())];
        Self {
            calls: make.counter("weir_policy_calls_total", "Calls of policies.", &labels),
            faults: make.counter("weir_policy_faults_total", "Calls that failed.", &labels),
        }
    }
}

impl OfTenant {
    fn new(make: &Make<'_>, name: &str) -> Self {
        let labels = [("tenant", name)];
        Self {
            wait: make.histogram("weir_queue_wait_ms", "Wait before an admission.", &labels),
            rejected: Refusals::new(|reason| {
                let labels = [("tenant", name), ("reason", reason)];
                make.counter("weir_admission_rejected_total", "Requests refused.", &labels)
            }),
            budget: make.gauge("weir_budget_utilization", "Share of the budget spent.", &labels),
        }
    }
}

impl OfUpstream {
    fn new(make: &Make<'_>, name: &str) -> Self {
        let labels = [("upstream", name)];
        Self {
            limit: make.gauge("weir_adaptive_concurrency_limit", "The limit that holds.", &labels),
            refused_429: make.counter("weir_rate_limit_429_total", "429s that it sent.", &labels),
            retry_after: make.histogram("weir_retry_after_ms", "Waits before a retry.", &labels),
            retries: make.counter("weir_retry_attempts", "Attempts that were sent back.", &labels),
            cooldowns: make.counter("weir_cooldowns_total", "Closures of a part of it.", &labels),
        }
    }
}

fn recorder() -> PrometheusRecorder {
    let builder = PrometheusBuilder::new();
    let fallback = || PrometheusBuilder::new();
    builder
        .set_buckets_for_metric(Matcher::Suffix("_ms".into()), &BOUNDS_MS)
        // The bounds are not empty, which is all that could be wrong with them.
        .unwrap_or_else(|_| fallback())
        .build_recorder()
}

/// Makes series.
struct Make<'a>(&'a PrometheusRecorder);

const META: Metadata<'static> = Metadata::new("weir", Level::INFO, None);

impl Make<'_> {
    fn counter(&self, name: &'static str, about: &'static str, labels: &[(&str, &str)]) -> Counter {
        self.0.describe_counter(name.into(), None, about.into());
        let counter = self.0.register_counter(&key(name, labels), &META);
        counter.increment(0);
        counter
    }

    fn gauge(&self, name: &'static str, about: &'static str, labels: &[(&str, &str)]) -> Gauge {
        self.0.describe_gauge(name.into(), None, about.into());
        let gauge = self.0.register_gauge(&key(name, labels), &META);
        gauge.set(0.0);
        gauge
    }

    fn histogram(
        &self,
        name: &'static str,
        about: &'static str,
        labels: &[(&str, &str)],
    ) -> Histogram {
        self.0.describe_histogram(name.into(), Some(Unit::Milliseconds), about.into());
        self.0.register_histogram(&key(name, labels), &META)
    }
}

fn key(name: &'static str, labels: &[(&str, &str)]) -> Key {
    let labels: Vec<Label> = labels
        .iter()
        .map(|(key, value)| Label::new((*key).to_owned(), (*value).to_owned()))
        .collect();
    Key::from_parts(name, labels)
}
