//! Rounds side by side.

use std::time::Duration;

use super::generator::Round;

/// The rounds of one target.
#[derive(Debug)]
pub struct Row {
    /// What was asked.
    pub name: &'static str,
    rounds: Vec<Round>,
    /// Answers, and the gateway's processor time for them.
    work: (f64, Duration),
}

impl Row {
    /// A row with no rounds yet.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self { name, rounds: Vec::new(), work: (0.0, Duration::ZERO) }
    }

    /// Adds what a gateway's process used in a round of so many answers.
    pub fn add_work(&mut self, answers: f64, used: Duration) {
        self.work.0 += answers;
        self.work.1 += used;
    }

    /// Processor time of the gateway's process for an answer, in microseconds; not a number when unknown.
    #[must_use]
    pub fn processor_time(&self) -> f64 {
        self.work.1.as_secs_f64() * 1e6 / self.work.0
    }

    /// Adds a round.
    pub fn add(&mut self, round: Round) {
        self.rounds.push(round);
    }

    /// The median of a figure over the rounds.
    fn median(&self, figure: impl Fn(&Round) -> f64) -> f64 {
        let mut all: Vec<f64> = self.rounds.iter().map(figure).collect();
        all.sort_by(f64::total_cmp);
        all.get(all.len() / 2).copied().unwrap_or(f64::NAN)
    }

    /// Median of the rates, in answers a second.
    #[must_use]
    pub fn rate(&self) -> f64 {
        self.median(|round| round.rate)
    }

    /// Median of a quantile of the latency, in milliseconds.
    #[must_use]
    pub fn latency(&self, quantile: f64) -> f64 {
        self.median(|round| round.latency.value_at_quantile(quantile) as f64 / 1_000.0)
    }

    /// This row's rate over another's, round by round, so that drift cancels out: the quartiles.
    #[must_use]
    pub fn ratio(&self, other: &Self) -> [f64; 3] {
        let mut all: Vec<f64> =
            self.rounds.iter().zip(&other.rounds).map(|(a, b)| a.rate / b.rate).collect();
        all.sort_by(f64::total_cmp);
        let quartile = |n: usize| all.get((all.len() * n / 4).min(all.len().saturating_sub(1)));
        [1, 2, 3].map(|n| quartile(n).copied().unwrap_or(f64::NAN))
    }
}

/// A table of all rows.
#[must_use]
pub fn table(rows: &[Row]) -> String {
    let mut text = format!(
        "{:<14}{:>12}{:>10}{:>10}{:>10}\n",
        "target", "requests/s", "p50 ms", "p90 ms", "p99 ms"
    );
    for row in rows {
        text += &format!(
            "{:<14}{:>12.0}{:>10.2}{:>10.2}{:>10.2}\n",
            row.name,
            row.rate(),
            row.latency(0.5),
            row.latency(0.9),
            row.latency(0.99)
        );
    }
    text
}
