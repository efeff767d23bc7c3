//! A project of a policy, and the compiler that is run in it.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use anyhow::{Context, bail};
use serde_json::Value;

/// What a component is compiled for.
pub(super) const TARGET: &str = "wasm32-wasip2";

/// The folder of a cargo project.
pub(super) struct Project {
    dir: PathBuf,
}

/// Which project.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(super) struct Folder {
    /// The project's folder
    #[arg(value_name = "DIR", default_value = ".")]
    dir: PathBuf,
}

impl Project {
    /// # Errors
    ///
    /// There is no project.
    pub(super) fn at(folder: &Folder) -> anyhow::Result<Self> {
        let dir = folder.dir.clone();
        if !dir.join("Cargo.toml").is_file() {
            bail!(
                "{} holds no Cargo.toml; `weir policy new NAME --slot SLOT` writes a project",
                dir.display()
            );
        }
        Ok(Self { dir })
    }

    /// Refuses when the project's compiler has no standard library for [`TARGET`].
    ///
    /// # Errors
    ///
    /// It has none, or there is no compiler.
    pub(super) fn require_target(&self) -> anyhow::Result<()> {
        let mut rustc = self.program("rustc");
        rustc.args(["--print", "target-libdir", "--target", TARGET]).stderr(Stdio::inherit());
        let asked = rustc.output().context(NO_RUST)?;
        let folder = PathBuf::from(String::from_utf8_lossy(&asked.stdout).trim());
        if asked.status.success() && folder.is_dir() {
            return Ok(());
        }
        bail!("the compiler lacks the target; run `rustup target add {TARGET}`, in the project")
    }

    /// Runs cargo with its results on standard error, so that standard output is for ours alone.
    ///
    /// # Errors
    ///
    /// There is no cargo.
    pub(super) fn cargo(&self, args: &[&str]) -> anyhow::Result<ExitStatus> {
        let mut cargo = self.program("cargo");
        cargo.args(args).stdout(std::io::stderr()).status().context(NO_RUST)
    }

    /// Builds with cargo: the components that it made, or nothing when the compiler has complained.
    ///
    /// # Errors
    ///
    /// There is no cargo.
    pub(super) fn components(&self) -> anyhow::Result<Option<Vec<PathBuf>>> {
        let mut cargo = self.program("cargo");
        cargo.args(["build", "--release", "--target", TARGET]);
        cargo.arg("--message-format=json-render-diagnostics").stderr(Stdio::inherit());
        let built = cargo.output().context(NO_RUST)?;
        let components = built.stdout.split(|byte| *byte == b'\n').flat_map(made).collect();
        Ok(built.status.success().then_some(components))
    }

    fn program(&self, name: &str) -> Command {
        let mut command = Command::new(name);
        command.current_dir(&self.dir).stdin(Stdio::null());
        command
    }
}

const NO_RUST: &str = "cannot run cargo; install Rust by https://rustup.rs";

/// The components that one of cargo's messages tells of.
fn made(message: &[u8]) -> Vec<PathBuf> {
    let message: Value = serde_json::from_slice(message).unwrap_or_default();
    let files = message["filenames"].as_array().into_iter().flatten();
    let files = files.filter_map(Value::as_str).map(PathBuf::from);
    files.filter(|file| file.extension() == Some("wasm".as_ref())).collect()
}

/// How a path is shown: from where the command runs, when it lies below.
pub(super) fn shown(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(here).unwrap_or(path).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_taken_out_of_what_cargo_says() {
        let message =
            br#"{"reason": "compiler-artifact", "filenames": ["/t/a.wasm", "/t/liba.rlib"]}"#;
        assert_eq!(made(message), [PathBuf::from("/t/a.wasm")]);
        assert!(made(br#"{"reason": "build-finished", "success": true}"#).is_empty());
        assert!(made(b"").is_empty());
    }
}
