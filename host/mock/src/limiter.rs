//! Admission: slots in flight and up to four rates, all or nothing.
//!
//! A request is refused by the first dimension that cannot hold it and then takes nothing from any.
//! Output is reserved at the start and settled at the end, as the providers do. Pure: time is told.

use serde::Serialize;

use crate::bucket::{Bucket, Fit, Level};
use crate::clock::Micros;
use crate::script::{Limits, Window};

/// What ran out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Dimension {
    /// Requests in flight.
    Concurrency,
    /// Requests a minute.
    Requests,
    /// Input and output tokens a minute, together.
    Tokens,
    /// Input tokens a minute.
    InputTokens,
    /// Output tokens a minute.
    OutputTokens,
    /// A prepaid or monthly quota; only scripted faults refuse by it.
    Quota,
}

/// What one request needs of the rates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Claim {
    pub(crate) input: u64,
    /// Reserved at the start; settled to what was generated.
    pub(crate) output: u64,
}

/// Why a request was not let in, with the numbers the providers print.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) dimension: Dimension,
    pub(crate) limit: u64,
    pub(crate) used: u64,
    pub(crate) requested: u64,
    pub(crate) when: When,
}

/// When a refused request could pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    /// After so many microseconds.
    After(Micros),
    /// When a slot comes free; nobody knows when.
    Unknown,
    /// Not in this form.
    Never,
}

/// The rates as the headers tell them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Levels {
    pub(crate) requests: Option<Level>,
    pub(crate) tokens: Option<Level>,
    pub(crate) input: Option<Level>,
    pub(crate) output: Option<Level>,
}

/// The state of one provider's limits.
#[derive(Debug)]
pub(crate) struct Limiter {
    concurrency: Option<u32>,
    in_flight: u32,
    rates: [(Dimension, Option<Bucket>); 4],
}

impl Limiter {
    pub(crate) fn new(limits: &Limits, window: Window) -> Self {
        let bucket = |limit: Option<u32>| limit.map(|limit| Bucket::new(window, limit));
        Self {
            concurrency: limits.concurrency,
            in_flight: 0,
            rates: [
                (Dimension::Requests, bucket(limits.rpm)),
                (Dimension::Tokens, bucket(limits.tpm)),
                (Dimension::InputTokens, bucket(limits.input_tpm)),
                (Dimension::OutputTokens, bucket(limits.output_tpm)),
            ],
        }
    }

    pub(crate) fn in_flight(&self) -> u32 {
        self.in_flight
    }

    /// Takes a slot and all the rates, or nothing. Every success is to be settled once.
    pub(crate) fn admit(&mut self, now: Micros, claim: Claim) -> Result<(), Refusal> {
        if let Some(limit) = self.concurrency.filter(|limit| self.in_flight >= *limit) {
            return Err(Refusal {
                dimension: Dimension::Concurrency,
                limit: u64::from(limit),
                used: u64::from(self.in_flight),
                requested: 1,
                when: When::Unknown,
            });
        }
        for (dimension, bucket) in self.buckets() {
            check(dimension, bucket, now, claim.amount(dimension))?;
        }
        for (dimension, bucket) in self.buckets() {
            bucket.take(now, claim.amount(dimension));
        }
        self.in_flight += 1;
        Ok(())
    }

    /// Frees the slot and gives back the output that was reserved and not generated.
    pub(crate) fn settle(&mut self, now: Micros, claim: Claim, generated: u64) {
        self.in_flight = self.in_flight.saturating_sub(1);
        let unused = Claim { input: 0, output: claim.output.saturating_sub(generated) };
        for (dimension, bucket) in self.buckets() {
            if dimension != Dimension::Requests {
                bucket.give_back(now, unused.amount(dimension));
            }
        }
    }

    pub(crate) fn levels(&mut self, now: Micros) -> Levels {
        let mut levels = Levels::default();
        for (dimension, bucket) in self.buckets() {
            let level = Some(bucket.level(now));
            match dimension {
                Dimension::Requests => levels.requests = level,
                Dimension::Tokens => levels.tokens = level,
                Dimension::InputTokens => levels.input = level,
                Dimension::OutputTokens => levels.output = level,
                Dimension::Concurrency | Dimension::Quota => {}
            }
        }
        levels
    }

    fn buckets(&mut self) -> impl Iterator<Item = (Dimension, &mut Bucket)> {
        self.rates.iter_mut().filter_map(|(dimension, bucket)| Some((*dimension, bucket.as_mut()?)))
    }
}

impl Claim {
    fn amount(self, dimension: Dimension) -> u64 {
        match dimension {
            Dimension::Requests | Dimension::Concurrency => 1,
            Dimension::Tokens => self.input.saturating_add(self.output),
            Dimension::InputTokens => self.input,
            Dimension::OutputTokens => self.output,
            Dimension::Quota => 0,
        }
    }
}

impl Levels {
    /// The tightest token limit in force: the least share left.
    pub(crate) fn tightest_tokens(&self) -> Option<Level> {
        let share = |level: &Level| level.remaining.saturating_mul(1_000_000) / level.limit.max(1);
        [self.tokens, self.input, self.output].into_iter().flatten().min_by_key(share)
    }
}

fn check(
    dimension: Dimension,
    bucket: &mut Bucket,
    now: Micros,
    amount: u64,
) -> Result<(), Refusal> {
    let when = match bucket.fit(now, amount) {
        Fit::Now => return Ok(()),
        Fit::After(wait) => When::After(wait),
        Fit::Never => When::Never,
    };
    let level = bucket.level(now);
    let used = level.limit - level.remaining;
    Err(Refusal { dimension, limit: level.limit, used, requested: amount, when })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn limits() -> Limits {
        Limits {
            concurrency: Some(3),
            rpm: Some(20),
            input_tpm: Some(1000),
            output_tpm: Some(500),
            ..Limits::default()
        }
    }

    #[test]
    fn a_refusal_takes_nothing() {
        let mut limiter = Limiter::new(&limits(), Window::Bucket);
        let refusal = limiter.admit(0, Claim { input: 10, output: 501 }).unwrap_err();
        assert_eq!(refusal.dimension, Dimension::OutputTokens);
        assert_eq!(refusal.when, When::Never);
        let levels = limiter.levels(0);
        assert_eq!(levels.requests.unwrap().remaining, 20);
        assert_eq!(levels.input.unwrap().remaining, 1000);
        assert_eq!(limiter.in_flight(), 0);
    }

    #[test]
    fn settling_gives_back_the_unused_output_only() {
        let mut limiter = Limiter::new(&limits(), Window::Fixed);
        limiter.admit(0, Claim { input: 100, output: 400 }).unwrap();
        limiter.settle(5, Claim { input: 100, output: 400 }, 150);
        let levels = limiter.levels(5);
        assert_eq!(levels.output.unwrap().remaining, 350);
        assert_eq!(levels.input.unwrap().remaining, 900);
        assert_eq!(levels.requests.unwrap().remaining, 19);
        assert_eq!(levels.tightest_tokens().unwrap().limit, 500);
    }

    proptest! {
        /// Slots are conserved and never exceed the limit, whatever the order of starts and ends.
        #[test]
        fn slots_are_conserved(steps in prop::collection::vec((any::<bool>(), 0u64..2_000_000), 1..300)) {
            let only_slots = Limits { concurrency: Some(4), ..Limits::default() };
            let mut limiter = Limiter::new(&only_slots, Window::Bucket);
            let claim = Claim { input: 1, output: 1 };
            let (mut now, mut open) = (0, 0u32);
            for (start, gap) in steps {
                now += gap;
                if start {
                    let admitted = limiter.admit(now, claim).is_ok();
                    prop_assert_eq!(admitted, open < 4);
                    open += u32::from(admitted);
                } else if open > 0 {
                    limiter.settle(now, claim, 1);
                    open -= 1;
                }
                prop_assert_eq!(limiter.in_flight(), open);
            }
        }
    }
}
