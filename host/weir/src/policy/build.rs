//! `weir policy build`: a project's component.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use serde_json::json;
use weir_policy::Digest;

use super::cargo::{Folder, Project, shown};
use crate::output::Output;

#[derive(Debug, clap::Args)]
pub(super) struct Options {
    #[command(flatten)]
    folder: Folder,
    /// Where the component is put as well, in one step: a host that watches the folder takes it whole
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Compiles a project and tells where its component is.
///
/// # Errors
///
/// There is no project, no compiler for components, or not one component.
pub(super) fn run(options: &Options, output: Output) -> anyhow::Result<ExitCode> {
    let project = Project::at(&options.folder)?;
    project.require_target()?;
    let Some(components) = project.components()? else {
        bail!("it does not compile; the compiler's words are above");
    };
    let [component] = &components[..] else {
        bail!(
            "the build made {} components; a policy's manifest has one `[lib]`, with \
             `crate-type = [\"cdylib\", \"rlib\"]`",
            components.len()
        );
    };
    let bytes = fs::read(component)
        .with_context(|| format!("cannot read the component {}", component.display()))?;
    let file = options.out.as_deref().unwrap_or(component);
    if options.out.is_some() {
        place(&bytes, file).with_context(|| format!("cannot write {}", file.display()))?;
    }
    let digest = Digest::of(&bytes);
    output.print(
        &format!("{}\n{} bytes, sha256 {digest}", shown(file), bytes.len()),
        &json!({ "file": file, "bytes": bytes.len(), "digest": digest }),
    )?;
    Ok(ExitCode::SUCCESS)
}

/// Writes beside the place and renames, so that nobody reads half a file.
fn place(bytes: &[u8], file: &Path) -> anyhow::Result<()> {
    let folder = match file.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let mut part = tempfile::Builder::new().prefix(".weir-").tempfile_in(folder)?;
    std::io::Write::write_all(&mut part, bytes)?;
    readable(part.as_file())?;
    part.persist(file)?;
    Ok(())
}

/// A temporary file is its owner's alone; a component is for the host, which may be another user.
#[cfg(unix)]
fn readable(file: &fs::File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    file.set_permissions(fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn readable(_file: &fs::File) -> std::io::Result<()> {
    Ok(())
}
