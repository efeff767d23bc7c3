//! What act it is, and totals.

use std::time::Duration;

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Style, Stylize};
use ratatui::text::{Line, Span};

use super::{BAD, GOOD, QUIET, seconds, short};
use crate::demo::board::Board;
use crate::demo::news::Act;

pub(super) fn draw(frame: &mut Frame, area: Rect, board: &Board, now: Duration) {
    let [first, second] = Layout::vertical([Constraint::Length(1); 2]).areas(area);
    let [left, right] =
        Layout::horizontal([Constraint::Min(0), Constraint::Length(16)]).areas(first);
    frame.render_widget(title(board), left);
    let clock = format!("{}  q quits", seconds(now));
    frame.render_widget(Line::from(clock).right_aligned().fg(QUIET), right);
    frame.render_widget(totals(board), second);
}

fn title(board: &Board) -> Line<'static> {
    let act = match board.act {
        Act::Ungoverned => "1/2 ungoverned, straight to the providers",
        Act::Governed => "2/2 governed",
        Act::Over => "over",
    };
    let mut spans = vec![" weir demo ".reversed().bold(), format!(" {act}").bold()];
    if let Some(before) = &board.before {
        let text = format!(" (ungoverned: {} finished, {} x 429)", before.finished, before.refused);
        spans.push(text.fg(QUIET));
    }
    Line::from(spans)
}

fn totals(board: &Board) -> Line<'static> {
    let refused = board.sum(|counts| counts.refused);
    let spans = [
        figure("finished", format!("{}/{}", board.finished(), board.rows.len()), GOOD.into()),
        figure("gave up", board.failed().to_string(), alarm(board.failed() as u64)),
        figure("429s sent", board.refused().to_string(), Style::new()),
        figure("agents saw", refused.to_string(), alarm(refused)),
        figure("tokens in", short(board.sum(|counts| counts.input)), Style::new()),
        figure("out", short(board.sum(|counts| counts.output)), Style::new()),
    ];
    Line::from_iter(spans.into_iter().flatten())
}

fn figure(name: &str, value: String, style: Style) -> [Span<'static>; 2] {
    [Span::styled(format!(" {name} "), QUIET), Span::styled(value, style.bold())]
}

fn alarm(count: u64) -> Style {
    if count > 0 { BAD.into() } else { GOOD.into() }
}
