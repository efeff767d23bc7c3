//! What a request will need, guessed from what earlier ones needed.

use crate::config::Config;
use crate::ids::{CandidateId, LaneId, TenantId};
use crate::input::Usage;
use crate::units::{Micros, Tokens};

/// A guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// Input tokens.
    pub input: Tokens,
    /// Output tokens to reserve: the least of what the request allows and the learned 95th percentile.
    pub output: Tokens,
    /// How long it will run once started.
    pub expected: Micros,
    /// How long it can run at most.
    pub bound: Micros,
    /// 0 to 3, by `expected`, shortest first.
    pub size_class: u8,
}

/// What an attempt that ended teaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lesson {
    /// Its lane.
    pub lane: LaneId,
    /// Its tenant.
    pub tenant: TenantId,
    /// Who served it.
    pub candidate: CandidateId,
    /// The size class it was given.
    pub size_class: u8,
    /// Bytes of prompt text.
    pub prompt_bytes: u64,
    /// What the provider counted.
    pub usage: Usage,
    /// From sending to the first content, when known.
    pub first_content: Option<Micros>,
    /// From sending to the end.
    pub latency: Micros,
}

/// Learns and guesses. Keys are bounded by the configuration.
#[derive(Clone, Debug)]
pub struct Estimator {}

impl Estimator {
    /// Nothing learned yet.
    #[must_use]
    pub fn new(config: &Config) -> Self {
        todo!()
    }

    /// Goes over to a new configuration; lanes, tenants and candidates that stay keep what was learned.
    pub fn configure(&mut self, config: &Config) {
        todo!()
    }

    /// Guesses for a request that arrives; durations are those of the lane's slowest candidate.
    #[must_use]
    pub fn estimate(
        &self,
        lane: LaneId,
        tenant: TenantId,
        prompt_bytes: u64,
        max_output: Option<Tokens>,
    ) -> Estimate {
        todo!()
    }

    /// Expected and bounded duration of so much output at one candidate.
    #[must_use]
    pub fn duration(
        &self,
        candidate: CandidateId,
        output: Tokens,
        max_output: Option<Tokens>,
    ) -> (Micros, Micros) {
        todo!()
    }

    /// Learns from an attempt whose usage the provider said.
    pub fn learn(&mut self, lesson: &Lesson) {
        todo!()
    }
}
