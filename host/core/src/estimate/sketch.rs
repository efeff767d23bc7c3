//! A sketch of a distribution of token counts.

/// Steps of an octave, as a power of two.
const FINE: u32 = 3;

/// Counts above 2^24 are counted as that.
const TOP: u32 = 24;

const BUCKETS: usize = ((TOP - FINE + 2) << FINE) as usize;

/// At so many samples all counts are halved, so that what is old fades.
const FULL: u32 = 1_024;

/// A histogram with eight buckets an octave. A quantile is the upper edge of its bucket: never below the
/// true one, and above it by an eighth at most.
#[derive(Clone, Debug)]
pub(super) struct Sketch {
    counts: Box<[u16; BUCKETS]>,
    total: u32,
}

impl Default for Sketch {
    fn default() -> Self {
        Self { counts: Box::new([0; BUCKETS]), total: 0 }
    }
}

impl Sketch {
    /// Counts one sample.
    pub(super) fn add(&mut self, value: u64) {
        if self.total >= FULL {
            self.counts.iter_mut().for_each(|count| *count /= 2);
            self.total = self.counts.iter().map(|count| u32::from(*count)).sum();
        }
        self.counts[bucket(value)] += 1;
        self.total += 1;
    }

    /// Samples counted, old ones faded.
    pub(super) fn samples(&self) -> u32 {
        self.total
    }

    /// The value that so many hundredths of the samples do not pass; `None` without samples.
    pub(super) fn quantile(&self, hundredths: u32) -> Option<u64> {
        let rank = (self.total * hundredths).div_ceil(100).max(1);
        let mut seen = 0;
        let found = self.counts.iter().position(|count| {
            seen += u32::from(*count);
            seen >= rank
        });
        found.map(edge)
    }
}

fn bucket(value: u64) -> usize {
    let value = value.min((1 << TOP) - 1);
    if value < 1 << FINE {
        return value as usize;
    }
    let octave = value.ilog2();
    let step = (value >> (octave - FINE)) & ((1 << FINE) - 1);
    (((octave - FINE + 1) as usize) << FINE) + step as usize
}

/// The greatest value of a bucket.
fn edge(bucket: usize) -> u64 {
    let (octave, step) = ((bucket >> FINE) as u32, (bucket & ((1 << FINE) - 1)) as u64);
    if octave == 0 {
        return step;
    }
    (((1 << FINE) + step + 1) << (octave - 1)) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_bound_their_values_within_an_eighth() {
        for value in (0..5_000).chain([65_535, 65_536, 1 << 20, (1 << TOP) - 1]) {
            let edge = edge(bucket(value));
            assert!(edge >= value && edge <= value + value / 8, "{value} in {edge}");
        }
    }

    #[test]
    fn quantiles_follow_what_is_new() {
        let mut sketch = Sketch::default();
        assert_eq!(sketch.quantile(95), None);
        (1..=100).for_each(|value| sketch.add(value));
        assert_eq!(sketch.quantile(50), Some(51));
        assert_eq!(sketch.quantile(95), Some(95));
        (0..4_000).for_each(|_| sketch.add(1_000));
        assert_eq!(sketch.quantile(95), Some(1_023));
    }
}
