//! `weir serve`: the gateway, from a settings file to its last request.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::bail;
use serde_json::json;
use weir_gateway::config::{Journal, Settings};
use weir_gateway::{Deciders, Gateway};

use crate::output::Output;
use crate::signals::Signals;

#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// The settings file; `examples/gateway/weir.toml` shows what it may say
    #[arg(long)]
    config: PathBuf,
    /// Where to listen, instead of what the file says
    #[arg(long)]
    listen: Option<SocketAddr>,
    /// Write arrivals and settlements to this file, for `weir sim --replay`; instead of what the settings say
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
}

/// Serves until the first signal, then lets running requests end. A second signal ends the program at once.
///
/// # Errors
///
/// The settings are not good, or the gateway does not start.
pub(crate) async fn run(options: Options, output: Output) -> anyhow::Result<ExitCode> {
    let mut settings = Settings::load(&options.config)?;
    settings.listen = options.listen.unwrap_or(settings.listen);
    settings.journal = options.journal.map(Journal::new).or(settings.journal);
    let drain = settings.host.drain;
    let mut signals = Signals::listen()?;
    let gateway = Gateway::start(settings, Deciders::Configured).await?;
    let url = format!("http://{}", gateway.addr());
    output.print(&format!("listening on {url}"), &json!({ "listening": url }))?;
    // Not inside the macro: a level that is off would not wait.
    let signal = signals.next().await;
    tracing::info!(signal, "stopping");
    tokio::select! {
        ended = gateway.shutdown(drain) => {
            tracing::info!(cut = ended.cut, clean = ended.clean, "stopped");
            Ok(if ended.clean { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        signal = signals.next() => bail!("ended at once by a second signal, {signal}"),
    }
}
