//! `weir policy list`, `swap` and `rollback`: the policies of a running host, over its `/admin`.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::Subcommand;
use serde_json::{Map, Value, json};

use super::admin::{self, Admin};
use crate::output::Output;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Tell which policy decides in each slot
    List {
        #[command(flatten)]
        admin: admin::Options,
    },
    /// Replace a policy while the host runs
    Swap(Swap),
    /// Go back to the policy before; again, to the one before that
    Rollback {
        /// Which decision: `priority`, `schedule`, `limit`, `classify`, `retry`, `route` or `fanout`
        slot: String,
        #[command(flatten)]
        admin: admin::Options,
    },
}

#[derive(Debug, clap::Args)]
pub(super) struct Swap {
    /// Which decision: `priority`, `schedule`, `limit`, `classify`, `retry`, `route` or `fanout`
    slot: String,
    /// A shipped policy, or one of the host's folder by its file's name without `.wasm`
    #[arg(long, conflicts_with = "file")]
    name: Option<String>,
    /// A component, which the host reads; with neither this nor a name, the configured policy is loaded again
    #[arg(long)]
    file: Option<PathBuf>,
    /// What to start it with, as a JSON object; by default what is configured for it, if it is that policy
    #[arg(long, value_name = "JSON", value_parser = object)]
    settings: Option<Value>,
    #[command(flatten)]
    admin: admin::Options,
}

/// A JSON object, not a text that holds one.
pub(super) fn object(text: &str) -> Result<Value, String> {
    match serde_json::from_str(text) {
        Ok(Value::Object(object)) => Ok(Value::Object(object)),
        Ok(_) => Err("an object is needed, such as {\"ceiling\": 30}".to_owned()),
        Err(error) => Err(format!("{error}; an object is needed, such as {{\"ceiling\": 30}}")),
    }
}

/// Asks the host.
///
/// # Errors
///
/// It cannot be reached, or refuses.
pub(super) async fn run(command: Command, output: Output) -> anyhow::Result<ExitCode> {
    match command {
        Command::List { admin } => {
            let answer = Admin::new(&admin)?.get("/admin/policies").await?;
            output.print(&table(&answer)?, &answer)?;
        }
        Command::Swap(swap) => {
            let (slot, admin) = (swap.slot.clone(), Admin::new(&swap.admin)?);
            let answer = admin.post("/admin/policies/swap", &body(swap)?).await?;
            output.print(&taken(&slot), &answer)?;
        }
        Command::Rollback { slot, admin } => {
            let body = json!({ "slot": slot });
            let answer = Admin::new(&admin)?.post("/admin/policies/rollback", &body).await?;
            output.print(&taken(&slot), &answer)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The host makes a policy ready beside its work, so its answer comes before the change.
fn taken(slot: &str) -> String {
    format!("{slot}: taken up; `weir policy list` and the host's events tell whether it took over")
}

fn body(swap: Swap) -> anyhow::Result<Value> {
    let mut body = Map::from_iter([("slot".to_owned(), json!(swap.slot))]);
    if let Some(name) = swap.name {
        body.insert("name".to_owned(), json!(name));
    }
    if let Some(file) = swap.file {
        // The host has another working folder.
        let file =
            file.canonicalize().with_context(|| format!("cannot find {}", file.display()))?;
        body.insert("file".to_owned(), json!(file));
    }
    if let Some(settings) = swap.settings {
        body.insert("settings".to_owned(), settings);
    }
    Ok(Value::Object(body))
}

/// Slot, name, version, state and the start of the digest, in columns.
fn table(answer: &Value) -> anyhow::Result<String> {
    let Some(policies) = answer["policies"].as_array() else {
        bail!("the host's answer has no list of policies; is it a weir of this version?");
    };
    let row = |policy: &Value| {
        let text = |key: &str| policy[key].as_str().unwrap_or("-").to_owned();
        let digest: String = text("digest").chars().take(12).collect();
        format!(
            "{:<10}{:<20}{:<9}{:<12}{digest}",
            text("slot"),
            text("name"),
            text("version"),
            text("state")
        )
    };
    let head = format!("{:<10}{:<20}{:<9}{:<12}{}", "SLOT", "NAME", "VERSION", "STATE", "DIGEST");
    Ok(std::iter::once(head).chain(policies.iter().map(row)).collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(subcommand)]
        command: Command,
    }

    fn swap(settings: &str) -> Result<Value, String> {
        let words = ["policy", "swap", "limit", "--name", "limit-fixed", "--settings", settings];
        let line = Line::try_parse_from(words).map_err(|error| error.to_string())?;
        match line.command {
            Command::Swap(swap) => body(swap).map_err(|error| error.to_string()),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn settings_travel_as_an_object() {
        let sent = swap(r#"{"limit": 30}"#).unwrap();
        assert_eq!(
            sent,
            json!({ "slot": "limit", "name": "limit-fixed", "settings": { "limit": 30 } })
        );
        for wrong in ["30", "limit=30", "{", "\"{}\""] {
            let words = swap(wrong).unwrap_err();
            assert!(words.contains("an object is needed"), "{wrong}: {words}");
        }
    }
}
