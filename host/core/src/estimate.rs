//! What a request will need, guessed from what earlier ones needed.
//!
//! Input comes from bytes of prompt by a ratio that is learned for each lane and tenant, from four bytes a
//! token. Output reserves the least of what the request allows and the 95th percentile of its lane and size
//! class; until twenty answers are known it reserves all that the request allows. Time comes from what each
//! candidate takes to its first token and for each further one.
//!
//! Everything learned fades, and keys are bounded by the configuration.

mod sketch;
mod speed;

use self::sketch::Sketch;
use self::speed::Speed;

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

/// What a request that sets no bound is thought to allow.
const DEFAULT_OUTPUT: Tokens = Tokens(4_096);

/// Samples from which a distribution is believed.
const ENOUGH: u32 = 20;

/// Upper ends of the size classes but the last.
const CLASSES: [Micros; 3] = [Micros::from_secs(2), Micros::from_secs(8), Micros::from_secs(30)];

/// Learns and guesses. See the module's text.
#[derive(Clone, Debug, Default)]
pub struct Estimator {
    lanes: Vec<Lane>,
    tenants: Vec<String>,
    /// By lane, then tenant.
    ratios: Vec<Ratio>,
    /// By candidate: upstream and model with their speed.
    speeds: Vec<(String, String, Speed)>,
}

#[derive(Clone, Debug)]
struct Lane {
    name: String,
    candidates: Vec<CandidateId>,
    all: Sketch,
    by_class: [Sketch; 4],
}

/// Bytes and the tokens that they were counted as; halved when they grow, so that what is old fades.
#[derive(Clone, Copy, Debug)]
struct Ratio {
    bytes: u64,
    tokens: u64,
}

impl Estimator {
    /// Nothing learned yet.
    #[must_use]
    pub fn new(config: &Config) -> Self {
        let mut estimator = Self::default();
        estimator.configure(config);
        estimator
    }

    /// Goes over to a new configuration; lanes, tenants and candidates that stay keep what was learned.
    pub fn configure(&mut self, config: &Config) {
        let before = std::mem::take(self);
        self.tenants = config.tenants.iter().map(|tenant| tenant.name.clone()).collect();
        for lane in &config.lanes {
            let known = before.lanes.iter().position(|known| known.name == lane.name);
            for tenant in &self.tenants {
                self.ratios.push(before.ratio_of(known, tenant));
            }
            let known = known.map(|known| before.lanes[known].clone());
            let mut next = known.unwrap_or_else(|| Lane::new(&lane.name));
            next.candidates.clone_from(&lane.candidates);
            self.lanes.push(next);
        }
        for upstream in &config.upstreams {
            for model in &upstream.models {
                let speed = before.speed_of(&upstream.name, &model.name);
                self.speeds.push((upstream.name.clone(), model.name.clone(), speed));
            }
        }
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
        let input = self.ratio(lane, tenant).map_or_else(Ratio::default, |at| self.ratios[at]);
        let most = max_output.unwrap_or(DEFAULT_OUTPUT);
        let lane = self.lanes.get(lane.0 as usize);
        let likely = lane.map_or(most, |lane| median(&lane.all, most));
        let size_class = class(self.slowest(lane, |speed| speed.expected(likely)));
        let sketch = lane.map(|lane| &lane.by_class[usize::from(size_class)]);
        let likely = sketch.map_or(likely, |sketch| median(sketch, likely));
        Estimate {
            input: input.tokens(prompt_bytes),
            output: sketch.map_or(most, |sketch| believed(sketch, 95, most)),
            expected: self.slowest(lane, |speed| speed.expected(likely)),
            bound: self.slowest(lane, |speed| speed.bound(most)),
            size_class,
        }
    }

    /// Expected and bounded duration of so much output at one candidate.
    #[must_use]
    pub fn duration(
        &self,
        candidate: CandidateId,
        output: Tokens,
        max_output: Option<Tokens>,
    ) -> (Micros, Micros) {
        let speed = self.speeds.get(candidate.0 as usize);
        let speed = speed.map_or_else(Speed::default, |(_, _, speed)| *speed);
        let most = max_output.unwrap_or(DEFAULT_OUTPUT).max(output);
        (speed.expected(output), speed.bound(most))
    }

    /// Learns from an attempt whose usage the provider said.
    pub fn learn(&mut self, lesson: &Lesson) {
        if let Some(at) = self.ratio(lesson.lane, lesson.tenant) {
            self.ratios[at].learn(lesson.prompt_bytes, lesson.usage.input);
        }
        if let Some(lane) = self.lanes.get_mut(lesson.lane.0 as usize) {
            lane.all.add(lesson.usage.output.0);
            lane.by_class[usize::from(lesson.size_class.min(3))].add(lesson.usage.output.0);
        }
        if let Some((_, _, speed)) = self.speeds.get_mut(lesson.candidate.0 as usize) {
            speed.learn(lesson.usage.output, lesson.first_content, lesson.latency);
        }
    }

    fn slowest(&self, lane: Option<&Lane>, time: impl Fn(&Speed) -> Micros) -> Micros {
        let candidates = lane.map_or(&[][..], |lane| &lane.candidates);
        let speeds = candidates.iter().filter_map(|id| self.speeds.get(id.0 as usize));
        speeds.map(|(_, _, speed)| time(speed)).max().unwrap_or_else(|| time(&Speed::default()))
    }

    fn ratio(&self, lane: LaneId, tenant: TenantId) -> Option<usize> {
        let (lane, tenant) = (lane.0 as usize, tenant.0 as usize);
        let known = lane < self.lanes.len() && tenant < self.tenants.len();
        known.then(|| lane * self.tenants.len() + tenant)
    }

    fn ratio_of(&self, lane: Option<usize>, tenant: &str) -> Ratio {
        let tenant = self.tenants.iter().position(|known| known == tenant);
        let at = lane.zip(tenant).map(|(lane, tenant)| lane * self.tenants.len() + tenant);
        at.map_or_else(Ratio::default, |at| self.ratios[at])
    }

    fn speed_of(&self, upstream: &str, model: &str) -> Speed {
        let known = self.speeds.iter().find(|(u, m, _)| u == upstream && m == model);
        known.map_or_else(Speed::default, |(_, _, speed)| *speed)
    }
}

impl Lane {
    fn new(name: &str) -> Self {
        let (all, by_class) = (Sketch::default(), Default::default());
        Self { name: name.to_owned(), candidates: Vec::new(), all, by_class }
    }
}

/// The weight of the start: as if so many bytes had been counted already.
impl Default for Ratio {
    fn default() -> Self {
        Self { bytes: 4_096, tokens: 1_024 }
    }
}

impl Ratio {
    /// From which on both are halved.
    const FULL: u64 = 1 << 20;

    /// Bytes as tokens, rounded up; a token is one byte to sixteen.
    fn tokens(self, bytes: u64) -> Tokens {
        let tokens = u128::from(bytes) * u128::from(self.tokens);
        let tokens = tokens.div_ceil(u128::from(self.bytes.max(1)));
        let tokens = u64::try_from(tokens).unwrap_or(u64::MAX);
        Tokens(tokens.clamp(bytes.div_ceil(16), bytes))
    }

    fn learn(&mut self, bytes: u64, tokens: Tokens) {
        if bytes == 0 {
            return;
        }
        let tokens = tokens.0.clamp(bytes.div_ceil(16), bytes);
        self.bytes = self.bytes.saturating_add(bytes);
        self.tokens = self.tokens.saturating_add(tokens);
        while self.bytes > Self::FULL {
            (self.bytes, self.tokens) = (self.bytes / 2, self.tokens / 2);
        }
    }
}

fn class(expected: Micros) -> u8 {
    CLASSES.iter().filter(|end| expected >= **end).count() as u8
}

fn median(sketch: &Sketch, most: Tokens) -> Tokens {
    believed(sketch, 50, most)
}

/// A quantile, once there are samples enough, and never more than is allowed.
fn believed(sketch: &Sketch, hundredths: u32, most: Tokens) -> Tokens {
    let known = sketch.quantile(hundredths).filter(|_| sketch.samples() >= ENOUGH);
    known.map_or(most, |known| most.min(Tokens(known.max(1))))
}

#[cfg(test)]
mod tests;
