//! `weir policy check`: is a file a policy, and what does it say of itself.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, bail};
use serde_json::{Value, json};
use weir_core::Slot;
use weir_policy::{Component, Engine, LARGEST, Options as How, Pace, Prepared, Source};

use super::remote::object;
use crate::output::Output;

#[derive(Debug, clap::Args)]
pub(super) struct Options {
    /// The component
    file: PathBuf,
    /// What to start it with, as a JSON object
    #[arg(long, value_name = "JSON", value_parser = object)]
    settings: Option<Value>,
}

/// Loads a component as a host does, and starts it for each slot that it can take.
///
/// # Errors
///
/// It is no policy, or one that no host takes.
pub(super) fn run(options: &Options, output: Output) -> anyhow::Result<ExitCode> {
    let name = options.file.display().to_string();
    let bytes = read(&options.file).with_context(|| format!("cannot read {name}"))?;
    let engine = Engine::new(&How { pace: Pace::Live, cache: None, seed: 0 })?;
    let source = Source::File(options.file.clone());
    let component = Component::load(&engine, &bytes, source);
    let component = component.map_err(|error| anyhow::anyhow!("{name} {error}"))?;
    let settings = options.settings.as_ref().map(Value::to_string).unwrap_or_default();
    for slot in component.slots() {
        Prepared::new(Arc::clone(&component), slot, settings.clone())
            .map_err(|error| anyhow::anyhow!("{name} {error}"))?;
    }
    let told = Told::of(&component, bytes.len());
    output.print(&told.words(), &told.json(&name))?;
    Ok(ExitCode::SUCCESS)
}

/// At most one byte more than is compiled, which is enough to refuse it.
fn read(file: &Path) -> anyhow::Result<Vec<u8>> {
    if !std::fs::metadata(file)?.is_file() {
        bail!("it is no file");
    }
    let mut bytes = Vec::new();
    File::open(file)?.take(LARGEST as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// What is told of a policy.
struct Told<'a> {
    component: &'a Component,
    bytes: usize,
    slots: Vec<&'static str>,
    imports: Vec<String>,
    schema: Value,
}

impl<'a> Told<'a> {
    fn of(component: &'a Component, bytes: usize) -> Self {
        let schema = serde_json::from_str(&component.settings_schema).unwrap_or_default();
        let slots = component.slots().into_iter().map(Slot::name).collect();
        Self { component, bytes, slots, imports: component.imports(), schema }
    }

    fn json(&self, file: &str) -> Value {
        let Component { name, version, summary, digest, .. } = self.component;
        json!({
            "ok": true,
            "file": file,
            "name": name,
            "version": version,
            "summary": summary,
            "slots": self.slots,
            "bytes": self.bytes,
            "digest": digest,
            "imports": self.imports,
            "settings_schema": self.schema,
        })
    }

    fn words(&self) -> String {
        let Component { name, version, summary, digest, .. } = self.component;
        let lines = [
            format!("{name} {version}: good"),
            format!("  summary   {summary}"),
            format!("  slots     {}", self.slots.join(", ")),
            format!("  digest    {digest}, {} bytes", self.bytes),
            format!("  settings  {}", settings(&self.schema)),
            format!("  imports   {}", self.imports.join(BELOW)),
        ];
        lines.join("\n")
    }
}

/// What begins a further line of a field.
const BELOW: &str = "\n            ";

/// One line for each setting: name, default, bounds, and what it is.
fn settings(schema: &Value) -> String {
    let Some(known) = schema["properties"].as_object() else { return "none".to_owned() };
    let line = |(name, about): (&String, &Value)| {
        let bounds = match (about.get("minimum"), about.get("maximum")) {
            (Some(least), Some(most)) => format!(", {least} to {most}"),
            _ => String::new(),
        };
        let words = about["description"].as_str().unwrap_or_default();
        format!("{name} = {}{bounds}: {words}", about["default"])
    };
    known.iter().map(line).collect::<Vec<_>>().join(BELOW)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_is_told_with_its_default_and_bounds() {
        let schema = json!({ "properties": {
            "chatty": { "type": "boolean", "default": false, "description": "Says more." },
            "factor": { "default": 0.75, "minimum": 0.1, "maximum": 0.99, "description": "Less." },
        }});
        assert_eq!(
            settings(&schema),
            "chatty = false: Says more.\n            factor = 0.75, 0.1 to 0.99: Less."
        );
        assert_eq!(settings(&Value::Null), "none");
    }
}
