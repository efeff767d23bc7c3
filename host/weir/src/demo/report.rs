//! What the demo found, as `--json` prints it.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::agent::Ending;
use super::news::UpstreamCounts;

#[cfg(test)]
pub(super) mod tests;

/// One run of the fleet.
#[derive(Clone, Debug, Default)]
pub(super) struct Run {
    /// By agent.
    pub(super) endings: Vec<Ending>,
    /// By upstream, from its own counters.
    pub(super) upstreams: Vec<UpstreamCounts>,
    pub(super) took: Duration,
}

/// What the gateway says of itself once the fleet has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Books {
    /// Requests that still wait.
    pub(super) waiting: u64,
    /// Requests that are still in flight.
    pub(super) in_flight: u64,
    /// Attempts that were admitted.
    pub(super) admitted: u64,
}

/// Everything that was seen.
#[derive(Clone, Debug, Default)]
pub(super) struct Evidence {
    pub(super) ungoverned: Run,
    pub(super) governed: Run,
    pub(super) books: Books,
    pub(super) limit_changes: Vec<LimitChange>,
    pub(super) swaps: Vec<Swap>,
    pub(super) policies: Vec<Policy>,
}

/// The object that `--json` prints. Of the governed run, where nothing else is said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Report {
    pub(super) agents: usize,
    /// Agents whose review is complete.
    pub(super) finished: usize,
    /// HTTP requests that agents sent.
    pub(super) requests: u64,
    /// Requests that the upstreams refused with 429, by their own counters.
    pub(super) upstream_429: u64,
    /// Of them what agents saw.
    pub(super) agent_429: u64,
    /// Policies that were replaced while agents worked.
    pub(super) swaps: usize,
    /// Requests without an answer, and every unit by which the books of agents, gateway and upstreams differ.
    pub(super) lost: u64,
    pub(super) latency_ms: Latency,
    pub(super) limit_changes: Vec<LimitChange>,
    /// The policies at the end.
    pub(super) policies: Vec<Policy>,
    pub(super) ungoverned: Ungoverned,
}

/// The same fleet without a gateway.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Ungoverned {
    pub(super) upstream_429: u64,
    pub(super) finished: usize,
    /// Agents that gave up.
    pub(super) failed: usize,
    pub(super) latency_ms: Latency,
}

/// Percentiles, by nearest rank, of the time from asking a turn to its last token, in milliseconds. Turns
/// that were never answered have no latency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Latency {
    pub(super) p50: u64,
    pub(super) p90: u64,
    pub(super) p99: u64,
}

/// A change of an effective limit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct LimitChange {
    /// Since the governed fleet began.
    pub(super) at_ms: u64,
    pub(super) upstream: String,
    /// What the policy answered.
    pub(super) limit: u32,
    /// What holds.
    pub(super) effective: u32,
    pub(super) reason: String,
}

/// A policy, as the gateway names it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Version {
    name: String,
    version: String,
    digest: String,
}

/// A policy at its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Policy {
    pub(super) slot: String,
    pub(super) name: String,
    pub(super) version: String,
    pub(super) digest: String,
}

/// A policy that was replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Swap {
    pub(super) from: Policy,
    pub(super) to: Policy,
    /// What the old one had learned went over.
    pub(super) restored: bool,
}

impl Version {
    /// The same, in its slot.
    pub(super) fn at(self, slot: &str) -> Policy {
        let Self { name, version, digest } = self;
        Policy { slot: slot.to_owned(), name, version, digest }
    }
}

impl Policy {
    /// The start of its digest, enough to tell builds apart.
    fn short_digest(&self) -> &str {
        let hex = self.digest.rsplit(':').next().unwrap_or_default();
        hex.get(..8).unwrap_or(hex)
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} ({})", self.name, self.version, self.short_digest())
    }
}

impl Swap {
    /// In less than 70 characters.
    pub(super) fn short(&self) -> String {
        let Self { from, to, .. } = self;
        let (before, after) = (from.short_digest(), to.short_digest());
        let (slot, learned) = (&to.slot, self.learned());
        format!("{slot} policy: {} ({before}) to {} ({after}), {learned}", from.version, to.version)
    }

    pub(super) fn learned(&self) -> &'static str {
        if self.restored { "learned state restored" } else { "nothing carried over" }
    }
}

impl Run {
    pub(super) fn finished(&self) -> usize {
        self.endings.iter().filter(|ending| ending.finished).count()
    }

    pub(super) fn upstream_429(&self) -> u64 {
        self.upstreams.iter().map(|upstream| upstream.refused).sum()
    }

    pub(super) fn served(&self) -> u64 {
        self.upstreams.iter().map(|upstream| upstream.served).sum()
    }

    pub(super) fn latency(&self) -> Latency {
        Latency::of(self.endings.iter().flat_map(|ending| &ending.latencies).copied())
    }

    /// Requests that brought nobody further: refused ones, and those of agents that gave up later.
    pub(super) fn wasted(&self) -> u64 {
        let given_up = self.endings.iter().filter(|ending| !ending.finished);
        self.upstream_429() + given_up.map(|ending| ending.counts.answered).sum::<u64>()
    }

    pub(super) fn sum(&self, of: impl Fn(&Ending) -> u64) -> u64 {
        self.endings.iter().map(of).sum()
    }
}

impl Evidence {
    pub(super) fn report(&self) -> Report {
        let Self { ungoverned, governed, .. } = self;
        Report {
            agents: governed.endings.len(),
            finished: governed.finished(),
            requests: governed.sum(|ending| ending.counts.sent),
            upstream_429: governed.upstream_429(),
            agent_429: governed.sum(|ending| ending.counts.refused),
            swaps: self.swaps.len(),
            lost: self.lost(),
            latency_ms: governed.latency(),
            limit_changes: self.limit_changes.clone(),
            policies: self.policies.clone(),
            ungoverned: Ungoverned {
                upstream_429: ungoverned.upstream_429(),
                finished: ungoverned.finished(),
                failed: ungoverned.endings.len() - ungoverned.finished(),
                latency_ms: ungoverned.latency(),
            },
        }
    }

    /// Zero when every request was answered and the three sets of books agree: what agents were answered is
    /// what upstreams served, every admission is a request that an upstream saw, and nothing is left over.
    pub(super) fn lost(&self) -> u64 {
        let Self { governed, books, .. } = self;
        let answered = governed.sum(|ending| ending.counts.answered);
        let seen = governed.served() + governed.upstream_429();
        governed.sum(|ending| ending.counts.lost)
            + books.waiting
            + books.in_flight
            + answered.abs_diff(governed.served())
            + books.admitted.abs_diff(seen)
    }
}

impl Report {
    /// What keeps the run from being a success, in words.
    pub(super) fn failures(&self) -> Vec<String> {
        let unfinished = self.agents - self.finished;
        let mut failures = Vec::new();
        if unfinished > 0 {
            failures.push(format!("{unfinished} of {} agents did not finish", self.agents));
        }
        if self.lost > 0 {
            failures.push(format!("{} requests were lost", self.lost));
        }
        if self.swaps == 0 {
            failures.push("the limit policy was not replaced".to_owned());
        }
        failures
    }
}

impl Latency {
    fn of(latencies: impl Iterator<Item = Duration>) -> Self {
        let mut sorted: Vec<Duration> = latencies.collect();
        sorted.sort_unstable();
        let rank = |percent: usize| {
            let at = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
            sorted.get(at).map_or(0, |latency| millis(*latency))
        };
        Self { p50: rank(50), p90: rank(90), p99: rank(99) }
    }
}

/// Whole milliseconds.
pub(super) fn millis(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}
