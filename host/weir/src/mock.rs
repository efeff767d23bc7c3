//! `weir mock`: providers that limit, answer and fail as a script says.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use serde_json::{Value, json};
use weir_mock::{Mock, Provider, Script};

use crate::output::Output;
use crate::signals::Signals;

#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// The script; `examples/mock/providers.toml` shows all that it may say
    file: PathBuf,
}

/// Serves until the first signal.
///
/// # Errors
///
/// The script cannot be read, is not good, or wants an address that is taken.
pub(crate) async fn run(options: &Options, output: Output) -> anyhow::Result<ExitCode> {
    let name = options.file.display().to_string();
    let text =
        std::fs::read_to_string(&options.file).with_context(|| format!("cannot read {name}"))?;
    let script = Script::parse(&text, &name)?;
    let mut signals = Signals::listen()?;
    let mock = Mock::start(&script).await?;
    let lines: Vec<String> = mock
        .providers()
        .iter()
        .map(|provider| format!("{} {}", provider.name(), provider.base_url()))
        .collect();
    let providers: Vec<Value> = mock.providers().iter().map(provider).collect();
    output.print(&lines.join("\n"), &json!({ "providers": providers }))?;
    signals.next().await;
    tokio::select! {
        () = mock.shutdown() => Ok(ExitCode::SUCCESS),
        _ = signals.next() => Ok(ExitCode::FAILURE),
    }
}

fn provider(provider: &Provider) -> Value {
    json!({ "name": provider.name(), "base_url": provider.base_url() })
}
