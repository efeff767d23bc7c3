//! What the program says of its own doings, on standard error.

use std::io::{self, IsTerminal};

use anyhow::Context;
use clap::ValueEnum;
use tracing_subscriber::EnvFilter;

/// What is logged and how.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(crate) struct Options {
    /// What to log, such as `info` or `warn,weir_gateway=debug`; the variable WEIR_LOG by default
    #[arg(long, global = true, value_name = "FILTER")]
    log: Option<String>,
    /// How to log: `auto` is for people on a terminal and JSON elsewhere
    #[arg(long, global = true, value_enum, default_value_t = Format::Auto)]
    log_format: Format,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    Auto,
    Human,
    Json,
}

/// Starts logging; `default` is what to log when neither an option nor the variable says.
///
/// # Errors
///
/// The filter is none, or logging has been started before.
pub(crate) fn start(options: &Options, default: &str) -> anyhow::Result<()> {
    let variable = std::env::var("WEIR_LOG").ok();
    let text = options.log.as_deref().or(variable.as_deref()).unwrap_or(default);
    let filter = EnvFilter::try_new(text).with_context(|| format!("{text:?} is no log filter"))?;
    let human = match options.log_format {
        Format::Auto => io::stderr().is_terminal(),
        Format::Human => true,
        Format::Json => false,
    };
    // Of a terminal that has closed it cannot be told on the same terminal: trying to would panic.
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr)
        .log_internal_errors(false);
    let log: Box<dyn tracing::Subscriber + Send + Sync> = if human {
        Box::new(log.with_ansi(io::stderr().is_terminal()).finish())
    } else {
        Box::new(log.json().finish())
    };
    tracing::subscriber::set_global_default(log).context("logging cannot be started")
}
