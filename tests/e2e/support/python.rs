//! Programs in Python that use the real SDKs. `make test` lays their environment.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

/// Runs a function of a file in `tests/python` with keyword arguments, and reads the JSON that it printed.
///
/// # Panics
///
/// There is no environment with the SDKs, or the program failed.
pub(crate) fn call(file: &str, function: &str, arguments: &Value) -> Value {
    let python = venv().join("bin/python");
    assert!(
        python.exists(),
        "{} is missing: run `make test`, which lays it with the SDKs of tests/requirements.txt",
        python.display()
    );
    let run = Command::new(python)
        .arg(super::root().join("tests/python").join(file))
        .args([function, &arguments.to_string()])
        .stdin(Stdio::null())
        .output()
        .expect("Python runs");
    let errors = super::text(&run.stderr);
    assert!(run.status.success(), "{file} {function} failed:\n{errors}");
    serde_json::from_slice(&run.stdout).unwrap_or_else(|error| panic!("{error} in {run:?}"))
}

fn venv() -> PathBuf {
    std::env::var_os("WEIR_VENV").map_or_else(|| super::root().join(".venv"), PathBuf::from)
}
