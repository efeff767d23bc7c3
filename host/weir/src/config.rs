//! `weir config`: is a settings file good, and what may stand in it.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Subcommand;
use serde_json::{Value, json};
use weir_gateway::config::{Complaint, ConfigError, Settings};

use crate::output::Output;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Say what is wrong in a settings file, credentials and folders included; `serve` checks the policies
    Check {
        /// The settings file
        file: PathBuf,
    },
    /// Print the JSON Schema of the settings file, for editors
    Schema,
}

/// Runs `weir config`.
///
/// # Errors
///
/// Standard output cannot be written to, or the file is not good.
pub(crate) fn run(command: Command, output: Output) -> anyhow::Result<ExitCode> {
    match command {
        Command::Check { file } => check(&file, output),
        Command::Schema => {
            let schema = Settings::schema();
            output.print(&serde_json::to_string_pretty(&schema)?, &schema)?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn check(file: &Path, output: Output) -> anyhow::Result<ExitCode> {
    match Settings::load(file) {
        Ok(settings) => {
            let (human, json) = summary(file, &settings);
            output.print(&human, &json)?;
            Ok(ExitCode::SUCCESS)
        }
        Err(ConfigError::Invalid(complaints)) => {
            let human: Vec<String> = complaints.iter().map(ToString::to_string).collect();
            let json: Vec<Value> = complaints.iter().map(complaint).collect();
            output.print(&human.join("\n"), &json!({ "ok": false, "complaints": json }))?;
            Ok(ExitCode::FAILURE)
        }
        Err(error) => Err(error.into()),
    }
}

fn summary(file: &Path, settings: &Settings) -> (String, Value) {
    let core = settings.core();
    let (upstreams, tenants, lanes) = (core.upstreams.len(), core.tenants.len(), core.lanes.len());
    let human = format!(
        "{}: good; upstreams {upstreams}, tenants {tenants}, lanes {lanes}",
        file.display()
    );
    (human, json!({ "ok": true, "upstreams": upstreams, "tenants": tenants, "lanes": lanes }))
}

fn complaint(complaint: &Complaint) -> Value {
    json!({
        "file": complaint.file,
        "line": complaint.line,
        "column": complaint.column,
        "key": complaint.key,
        "problem": complaint.problem,
    })
}
