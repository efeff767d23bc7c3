//! A row an agent.

use std::time::Duration;

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Stylize};
use ratatui::text::Text;
use ratatui::widgets::{Row as Cells, Table};

use super::{BAD, BUSY, GOOD, HELD, QUIET, seconds, short};
use crate::demo::board::{Board, Row};
use crate::demo::news::State;

/// From this width on a row has room for words.
const WIDE: u16 = 59;
/// The narrowest row that holds every figure.
const NARROW: u16 = 39;
const AGENTS: u16 = 30;

const WIDE_WIDTHS: [u16; 9] = [2, 6, 7, 11, 6, 5, 3, 6, 5];
const NARROW_WIDTHS: [u16; 8] = [2, 1, 6, 5, 5, 2, 5, 5];

/// How many columns of agents fill the screen best: two when they can be wide, one when it is high enough.
pub(super) fn columns(width: u16, height: u16) -> u16 {
    let high = height > AGENTS;
    if width > 2 * WIDE || (!high && width > 2 * NARROW) { 2 } else { 1 }
}

/// Rows that all agents need, the heading among them.
pub(super) fn height(agents: usize, columns: u16) -> u16 {
    u16::try_from(agents).unwrap_or(u16::MAX).div_ceil(columns).saturating_add(1)
}

pub(super) fn draw(frame: &mut Frame, area: Rect, board: &Board, columns: u16, now: Duration) {
    let share = Constraint::Ratio(1, u32::from(columns));
    let panels = Layout::horizontal(vec![share; usize::from(columns)]).spacing(1).split(area);
    let each = board.rows.len().div_ceil(usize::from(columns));
    let chosen = chosen(board, usize::from(area.height.saturating_sub(1) * columns));
    for (rows, panel) in chosen.chunks(each).zip(panels.iter()) {
        frame.render_widget(table(rows, panel.width, now), *panel);
    }
}

/// All agents, in order; when there is no room for all, those at work before those that have ended.
fn chosen(board: &Board, room: usize) -> Vec<&Row> {
    let mut rows: Vec<&Row> = board.rows.iter().collect();
    if rows.len() > room {
        rows.sort_by_key(|row| row.has_ended());
    }
    rows
}

fn table<'a>(rows: &[&'a Row], width: u16, now: Duration) -> Table<'a> {
    let wide = width >= WIDE;
    let heading = if wide {
        Cells::new(
            ["#", "tenant", "state", "model", "in", "out", "req", "waited", "time"].map(right),
        )
    } else {
        Cells::new(["#", "", "model", "in", "out", "rq", "wait", "time"].map(right))
    };
    let cells = rows.iter().map(|row| if wide { wide_row(row, now) } else { narrow_row(row, now) });
    let widths = if wide { WIDE_WIDTHS.to_vec() } else { NARROW_WIDTHS.to_vec() };
    Table::new(cells, widths).header(heading.fg(QUIET)).column_spacing(1)
}

/// Headings of figures stand over their last digit.
fn right(heading: &'static str) -> Text<'static> {
    let text = Text::from(heading);
    if matches!(heading, "in" | "out" | "req" | "rq" | "waited" | "wait" | "time") {
        text.right_aligned()
    } else {
        text
    }
}

fn wide_row(row: &Row, now: Duration) -> Cells<'_> {
    let (_, word, colour) = state(&row.state);
    let words = [row.member.tenant.name, word, row.member.upstream().model];
    let [tenant, word, model] = words.map(Text::from);
    let cells = [Text::from(number(row)), tenant, word.fg(colour), model];
    Cells::new(cells.into_iter().chain(figures(row, now)))
}

fn narrow_row(row: &Row, now: Duration) -> Cells<'_> {
    let (mark, _, colour) = state(&row.state);
    let model = row.member.upstream().model;
    let cells = [Text::from(number(row)), Text::from(mark).fg(colour), Text::from(model)];
    Cells::new(cells.into_iter().chain(figures(row, now)))
}

fn number(row: &Row) -> String {
    format!("{:02}", row.member.number + 1)
}

fn figures(row: &Row, now: Duration) -> impl Iterator<Item = Text<'static>> {
    let figures = [
        short(row.counts.input),
        short(row.counts.output),
        short(row.counts.sent),
        seconds(row.waited(now)),
        seconds(row.elapsed(now)),
    ];
    figures.into_iter().map(|figure| Text::from(figure).right_aligned())
}

/// A mark, a word and a colour.
fn state(state: &State) -> (&'static str, &'static str, Color) {
    match state {
        State::Idle => ("-", "idle", QUIET),
        State::Waiting => ("w", "waiting", HELD),
        State::Refused => ("x", "refused", BAD),
        State::Reading => (">", "reading", BUSY),
        State::Finished => ("+", "done", GOOD),
        State::Failed(_) => ("!", "gave up", BAD),
    }
}
