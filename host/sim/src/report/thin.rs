//! Curves with fewer points and the same picture.

/// Spans that a long curve is cut into: one for each three pixels of a plot.
const COLUMNS: usize = 300;

/// At most two points for each of [`COLUMNS`] spans: the least and the greatest value in it, in their order. A
/// spike or a gap that lasts for one point is still there.
pub(super) fn thin(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    if points.len() <= 2 * COLUMNS {
        return points.to_vec();
    }
    let width = points.len().div_ceil(COLUMNS);
    points.chunks(width).flat_map(extremes).collect()
}

fn extremes(span: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let by_value = |a: &&(f64, f64), b: &&(f64, f64)| a.1.total_cmp(&b.1);
    let least = span.iter().min_by(by_value);
    let most = span.iter().max_by(by_value);
    let mut both: Vec<(f64, f64)> = least.into_iter().chain(most).copied().collect();
    both.sort_by(|a, b| a.0.total_cmp(&b.0));
    both.dedup();
    both
}

/// As stairs: each value holds until the next point.
pub(super) fn stairs(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut stairs: Vec<(f64, f64)> = Vec::with_capacity(points.len() * 2);
    for &(x, y) in points {
        if let Some(&(_, before)) = stairs.last()
            && before != y
        {
            stairs.push((x, before));
        }
        stairs.push((x, y));
    }
    stairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spike_outlives_the_thinning() {
        let mut points: Vec<(f64, f64)> = (0..100_000).map(|x| (f64::from(x), 1.0)).collect();
        points[54_321].1 = 9.0;
        points[77_777].1 = 0.0;
        let thinned = thin(&points);
        assert!(thinned.len() <= 2 * COLUMNS);
        assert!(thinned.contains(&(54_321.0, 9.0)) && thinned.contains(&(77_777.0, 0.0)));
        assert!(thinned.is_sorted_by(|a, b| a.0 <= b.0));
    }

    #[test]
    fn a_short_curve_stays_as_it_is() {
        let points = [(0.0, 1.0), (1.0, 2.0)];
        assert_eq!(thin(&points), points);
    }

    #[test]
    fn a_value_holds_until_the_next() {
        let stairs = stairs(&[(0.0, 1.0), (5.0, 1.0), (9.0, 3.0)]);
        assert_eq!(stairs, [(0.0, 1.0), (5.0, 1.0), (9.0, 1.0), (9.0, 3.0)]);
    }
}
