//! Each upstream's effective limit as a moving line, over what it has in flight and what it can hold.

use std::time::Duration;

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Stylize};
use ratatui::symbols::Marker;
use ratatui::text::Line;
use ratatui::widgets::{Axis, Block, Chart, Dataset, GraphType};

use super::{BUSY, GOOD, HELD, QUIET};
use crate::demo::board::{Board, Gauge};
use crate::demo::cast::START_LIMIT;

/// The least time that the axis spans.
const SPAN: f64 = 10.0;
/// From this width on the title has room for words.
const WIDE: u16 = 58;
/// From this width on it also tells what the upstream hides.
const WIDEST: u16 = 72;

type Points = Vec<(f64, f64)>;

pub(super) fn draw(frame: &mut Frame, area: Rect, board: &Board, now: Duration) {
    let panels = Layout::horizontal([Constraint::Ratio(1, 2); 2]).spacing(1).split(area);
    for (gauge, panel) in board.gauges.iter().zip(panels.iter()) {
        draw_gauge(frame, *panel, gauge, board.act_began, now);
    }
}

fn draw_gauge(frame: &mut Frame, area: Rect, gauge: &Gauge, began: Duration, now: Duration) {
    let end = now.saturating_sub(began).as_secs_f64().max(SPAN);
    let since = |at: Duration| at.saturating_sub(began).as_secs_f64();
    let hidden = f64::from(gauge.upstream.hidden);
    let capacity: Points = vec![(0.0, hidden), (end, hidden)];
    let samples = gauge.samples.iter();
    let in_flight: Points = samples.map(|(at, count)| (since(*at), f64::from(*count))).collect();
    let limit =
        steps(gauge.limits.iter().map(|(at, limit)| (since(*at), f64::from(*limit))), since(now));
    let datasets = vec![line(&capacity, QUIET), line(&in_flight, GOOD), line(&limit, BUSY)];
    let top = f64::from(START_LIMIT + 1);
    let labels = ["0".to_owned(), START_LIMIT.to_string()].map(|label| label.fg(QUIET));
    let chart = Chart::new(datasets)
        .block(Block::new().title(title(gauge, area.width)))
        .x_axis(Axis::default().bounds([0.0, end]))
        .y_axis(Axis::default().bounds([0.0, top]).labels(labels).style(QUIET))
        .legend_position(None);
    frame.render_widget(chart, area);
}

fn line(points: &[(f64, f64)], colour: Color) -> Dataset<'_> {
    Dataset::default().marker(Marker::Braille).graph_type(GraphType::Line).fg(colour).data(points)
}

/// A value holds until the next one, and the last until `end`.
fn steps(changes: impl Iterator<Item = (f64, f64)>, end: f64) -> Points {
    let mut points = Points::new();
    for (at, value) in changes {
        if let Some((_, before)) = points.last().copied() {
            points.push((at, before));
        }
        points.push((at, value));
    }
    points.extend(points.last().map(|(_, value)| (end, *value)));
    points
}

fn title(gauge: &Gauge, width: u16) -> Line<'static> {
    let wide = width >= WIDE;
    let (name, in_flight) =
        if wide { (gauge.upstream.title, " in flight ") } else { (gauge.upstream.name, " busy ") };
    let limit = gauge.limit().map_or("-".to_owned(), |limit| limit.to_string());
    let mut spans = vec![
        name.bold(),
        " limit ".fg(QUIET),
        limit.fg(BUSY).bold(),
        in_flight.fg(QUIET),
        gauge.counts.in_flight.to_string().fg(GOOD).bold(),
        " 429s ".fg(QUIET),
        gauge.counts.refused.to_string().fg(HELD).bold(),
    ];
    if width >= WIDEST {
        spans.push(format!(" serves {}", gauge.upstream.hidden).fg(QUIET));
    }
    Line::from(spans)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_a_staircase() {
        let changes = [(0.0, 8.0), (2.0, 6.0)];
        let expected = [(0.0, 8.0), (2.0, 8.0), (2.0, 6.0), (5.0, 6.0)];
        assert_eq!(steps(changes.into_iter(), 5.0), expected);
        assert_eq!(steps([].into_iter(), 5.0), []);
    }
}
