//! `weir sim --report`: a page about the runs of a command.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use weir_sim::check::Row;
use weir_sim::report::Report;
use weir_sim::{Plan, Record, Scenario};

use super::SimArgs;

/// The page that was asked for; without one, nothing is drawn.
pub(super) struct Page(Option<(PathBuf, Report)>);

impl Page {
    /// # Errors
    ///
    /// There is no folder for it, which is told before a long run.
    pub(super) fn new(args: &SimArgs, scenario: &Scenario) -> anyhow::Result<Self> {
        let Some(file) = &args.report else { return Ok(Self(None)) };
        let folder = file.parent().filter(|folder| *folder != Path::new(""));
        if file.is_dir() || folder.is_some_and(|folder| !folder.is_dir()) {
            bail!(
                "cannot write {}: it needs a file's name in a folder that is there",
                file.display()
            );
        }
        // What is not there yet is no other file.
        let same = |other: &PathBuf| {
            file.canonicalize().is_ok_and(|file| other.canonicalize().is_ok_and(|it| it == file))
        };
        if let Some(read) = args.file.iter().chain(&args.replay).find(|other| same(other)) {
            bail!(
                "the report would overwrite {}, which is read; name another file",
                read.display()
            );
        }
        Ok(Self(Some((file.clone(), Report::new(&scenario.name)))))
    }

    /// Draws a run.
    ///
    /// # Errors
    ///
    /// A plot cannot be drawn.
    pub(super) fn run(&mut self, what: &str, plan: &Plan, record: &Record) -> anyhow::Result<()> {
        let Some((_, report)) = &mut self.0 else { return Ok(()) };
        let parts = [plan.case.as_str(), what].into_iter().filter(|part| !part.is_empty());
        let parts: Vec<String> =
            parts.map(str::to_owned).chain([format!("seed {}", record.seed)]).collect();
        Ok(report.run(&parts.join(", "), plan, record)?)
    }

    pub(super) fn levels(&mut self, rows: &[Row]) {
        if let Some((_, report)) = &mut self.0 {
            report.levels(rows.to_vec());
        }
    }

    /// Writes the page.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub(super) fn write(&self) -> anyhow::Result<()> {
        let Some((file, report)) = &self.0 else { return Ok(()) };
        fs::write(file, report.html()).with_context(|| format!("cannot write {}", file.display()))
    }
}
