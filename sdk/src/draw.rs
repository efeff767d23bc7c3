//! Chance, as the host hands it to a policy.

/// A random number that comes with a call and is the same in every replay of it.
///
/// ```
/// use weir_sdk::Draw;
///
/// assert_eq!(Draw(0).unit(), 0.0);
/// assert!(Draw(u64::MAX).unit() < 1.0);
/// assert!(Draw(12_345).below(10) < 10);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draw(pub u64);

impl Draw {
    /// Evenly spread over 0 to 1, 1 excluded.
    #[must_use]
    pub fn unit(self) -> f64 {
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Evenly spread over 0 to `end`, `end` excluded; 0 when `end` is 0.
    #[must_use]
    pub fn below(self, end: u64) -> u64 {
        ((u128::from(self.0) * u128::from(end)) >> 64) as u64
    }
}
