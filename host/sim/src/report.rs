//! A page about runs: plots and tables in one file, which needs no network and no script.
//!
//! A section is drawn as soon as its run has ended, so no record has to be kept. What a page may hold is bounded:
//! a curve is thinned to what its plot can show, extremes kept; upstreams, tenants and runs beyond a number are
//! told and not drawn.
//!
//! ```
//! use weir_sim::report::Report;
//!
//! let mut report = Report::new("a scenario");
//! report.levels(Vec::new());
//! assert!(report.html().starts_with("<!doctype html>"));
//! ```

mod load;
mod page;
mod plot;
mod policies;
mod tenants;
mod thin;

use weir_core::units::Micros;

use self::page::Html;
pub use self::plot::PlotError;
use crate::check::Row;
use crate::record::Record;
use crate::scenario::Plan;

/// Runs that are drawn; a page stays below two megabytes with them.
pub const MOST_RUNS: usize = 8;
/// Upstreams of a run that are drawn.
pub const MOST_UPSTREAMS: usize = 6;

/// A page in the making.
#[derive(Debug, Default)]
pub struct Report {
    title: String,
    sections: Vec<String>,
    left_out: usize,
    levels: Vec<Row>,
}

impl Report {
    /// An empty page about a scenario.
    #[must_use]
    pub fn new(title: &str) -> Self {
        Self { title: title.to_owned(), ..Self::default() }
    }

    /// Draws a run under a heading, such as its case, seed or the policy that is compared.
    ///
    /// # Errors
    ///
    /// A plot cannot be drawn.
    pub fn run(&mut self, heading: &str, plan: &Plan, record: &Record) -> Result<(), PlotError> {
        if self.sections.len() >= MOST_RUNS {
            self.left_out += 1;
            return Ok(());
        }
        let mut html = Html::default();
        html.heading(2, heading);
        html.paragraph(&counts(record));
        upstreams(&mut html, record)?;
        throttles(&mut html, record)?;
        shares(&mut html, record)?;
        html.table(&policies::HEAD, &policies::rows(plan));
        self.sections.push(html.into());
        Ok(())
    }

    /// Levels with the values that runs came to.
    pub fn levels(&mut self, rows: Vec<Row>) {
        self.levels.extend(rows);
    }

    /// The page.
    #[must_use]
    pub fn html(&self) -> String {
        let mut body = Html::default();
        body.heading(1, &self.title);
        if !self.levels.is_empty() {
            body.heading(2, "Levels");
            body.levels(&self.levels);
        }
        self.sections.iter().for_each(|section| body.raw(section));
        if self.left_out > 0 {
            body.paragraph(&format!("{} more runs are not drawn.", self.left_out));
        }
        page::whole(&self.title, body)
    }
}

fn counts(record: &Record) -> String {
    let sums = &record.sums;
    format!(
        "{} requests, {} attempts, {} retried after a failure, {} sent back to the line by a refusal, \
         in {} s. Record {}.",
        record.requests.len(),
        record.attempts.len(),
        sums.retried,
        sums.flow_control,
        seconds(record.finished).round(),
        record.digest(),
    )
}

/// How each upstream was used.
fn upstreams(html: &mut Html, record: &Record) -> Result<(), PlotError> {
    let names = &record.names.upstreams;
    for (place, name) in names.iter().enumerate().take(MOST_UPSTREAMS) {
        let chart = load::chart(record, place);
        html.figure(&format!("{name}: limit and in flight against what it takes"), &chart)?;
    }
    if names.len() > MOST_UPSTREAMS {
        html.paragraph(&format!("{} more upstreams are not drawn.", names.len() - MOST_UPSTREAMS));
    }
    Ok(())
}

fn throttles(html: &mut Html, record: &Record) -> Result<(), PlotError> {
    html.figure("429s: attempts refused for load", &load::throttles(record))
}

/// How tenants fared.
fn shares(html: &mut Html, record: &Record) -> Result<(), PlotError> {
    let cast = tenants::Cast::of(record);
    html.figure("Waits of each tenant, from arriving to being sent first", &cast.waits(record))?;
    html.figure("Share of the work served to each tenant", &cast.shares(record))?;
    html.table(&tenants::HEAD, &cast.rows(record));
    Ok(())
}

fn seconds(at: Micros) -> f64 {
    at.0 as f64 / 1e6
}

#[cfg(test)]
mod tests;
