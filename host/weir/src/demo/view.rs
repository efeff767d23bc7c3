//! The live view: totals, the limits as moving lines, a row an agent, what happened.
//!
//! It fits 80 columns and 24 rows and uses what more there is: the agents stand in two narrow columns, in
//! two wide ones, or in one when the screen is high enough. Everything is drawn from the board and the time.

mod agents;
mod header;
mod limits;
mod log;

use std::time::Duration;

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout};
use ratatui::style::Color;

use super::board::Board;

const HEADER: u16 = 2;
/// Rows of the log that are wanted before anything else grows.
const LOG: u16 = 2;
const LOW_LIMITS: u16 = 4;
const HIGH_LIMITS: u16 = 9;

const GOOD: Color = Color::Green;
const BAD: Color = Color::Red;
const BUSY: Color = Color::Cyan;
const HELD: Color = Color::Yellow;
const QUIET: Color = Color::DarkGray;

/// Draws the board as it is at `now`.
pub(super) fn draw(frame: &mut Frame, board: &Board, now: Duration) {
    let area = frame.area();
    let columns =
        agents::columns(area.width, area.height.saturating_sub(HEADER + LOG + LOW_LIMITS));
    let agents = agents::height(board.rows.len(), columns);
    let spare = area.height.saturating_sub(HEADER + LOG + agents);
    let limits = (spare / 2).clamp(LOW_LIMITS, HIGH_LIMITS);
    let [top, middle, rows, bottom] = Layout::vertical([
        Constraint::Length(HEADER),
        Constraint::Length(limits),
        Constraint::Length(agents),
        Constraint::Min(LOG),
    ])
    .areas(area);
    header::draw(frame, top, board, now);
    limits::draw(frame, middle, board, now);
    agents::draw(frame, rows, board, columns, now);
    log::draw(frame, bottom, board);
}

/// A span in seconds with one decimal.
fn seconds(span: Duration) -> String {
    format!("{:.1}s", span.as_secs_f64())
}

/// A count in at most five characters.
fn short(count: u64) -> String {
    match count {
        0..10_000 => count.to_string(),
        10_000..1_000_000 => format!("{}k", count / 1000),
        _ => format!("{}M", count / 1_000_000),
    }
}

#[cfg(test)]
mod tests {
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    use super::*;
    use crate::demo::news::{Act, Counts, News, Stamped, State, UpstreamCounts};
    use crate::demo::report::tests::evidence;

    fn tell(board: &mut Board, ms: u64, news: News) {
        board.apply(Stamped { at: Duration::from_millis(ms), news });
    }

    fn agent(board: &mut Board, ms: u64, number: usize, state: State) {
        let turns = ms.saturating_sub(8000) / 2200;
        let counts = Counts {
            sent: turns + u64::from(state != State::Idle),
            input: 410 * turns + number as u64,
            output: 62 * turns,
            waited: Duration::from_millis(1900 * turns),
            ..Counts::default()
        };
        tell(board, ms, News::Agent { number, state, counts });
    }

    fn limit(board: &mut Board, ms: u64, upstream: &str, effective: u32, reason: &str) {
        let (upstream, reason) = (upstream.to_owned(), reason.to_owned());
        tell(board, ms, News::Limit { upstream, limit: effective, effective, reason });
    }

    /// Nine seconds into the governed act.
    fn board() -> Board {
        let mut board = Board::new();
        tell(&mut board, 0, News::Act(Act::Ungoverned));
        for number in 0..20 {
            agent(&mut board, 1500, number, State::Failed("429 Too Many Requests".to_owned()));
        }
        let refused = UpstreamCounts { served: 30, refused: 58, in_flight: 0 };
        tell(&mut board, 6000, News::Upstream { upstream: 0, counts: refused });
        tell(&mut board, 8000, News::Act(Act::Governed));
        for number in 0..30 {
            agent(&mut board, 8000 + 10 * number as u64, number, State::Waiting);
            let state = match number % 5 {
                0 => State::Reading,
                1 => State::Finished,
                _ => State::Waiting,
            };
            agent(&mut board, 12_000 + 150 * number as u64, number, state);
        }
        limit(&mut board, 8400, "openai-mock", 6, "rate_limited");
        limit(&mut board, 8600, "anthropic-mock", 4, "rate_limited");
        limit(&mut board, 11_500, "anthropic-mock", 3, "rate_limited");
        limit(&mut board, 12_000, "openai-mock", 7, "recovered");
        for ms in (8000..17_000).step_by(100) {
            let counts = UpstreamCounts { served: 40, refused: 7, in_flight: 5 };
            tell(&mut board, ms, News::Upstream { upstream: 0, counts });
        }
        tell(&mut board, 16_000, News::Swapped(evidence().swaps.remove(0)));
        board
    }

    fn picture(width: u16, height: u16) -> String {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| draw(frame, &board(), Duration::from_secs(17))).unwrap();
        terminal.backend().to_string()
    }

    #[test]
    fn it_fits_a_small_terminal() {
        insta::assert_snapshot!(picture(80, 24));
    }

    #[test]
    fn it_uses_a_wide_one() {
        insta::assert_snapshot!(picture(120, 40));
    }

    #[test]
    fn it_uses_a_high_one() {
        insta::assert_snapshot!(picture(100, 56));
    }

    #[test]
    fn no_size_is_too_small_or_too_large() {
        for (width, height) in [(1, 1), (3, 200), (200, 3), (20, 10), (300, 100)] {
            picture(width, height);
        }
    }

    #[test]
    fn counts_stay_short() {
        let shown = [0, 9_999, 10_000, 123_456, 7_000_000].map(short);
        assert_eq!(shown, ["0", "9999", "10k", "123k", "7M"]);
    }
}
