//! What happened, newest last.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Color, Stylize};
use ratatui::text::{Line as Drawn, Text};

use super::{BAD, BUSY, GOOD, HELD, QUIET, seconds};
use crate::demo::board::{Board, Line, Tone};

pub(super) fn draw(frame: &mut Frame, area: Rect, board: &Board) {
    let room = usize::from(area.height);
    let from = board.log.len().saturating_sub(room);
    let lines = board.log.iter().skip(from).map(line);
    frame.render_widget(Text::from_iter(lines), area);
}

fn line(line: &Line) -> Drawn<'_> {
    let at = format!("{:>6}  ", seconds(line.at));
    Drawn::from(vec![at.fg(QUIET), line.text.as_str().fg(colour(line.tone))])
}

fn colour(tone: Tone) -> Color {
    match tone {
        Tone::Act | Tone::Note => Color::Reset,
        Tone::Failure => BAD,
        Tone::Cut => HELD,
        Tone::Climb => GOOD,
        Tone::Policy => BUSY,
    }
}
