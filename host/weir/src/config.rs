//! `weir config`: is a settings file good, and what may stand in it.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Subcommand;
use serde_json::{Value, json};
use weir_gateway::config::{ConfigError, Settings};

use crate::output::{self, Output};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Say what is wrong in a settings file, in its credentials and folders, and in the policies it names
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
    match load(file) {
        Ok(settings) => {
            let (human, json) = summary(file, &settings);
            output.print(&human, &json)?;
            Ok(ExitCode::SUCCESS)
        }
        // What is wrong is what was asked for.
        Err(error @ ConfigError::Invalid(_)) => {
            output.print(&error.to_string(), &output::failure(&error.into()))?;
            Ok(ExitCode::FAILURE)
        }
        Err(error) => Err(error.into()),
    }
}

fn load(file: &Path) -> Result<Settings, ConfigError> {
    let settings = Settings::load(file)?;
    weir_gateway::check_policies(&settings)?;
    Ok(settings)
}

fn summary(file: &Path, settings: &Settings) -> (String, Value) {
    let core = settings.core();
    let (upstreams, tenants, lanes) = (core.upstreams.len(), core.tenants.len(), core.lanes.len());
    let policies = settings.policies.slots.len();
    let human = format!(
        "{}: good; upstreams {upstreams}, tenants {tenants}, lanes {lanes}, policies {policies}",
        file.display()
    );
    let json = json!({
        "ok": true,
        "upstreams": upstreams,
        "tenants": tenants,
        "lanes": lanes,
        "policies": policies,
    });
    (human, json)
}
