//! Where the demo shows itself: a live view, plain lines, or nothing but the final object.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use crossterm::event::{Event, EventStream, KeyCode, KeyEventKind, KeyModifiers};
use futures_util::StreamExt;
use ratatui::DefaultTerminal;

use super::board::{Board, Line, Tone};
use super::view;

/// How often plain progress is written.
const PROGRESS_EVERY: Duration = Duration::from_secs(1);

/// A place to show things. Dropping it gives the terminal back.
pub(super) enum Screen {
    /// A terminal.
    Live(Live),
    /// A pipe, a file, a log of a build.
    Lines(Lines),
    /// Standard output is for one object.
    Silent,
}

/// The terminal while the live view has it. A panic gives it back as well (`ratatui::try_init`).
pub(super) struct Live {
    terminal: DefaultTerminal,
    input: EventStream,
}

/// Plain lines on standard output.
#[derive(Default)]
pub(super) struct Lines {
    next: Duration,
}

impl Screen {
    /// Opens the best that standard output allows.
    pub(super) fn open(json: bool) -> io::Result<Self> {
        if json {
            Ok(Self::Silent)
        } else if io::stdout().is_terminal() && io::stdin().is_terminal() {
            let terminal = ratatui::try_init()?;
            Ok(Self::Live(Live { terminal, input: EventStream::new() }))
        } else {
            Ok(Self::Lines(Lines::default()))
        }
    }

    /// Shows a line that has just come into the log.
    pub(super) fn line(&mut self, line: &Line) -> io::Result<()> {
        match self {
            // Dozens of agents give up at once; the progress counts them.
            Self::Lines(_) if line.tone != Tone::Failure => write_line(line.at, &line.text),
            _ => Ok(()),
        }
    }

    /// Shows the board as it is now.
    pub(super) fn draw(&mut self, board: &Board, now: Duration) -> io::Result<()> {
        match self {
            Self::Live(live) => {
                live.terminal.draw(|frame| view::draw(frame, board, now)).map(|_| ())
            }
            Self::Lines(lines) if now >= lines.next => {
                lines.next = now + PROGRESS_EVERY;
                write_line(now, &progress(board))
            }
            _ => Ok(()),
        }
    }

    /// Returns when the person at the terminal wants to leave; never where there is no terminal.
    pub(super) async fn quit(&mut self) {
        if let Self::Live(live) = self {
            while let Some(Ok(event)) = live.input.next().await {
                if leaves(&event) {
                    return;
                }
            }
        }
        std::future::pending().await
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        ratatui::restore();
    }
}

fn leaves(event: &Event) -> bool {
    let Event::Key(key) = event else { return false };
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    key.kind == KeyEventKind::Press
        && match key.code {
            KeyCode::Char('c') => control,
            KeyCode::Char('q') | KeyCode::Esc => true,
            _ => false,
        }
}

fn write_line(at: Duration, text: &str) -> io::Result<()> {
    writeln!(io::stdout().lock(), "{:>6.1}s  {text}", at.as_secs_f64())
}

fn progress(board: &Board) -> String {
    let limits: Vec<String> = board
        .gauges
        .iter()
        .filter_map(|gauge| Some(format!("{} {}", gauge.upstream.name, gauge.limit()?)))
        .collect();
    let limits = if limits.is_empty() { "none".to_owned() } else { limits.join(", ") };
    format!(
        "{} of {} agents finished, {} gave up; 429s: {} at providers, {} at agents; limits: {limits}",
        board.finished(),
        board.rows.len(),
        board.failed(),
        board.refused(),
        board.sum(|counts| counts.refused),
    )
}

#[cfg(test)]
mod tests {
    use crossterm::event::KeyEvent;

    use super::*;

    #[test]
    fn control_c_q_and_escape_leave() {
        let key = |code, modifiers| Event::Key(KeyEvent::new(code, modifiers));
        assert!(leaves(&key(KeyCode::Char('c'), KeyModifiers::CONTROL)));
        assert!(leaves(&key(KeyCode::Char('q'), KeyModifiers::NONE)));
        assert!(leaves(&key(KeyCode::Esc, KeyModifiers::NONE)));
        assert!(!leaves(&key(KeyCode::Char('c'), KeyModifiers::NONE)));
        assert!(!leaves(&Event::Resize(80, 24)));
    }

    #[test]
    fn progress_says_where_it_stands() {
        insta::assert_snapshot!(progress(&Board::new()), @"0 of 30 agents finished, 0 gave up; 429s: 0 at providers, 0 at agents; limits: none");
    }
}
