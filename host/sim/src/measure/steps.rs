//! A number that changes in steps: a limit, a count of requests in flight.

use weir_core::units::Micros;

use super::window::Window;

/// Its value from each time of change on; before the first change it has the first value. Times rise, and of
/// several changes at one time the last holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Steps(Vec<(Micros, f64)>);

impl Steps {
    /// From changes in the order of their times.
    pub(super) fn new(changes: impl IntoIterator<Item = (Micros, f64)>) -> Self {
        let mut steps = Self::default();
        for (at, value) in changes {
            steps.set(at, value);
        }
        steps
    }

    /// How many of these spans hold each time; a span without an end lasts for ever.
    pub(super) fn count(spans: impl IntoIterator<Item = (Micros, Option<Micros>)>) -> Self {
        let mut edges: Vec<(Micros, i64)> = Vec::new();
        for (from, until) in spans {
            edges.push((from, 1));
            edges.extend(until.map(|until| (until, -1)));
        }
        edges.sort_unstable();
        let mut count = 0;
        let changes = edges.into_iter().map(|(at, change)| {
            count += change;
            (at, count as f64)
        });
        Self::new(std::iter::once((Micros::ZERO, 0.0)).chain(changes))
    }

    fn set(&mut self, at: Micros, value: f64) {
        match self.0.last_mut() {
            Some(last) if last.0 == at => last.1 = value,
            Some(last) if last.1 == value => {}
            _ => self.0.push((at, value)),
        }
    }

    /// The value at a time; `None` when there is none at all.
    pub(super) fn at(&self, time: Micros) -> Option<f64> {
        let after = self.0.partition_point(|(at, _)| *at <= time);
        self.0.get(after.saturating_sub(1)).map(|(_, value)| *value)
    }

    /// Pieces of constant value in a window.
    fn pieces(&self, window: Window) -> impl Iterator<Item = (Window, f64)> + '_ {
        let first = self.0.partition_point(|(at, _)| *at <= window.from).saturating_sub(1);
        self.0.iter().enumerate().skip(first).map_while(move |(index, (at, value))| {
            let from = if index == first { window.from } else { (*at).max(window.from) };
            let next = self.0.get(index + 1).map_or(window.until, |(at, _)| *at);
            (from < window.until).then(|| (Window { from, until: next.min(window.until) }, *value))
        })
    }

    /// The mean over time in a window; `None` when the window or the steps are empty.
    pub(super) fn mean(&self, window: Window) -> Option<f64> {
        let area: f64 = self.pieces(window).map(|(piece, value)| piece.seconds() * value).sum();
        let seconds = window.seconds();
        (seconds > 0.0 && !self.0.is_empty()).then(|| area / seconds)
    }

    /// The greatest value in a window.
    pub(super) fn most(&self, window: Window) -> Option<f64> {
        self.pieces(window).map(|(_, value)| value).reduce(f64::max)
    }

    /// When the value is first at least so much in a window.
    pub(super) fn first_at_least(&self, value: f64, window: Window) -> Option<Micros> {
        self.pieces(window).find(|(_, is)| *is >= value).map(|(piece, _)| piece.from)
    }

    /// When the value is first at most so much in a window.
    pub(super) fn first_at_most(&self, value: f64, window: Window) -> Option<Micros> {
        self.pieces(window).find(|(_, is)| *is <= value).map(|(piece, _)| piece.from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(from: u64, until: u64) -> Window {
        Window { from: Micros::from_secs(from), until: Micros::from_secs(until) }
    }

    fn steps(changes: &[(u64, f64)]) -> Steps {
        Steps::new(changes.iter().map(|(at, value)| (Micros::from_secs(*at), *value)))
    }

    #[test]
    fn the_mean_weighs_by_time_and_begins_inside_a_step() {
        let steps = steps(&[(0, 2.0), (10, 6.0), (14, 1.0)]);
        assert_eq!(steps.mean(window(8, 12)), Some(4.0));
        assert_eq!(steps.mean(window(20, 30)), Some(1.0));
        assert_eq!(steps.mean(window(5, 5)), None);
        assert_eq!(Steps::default().mean(window(0, 1)), None);
    }

    #[test]
    fn a_level_is_reached_at_the_change_or_at_the_start_of_the_window() {
        let steps = steps(&[(0, 2.0), (10, 6.0), (14, 1.0)]);
        let secs = |at: Option<Micros>| at.map(|at| at.0 / 1_000_000);
        assert_eq!(secs(steps.first_at_least(5.0, window(3, 30))), Some(10));
        assert_eq!(secs(steps.first_at_least(2.0, window(3, 30))), Some(3));
        assert_eq!(secs(steps.first_at_least(7.0, window(3, 30))), None);
        assert_eq!(secs(steps.first_at_most(1.0, window(3, 30))), Some(14));
        assert_eq!(secs(steps.first_at_least(5.0, window(0, 10))), None, "the end is outside");
    }

    #[test]
    fn spans_are_counted_and_of_one_instant_the_last_holds() {
        let at = Micros::from_secs;
        let count = Steps::count([(at(1), Some(at(3))), (at(3), Some(at(5))), (at(3), None)]);
        let values: Vec<_> = [0, 1, 3, 5, 9].map(|time| count.at(at(time)).unwrap()).to_vec();
        assert_eq!(values, [0.0, 1.0, 2.0, 1.0, 1.0]);
        assert_eq!(count.most(window(0, 9)), Some(2.0));
    }
}
