//! `weir policy test`: a project's tests, natively.

use std::process::ExitCode;

use serde_json::json;

use super::cargo::{Folder, Project};
use crate::output::Output;

#[derive(Debug, clap::Args)]
pub(super) struct Options {
    #[command(flatten)]
    folder: Folder,
}

/// Runs the tests.
///
/// # Errors
///
/// There is no project, or no cargo.
pub(super) fn run(options: &Options, output: Output) -> anyhow::Result<ExitCode> {
    let passed = Project::at(&options.folder)?.cargo(&["test"])?.success();
    let words = if passed { "all tests passed" } else { "there is a test that failed, see above" };
    output.print(words, &json!({ "ok": passed }))?;
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
