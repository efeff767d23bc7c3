//! The state of the demo as news tells it: what the view draws and the report is made of.

use std::collections::VecDeque;
use std::time::Duration;

use super::cast::{self, Member, START_LIMIT, UPSTREAMS, Upstream};
use super::news::{Act, Counts, News, Stamped, State, UpstreamCounts};
use super::report::{LimitChange, Swap, millis};

/// Lines of the log that are kept.
const LOG: usize = 200;
/// Readings of an upstream's counters that are kept: a minute's worth.
const SAMPLES: usize = 600;

/// Everything that is shown.
#[derive(Debug)]
pub(super) struct Board {
    pub(super) act: Act,
    pub(super) act_began: Duration,
    /// How the ungoverned act ended, once it has.
    pub(super) before: Option<Before>,
    /// By agent.
    pub(super) rows: Vec<Row>,
    /// By upstream.
    pub(super) gauges: Vec<Gauge>,
    /// Newest last.
    pub(super) log: VecDeque<Line>,
    pub(super) limit_changes: Vec<LimitChange>,
    pub(super) swaps: Vec<Swap>,
}

/// The outcome of an act in short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Before {
    pub(super) finished: usize,
    pub(super) refused: u64,
}

/// An agent.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) member: Member,
    pub(super) state: State,
    /// When it came into this state.
    pub(super) since: Duration,
    /// When it first asked.
    pub(super) began: Option<Duration>,
    pub(super) counts: Counts,
}

/// An upstream.
#[derive(Debug)]
pub(super) struct Gauge {
    pub(super) upstream: &'static Upstream,
    pub(super) counts: UpstreamCounts,
    /// What it had in flight, each time that its counters were read.
    pub(super) samples: VecDeque<(Duration, u32)>,
    /// The effective limit: the moments at which it changed, and to what. Empty without a gateway.
    pub(super) limits: Vec<(Duration, u32)>,
}

/// A line of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) at: Duration,
    pub(super) tone: Tone,
    pub(super) text: String,
}

/// What a line is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tone {
    /// The course of the demo.
    Act,
    /// An agent gave up.
    Failure,
    /// A limit went down, or up.
    Cut,
    Climb,
    /// A policy's file or its swap.
    Policy,
    /// Anything else.
    Note,
}

impl Board {
    pub(super) fn new() -> Self {
        Self {
            act: Act::Ungoverned,
            act_began: Duration::ZERO,
            before: None,
            rows: rows(),
            gauges: gauges(None),
            log: VecDeque::new(),
            limit_changes: Vec::new(),
            swaps: Vec::new(),
        }
    }

    /// Takes news in and returns the line that it adds to the log, if it does.
    pub(super) fn apply(&mut self, stamped: Stamped) -> Option<&Line> {
        let at = stamped.at;
        let (tone, text) = match stamped.news {
            News::Act(act) => (Tone::Act, self.begin(at, act)),
            News::Agent { number, state, counts } => self.agent(at, number, state, counts)?,
            News::Upstream { upstream, counts } => {
                self.gauges.get_mut(upstream)?.read(at, counts);
                return None;
            }
            News::Limit { upstream, limit, effective, reason } => {
                self.limit(at, upstream, limit, effective, reason)?
            }
            News::Swapped(swap) => (Tone::Policy, self.swap(swap)),
            News::FileWritten(text) => (Tone::Policy, text),
            News::Note(text) => (Tone::Note, text),
        };
        if self.log.len() == LOG {
            self.log.pop_front();
        }
        self.log.push_back(Line { at, tone, text });
        self.log.back()
    }

    fn begin(&mut self, at: Duration, act: Act) -> String {
        (self.act, self.act_began) = (act, at);
        let agents = self.rows.len();
        match act {
            Act::Ungoverned => {
                format!("ungoverned: {agents} agents call two providers directly")
            }
            Act::Governed => {
                self.before = Some(Before { finished: self.finished(), refused: self.refused() });
                self.rows = rows();
                self.gauges = gauges(Some(at));
                format!("governed: the same {agents} agents call them through weir")
            }
            Act::Over => "all agents have ended".to_owned(),
        }
    }

    fn agent(
        &mut self,
        at: Duration,
        number: usize,
        state: State,
        counts: Counts,
    ) -> Option<(Tone, String)> {
        let row = self.rows.get_mut(number)?;
        row.began.get_or_insert(at);
        (row.since, row.counts) = (at, counts);
        row.state = state;
        let State::Failed(words) = &row.state else { return None };
        let tenant = row.member.tenant.name;
        Some((Tone::Failure, format!("agent {:02} of {tenant} gave up: {words}", number + 1)))
    }

    fn limit(
        &mut self,
        at: Duration,
        upstream: String,
        limit: u32,
        effective: u32,
        reason: String,
    ) -> Option<(Tone, String)> {
        let gauge = self.gauges.iter_mut().find(|gauge| gauge.upstream.name == upstream)?;
        let before = gauge.limit().unwrap_or(effective);
        gauge.limits.push((at, effective));
        let tone = if effective < before { Tone::Cut } else { Tone::Climb };
        let text = format!("{upstream}: effective limit {before} to {effective}, {reason}");
        let at_ms = millis(at.saturating_sub(self.act_began));
        self.limit_changes.push(LimitChange { at_ms, upstream, limit, effective, reason });
        Some((tone, text))
    }

    fn swap(&mut self, swap: Swap) -> String {
        let text = swap.short();
        self.swaps.push(swap);
        text
    }

    pub(super) fn finished(&self) -> usize {
        self.rows.iter().filter(|row| row.state == State::Finished).count()
    }

    pub(super) fn failed(&self) -> usize {
        self.rows.iter().filter(|row| matches!(row.state, State::Failed(_))).count()
    }

    /// Requests that the upstreams have refused in this act.
    pub(super) fn refused(&self) -> u64 {
        self.gauges.iter().map(|gauge| gauge.counts.refused).sum()
    }

    /// A sum over agents in this act.
    pub(super) fn sum(&self, of: impl Fn(&Counts) -> u64) -> u64 {
        self.rows.iter().map(|row| of(&row.counts)).sum()
    }
}

impl Row {
    /// It has ended, one way or the other.
    pub(super) fn has_ended(&self) -> bool {
        matches!(self.state, State::Finished | State::Failed(_))
    }

    /// From its first request to its end, or to now.
    pub(super) fn elapsed(&self, now: Duration) -> Duration {
        let end = if self.has_ended() { self.since } else { now };
        self.began.map_or(Duration::ZERO, |began| end.saturating_sub(began))
    }

    /// What it has waited in all; while a request waits, that counts too.
    pub(super) fn waited(&self, now: Duration) -> Duration {
        match self.state {
            State::Waiting => self.counts.waited + now.saturating_sub(self.since),
            _ => self.counts.waited,
        }
    }
}

impl Gauge {
    fn read(&mut self, at: Duration, counts: UpstreamCounts) {
        self.counts = counts;
        if self.samples.len() == SAMPLES {
            self.samples.pop_front();
        }
        self.samples.push_back((at, counts.in_flight));
    }

    /// The effective limit now.
    pub(super) fn limit(&self) -> Option<u32> {
        self.limits.last().map(|(_, limit)| *limit)
    }
}

fn rows() -> Vec<Row> {
    let row = |member| Row {
        member,
        state: State::Idle,
        since: Duration::ZERO,
        began: None,
        counts: Counts::default(),
    };
    cast::members().map(row).collect()
}

fn gauges(governed_since: Option<Duration>) -> Vec<Gauge> {
    let gauge = |upstream| Gauge {
        upstream,
        counts: UpstreamCounts::default(),
        samples: VecDeque::new(),
        limits: governed_since.map(|at| (at, START_LIMIT)).into_iter().collect(),
    };
    UPSTREAMS.iter().map(gauge).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::report::tests::evidence;

    fn at(ms: u64, news: News) -> Stamped {
        Stamped { at: Duration::from_millis(ms), news }
    }

    fn agent(ms: u64, state: State) -> Stamped {
        at(ms, News::Agent { number: 4, state, counts: Counts::default() })
    }

    fn limit(ms: u64, effective: u32, reason: &str) -> Stamped {
        let (upstream, reason) = ("openai-mock".to_owned(), reason.to_owned());
        at(ms, News::Limit { upstream, limit: effective, effective, reason })
    }

    #[test]
    fn an_act_begins_afresh() {
        let mut board = Board::new();
        assert_eq!(board.gauges[0].limit(), None);
        board.apply(agent(5, State::Failed("429".to_owned())));
        assert_eq!((board.failed(), board.finished()), (1, 0));
        board.apply(at(4000, News::Act(Act::Governed)));
        assert_eq!((board.failed(), board.gauges[0].limit()), (0, Some(START_LIMIT)));
    }

    #[test]
    fn limits_are_told_from_the_act_on() {
        let mut board = Board::new();
        board.apply(at(4000, News::Act(Act::Governed)));
        let cut = board.apply(limit(4300, 6, "rate_limited")).cloned();
        assert_eq!(cut.map(|line| line.tone), Some(Tone::Cut));
        let climb = board.apply(limit(5000, 7, "recovered")).unwrap();
        assert_eq!(climb.tone, Tone::Climb);
        assert_eq!(climb.text, "openai-mock: effective limit 6 to 7, recovered");
        let times: Vec<u64> = board.limit_changes.iter().map(|change| change.at_ms).collect();
        assert_eq!(times, [300, 1000]);
    }

    #[test]
    fn waiting_counts_while_it_lasts_and_time_stops_at_the_end() {
        let mut board = Board::new();
        board.apply(agent(100, State::Waiting));
        let now = Duration::from_millis(350);
        assert_eq!(board.rows[4].waited(now), Duration::from_millis(250));
        board.apply(agent(400, State::Finished));
        let later = Duration::from_secs(9);
        assert_eq!(board.rows[4].waited(later), Duration::ZERO);
        assert_eq!(board.rows[4].elapsed(later), Duration::from_millis(300));
        assert_eq!(board.rows[5].elapsed(later), Duration::ZERO);
    }

    #[test]
    fn the_log_is_bounded() {
        let mut board = Board::new();
        for number in 0..LOG as u64 + 5 {
            board.apply(at(number, News::Note(number.to_string())));
        }
        assert_eq!((board.log.len(), board.log[0].text.as_str()), (LOG, "5"));
    }

    #[test]
    fn a_swap_is_told_with_both_digests() {
        let mut board = Board::new();
        let swap = evidence().swaps.remove(0);
        let line = board.apply(at(1, News::Swapped(swap))).unwrap();
        insta::assert_snapshot!(line.text, @"limit policy: 0.1.0 (abababab) to 0.2.0 (cdcdcdcd), learned state restored");
    }
}
