//! How an upstream was used: limits and what was in flight against what it takes, and what it refused.

use super::plot::{Axis, COLOURS, Chart, Line, Scale};
use super::seconds;
use super::thin::{stairs, thin};
use crate::record::{CellSample, Record};

/// Spans that refusals are counted in.
const SPANS: usize = 120;

/// Limit, in flight and what the upstream takes, all hosts together.
pub(super) fn chart(record: &Record, upstream: usize) -> Chart {
    let curve = |of: &dyn Fn(&CellSample) -> u32| sum_of(record, upstream, of);
    let in_flight = curve(&|cell| cell.in_flight);
    let limit = curve(&|cell| cell.effective);
    let hidden = hidden(record, upstream);
    let greatest = |points: &[(f64, f64)]| points.iter().map(|(_, y)| *y).fold(0.0, f64::max);
    // A limit that nothing bounds would press all else to the ground.
    let used = greatest(&in_flight).max(greatest(&hidden)).max(1.0);
    let top = greatest(&limit).max(used).min(3.0 * used);
    let line = |name: &str, place: usize, points: Vec<(f64, f64)>| Line {
        name: name.to_owned(),
        colour: COLOURS[place],
        points: thin(&stairs(&points)).into_iter().map(|(x, y)| (x, y.min(top))).collect(),
        filled: false,
        width: 2,
    };
    Chart {
        x: time(record),
        y: Axis::up_to("at once", top, Scale::Linear),
        lines: vec![
            Line { filled: true, width: 1, ..line("in flight", 1, in_flight) },
            Line { width: 3, ..line("what it takes", 7, hidden) },
            line("limit", 0, limit),
        ],
    }
}

/// Attempts that each upstream refused for load, a minute.
pub(super) fn throttles(record: &Record) -> Chart {
    let span = (seconds(record.finished) / SPANS as f64).max(1e-3);
    let count = |upstream: usize| {
        let mut counts = vec![0_u32; SPANS];
        let refused = record.attempts.iter().filter(|attempt| attempt.fate.is_throttle());
        for attempt in refused.filter(|attempt| usize::from(attempt.upstream) == upstream) {
            let at = seconds(attempt.ended.unwrap_or(attempt.sent)) / span;
            counts[(at as usize).min(SPANS - 1)] += 1;
        }
        let last = counts[SPANS - 1];
        let rate = |(place, count)| (place as f64 * span, f64::from(count) * 60.0 / span);
        // The last span has an end too.
        counts.into_iter().chain([last]).enumerate().map(rate).collect::<Vec<_>>()
    };
    let names = record.names.upstreams.iter().enumerate().take(super::MOST_UPSTREAMS);
    let lines: Vec<Line> = names
        .map(|(place, name)| Line {
            name: name.clone(),
            colour: COLOURS[place % COLOURS.len()],
            points: stairs(&count(place)),
            filled: false,
            width: 2,
        })
        .collect();
    let all = lines.iter().flat_map(|line| &line.points);
    let most = all.map(|(_, rate)| *rate).fold(0.0, f64::max);
    Chart { x: time(record), y: Axis::up_to("a minute", most, Scale::Linear), lines }
}

/// The run's time.
pub(super) fn time(record: &Record) -> Axis {
    let to = seconds(record.finished.max(record.duration)).max(1.0);
    Axis { name: "seconds", from: 0.0, to, scale: Scale::Linear }
}

/// What the provider took at once; nothing where it took any number.
fn hidden(record: &Record, upstream: usize) -> Vec<(f64, f64)> {
    let bounded = |cell: &CellSample| (cell.hidden != u32::MAX).then_some(f64::from(cell.hidden));
    let samples = record.samples.iter();
    let found = samples.filter_map(|it| Some((seconds(it.at), bounded(it.cells.get(upstream)?)?)));
    found.collect()
}

/// A value of an upstream at each time, summed over the hosts.
fn sum_of(record: &Record, upstream: usize, of: &dyn Fn(&CellSample) -> u32) -> Vec<(f64, f64)> {
    let upstreams = record.names.upstreams.len().max(1);
    let sum = |cells: &[CellSample]| {
        cells.iter().skip(upstream).step_by(upstreams).map(|cell| f64::from(of(cell))).sum()
    };
    record.samples.iter().map(|sample| (seconds(sample.at), sum(&sample.cells))).collect()
}
