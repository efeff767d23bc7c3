//! Figures of a set of numbers.

/// The number below which so many hundredths of them lie, by nearest rank; `None` of none.
pub(super) fn percentile(numbers: impl IntoIterator<Item = f64>, hundredths: f64) -> Option<f64> {
    let mut sorted: Vec<f64> = numbers.into_iter().collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let rank = (sorted.len() as f64 * hundredths / 100.0).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied()
}

/// Jain's index of fairness: 1 when all are equal, 1/n when one has everything (Jain, Chiu and Hawe, "A
/// Quantitative Measure of Fairness", DEC-TR-301, 1984). Whoever has a weight gives what each got divided by it.
pub(super) fn jain(gains: &[f64]) -> Option<f64> {
    let sum: f64 = gains.iter().sum();
    let squares: f64 = gains.iter().map(|gain| gain * gain).sum();
    (squares > 0.0).then(|| sum * sum / (gains.len() as f64 * squares))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_members_of_the_set() {
        let numbers = || (1..=100).map(f64::from);
        assert_eq!(percentile(numbers(), 50.0), Some(50.0));
        assert_eq!(percentile(numbers(), 99.0), Some(99.0));
        assert_eq!(percentile(numbers(), 100.0), Some(100.0));
        assert_eq!(percentile([7.0], 1.0), Some(7.0));
        assert_eq!(percentile([], 50.0), None);
    }

    #[test]
    fn fairness_lies_between_one_share_and_one() {
        assert_eq!(jain(&[3.0, 3.0, 3.0]), Some(1.0));
        assert_eq!(jain(&[9.0, 0.0, 0.0]), Some(1.0 / 3.0));
        assert_eq!(jain(&[0.0, 0.0]), None);
    }
}
