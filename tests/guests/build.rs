//! Compiles the guests with a cargo of its own: own target folder, no flags of the outer build.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const GUESTS: [&str; 4] = ["hostile", "twin", "sleeper", "caller"];

fn main() -> ExitCode {
    match build() {
        Ok(()) => ExitCode::SUCCESS,
        Err(words) => {
            println!("cargo::error={words}");
            ExitCode::FAILURE
        }
    }
}

fn build() -> Result<(), String> {
    let out = PathBuf::from(var("OUT_DIR")?);
    let root = Path::new(&var("CARGO_MANIFEST_DIR")?).join("../..");
    for watched in ["tests/guests", "sdk", "Cargo.lock"] {
        println!("cargo::rerun-if-changed={}", root.join(watched).display());
    }
    let target = out.join("target");
    let status = cargo(&root, &target)?.status().map_err(|error| format!("cargo: {error}"))?;
    if !status.success() {
        return Err(
            "the guests do not build; is the target there? rustup target add wasm32-wasip2".into(),
        );
    }
    for guest in GUESTS {
        let file = format!("guest_{guest}.wasm");
        let built = target.join("wasm32-wasip2/policy").join(&file);
        std::fs::copy(&built, out.join(&file)).map_err(|error| format!("{built:?}: {error}"))?;
    }
    Ok(())
}

fn cargo(root: &Path, target: &Path) -> Result<Command, String> {
    let mut cargo = Command::new(var("CARGO")?);
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        let outer = ["CARGO", "RUSTC", "CLIPPY"].iter().any(|prefix| text.starts_with(prefix));
        if (outer && text != "CARGO_HOME" && text != "CARGO_NET_OFFLINE") || text == "RUSTFLAGS" {
            cargo.env_remove(&name);
        }
    }
    cargo.current_dir(root).args(["build", "--locked", "--quiet", "--profile", "policy"]);
    cargo.args(["--target", "wasm32-wasip2", "--target-dir"]).arg(target);
    for guest in GUESTS {
        cargo.args(["-p", &format!("guest-{guest}")]);
    }
    Ok(cargo)
}

fn var(name: &str) -> Result<String, String> {
    env::var(name).map_err(|error| format!("{name}: {error}"))
}
