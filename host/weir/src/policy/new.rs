//! `weir policy new`: a project of a policy, from what the command itself carries.
//!
//! The project needs no checkout of weir and no registry entry of its SDK: the SDK's sources lie in its folder
//! `sdk`, with the contract in `sdk/wit`, as they were when this command was built. What weir's workspace says
//! of versions, edition and toolchain is written out, and its lock file is cut down to what the SDK needs: a
//! policy is compiled from the very crates that the shipped ones were, and without a network where those are
//! at hand.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use serde_json::json;
use weir_core::Slot;

use self::project::Project;
use crate::output::Output;

mod lock;
mod manifest;
mod name;
mod project;
mod slots;

#[derive(Debug, clap::Args)]
pub(super) struct Options {
    /// The policy's name, and the folder that is made for it here
    #[arg(value_parser = name::check)]
    name: String,
    /// Which decision it is to take
    #[arg(long, value_parser = PossibleValuesParser::new(Slot::ALL.map(Slot::name)).try_map(slot))]
    slot: Slot,
}

fn slot(name: String) -> Result<Slot, String> {
    let named = Slot::ALL.into_iter().find(|slot| slot.name() == name);
    named.ok_or_else(|| format!("there is no slot `{name}`"))
}

/// Writes a project into a new folder.
///
/// # Errors
///
/// The folder is there already, or cannot be written.
pub(super) fn run(options: &Options, output: Output) -> anyhow::Result<ExitCode> {
    let Options { name, slot } = options;
    let files = Project { name, slot: *slot }.files()?;
    let dir = Path::new(name);
    if dir.exists() {
        bail!("{name} is there already; choose another name, or move it away");
    }
    fs::create_dir(dir).with_context(|| format!("cannot make the folder {name}"))?;
    if let Err(error) = write(dir, &files) {
        // Half a project helps nobody; the first failure is the one that counts.
        let _ = fs::remove_dir_all(dir);
        return Err(error);
    }
    let words = format!(
        "{name}: a policy for `{slot}`, in {name}/src/lib.rs\n\
         next: cd {name} && weir policy test && weir policy build"
    );
    output.print(&words, &json!({ "name": name, "slot": slot, "files": files.len() }))?;
    Ok(ExitCode::SUCCESS)
}

fn write(dir: &Path, files: &[(PathBuf, String)]) -> anyhow::Result<()> {
    for (path, text) in files {
        let path = dir.join(path);
        let folder = path.parent().unwrap_or(dir);
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&path, text))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}
