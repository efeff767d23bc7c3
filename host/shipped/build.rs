//! Compiles the policies to WebAssembly and writes the table that embeds them, and beside it the table of the
//! sources that a project of a policy is made from.
//!
//! A build inside a build: it must not share the target folder (the outer build holds its lock), must not
//! see what the outer one was told (clippy, coverage and RUSTFLAGS would leak into the components), and must
//! give the same bytes in every folder (a policy is known by its digest). So it gets a target folder of its
//! own, a scrubbed environment, and paths mapped to fixed names. It uses the standard library alone.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::{env, fmt::Write as _, fs, io};

const TARGET: &str = "wasm32-wasip2";

/// Each policy with the interface it answers.
const POLICIES: &[(&str, &str)] = &[
    ("classify-standard", "classify"),
    ("fanout-budget", "fanout"),
    ("fanout-progressive", "fanout"),
    ("limit-aimd", "limit"),
    ("limit-ceiling", "limit"),
    ("limit-fixed", "limit"),
    ("limit-gradient", "limit"),
    ("limit-vegas", "limit"),
    ("priority-classes", "priority"),
    ("priority-slo", "priority"),
    ("retry-budgeted", "retry"),
    ("route-cheapest", "route"),
    ("route-p2c", "route"),
    ("route-prefix", "route"),
    ("route-round-robin", "route"),
    ("route-tiers", "route"),
    ("route-weighted", "route"),
    ("schedule-drr", "schedule"),
    ("schedule-edf", "schedule"),
    ("schedule-fifo", "schedule"),
    ("schedule-vtc", "schedule"),
];

/// The policy that is also built as another version, to show a swap with.
const NEXT: (&str, &str, &str) = ("limit-aimd", "limit", "0.2.0");

/// Files and folders of the workspace that a project of a policy is made from.
const SOURCES: &[&str] =
    &["Cargo.lock", "Cargo.toml", "rust-toolchain.toml", "sdk/Cargo.toml", "sdk/src", "sdk/wit"];

fn main() -> ExitCode {
    match build() {
        Ok(()) => ExitCode::SUCCESS,
        // Cargo stops at the error either way; after a success it shows that line and nothing else.
        Err(Stop::Target(words)) => {
            println!("cargo::error={words}");
            ExitCode::SUCCESS
        }
        Err(Stop::Build(words)) => {
            println!("cargo::error={words}");
            ExitCode::FAILURE
        }
    }
}

/// What ends the build, in one line for a person.
enum Stop {
    /// The compiler lacks the target.
    Target(String),
    /// The build failed; what it wrote says more.
    Build(String),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Build(format!("the policies could not be built: {error}"))
    }
}

fn build() -> Result<(), Stop> {
    // As it runs, not as it was compiled: a target folder that several clones share keeps this program.
    let own = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
    let workspace = Path::new(&own).join("../..").canonicalize()?;
    for watched in ["policies", "sdk", "wit", "host/shipped/build.rs"].iter().chain(SOURCES) {
        println!("cargo::rerun-if-changed={}", workspace.join(watched).display());
    }
    require_target()?;
    let inner = Inner::new(workspace)?;
    let names: Vec<&str> = POLICIES.iter().map(|(name, _)| *name).collect();
    inner.compile(&names, None)?;
    let version = env!("CARGO_PKG_VERSION");
    let mut table = String::from("/// The policies, by name.\npub const ALL: &[Shipped] = &[\n");
    for (name, slot) in POLICIES {
        let entry = inner.take(name, slot, version)?;
        let _ = writeln!(table, "{entry},");
    }
    let (name, slot, version) = NEXT;
    inner.compile(&[name], Some(version))?;
    let next = inner.take(name, slot, version)?;
    let _ = write!(
        table,
        "];\n\n/// Another version of `{name}`, to show a swap with.\n\
         pub const LIMIT_AIMD_NEXT: Shipped = {next};\n"
    );
    fs::write(inner.out.join("shipped.rs"), table)?;
    Ok(fs::write(inner.out.join("sources.rs"), sources(&inner)?)?)
}

/// The table of sources. They are copied, so that a crate that is compiled from it names none of the
/// workspace's paths.
fn sources(inner: &Inner) -> io::Result<String> {
    let mut files: Vec<PathBuf> = SOURCES.iter().map(PathBuf::from).collect();
    let mut table = String::from("/// The files, each with its path in the workspace.\n");
    table.push_str("pub const ALL: &[(&str, &str)] = &[\n");
    while let Some(file) = files.pop() {
        let (from, to) = (inner.workspace.join(&file), inner.out.join("sources").join(&file));
        if from.is_dir() {
            fs::create_dir_all(&to)?;
            let inside = fs::read_dir(&from)?.map(|entry| Ok(file.join(entry?.file_name())));
            files.extend(inside.collect::<io::Result<Vec<_>>>()?);
            files.sort();
            continue;
        }
        fs::create_dir_all(to.parent().unwrap_or(&inner.out))?;
        fs::copy(&from, &to)?;
        let _ = writeln!(
            table,
            "    ({file:?}, include_str!(concat!(env!(\"OUT_DIR\"), \"/sources/{}\"))),",
            file.display()
        );
    }
    table.push_str("];\n");
    Ok(table)
}

/// Refuses when the compiler has no standard library for the target.
fn require_target() -> Result<(), Stop> {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let asked =
        Command::new(rustc).args(["--print", "target-libdir", "--target", TARGET]).output()?;
    let folder = PathBuf::from(String::from_utf8_lossy(&asked.stdout).trim());
    if asked.status.success() && folder.is_dir() {
        return Ok(());
    }
    Err(Stop::Target(format!(
        "policies are compiled to WebAssembly; run `rustup target add {TARGET}`"
    )))
}

/// The build inside the build.
struct Inner {
    workspace: PathBuf,
    out: PathBuf,
    target: PathBuf,
}

impl Inner {
    fn new(workspace: PathBuf) -> Result<Self, Stop> {
        let out = env::var_os("OUT_DIR").map(PathBuf::from);
        let out =
            out.ok_or_else(|| Stop::Build("OUT_DIR is not set; cargo runs this".to_owned()))?;
        let target = out.join("target");
        Ok(Self { workspace, out, target })
    }

    /// Compiles policies, as another version when one is given.
    fn compile(&self, names: &[&str], version: Option<&str>) -> Result<(), Stop> {
        let mut cargo = self.cargo();
        cargo.args(names.iter().flat_map(|name| ["-p", *name]));
        if let Some(version) = version {
            cargo.env("WEIR_POLICY_VERSION", version);
        }
        if cargo.status()?.success() {
            return Ok(());
        }
        Err(Stop::Build("the policies did not compile; the compiler's words are below".to_owned()))
    }

    /// The command, told nothing of the outer build but where crates are kept and to stay offline.
    fn cargo(&self) -> Command {
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        for (key, _) in env::vars_os() {
            let name = key.to_string_lossy();
            let leaks = ["CARGO", "RUSTC", "RUSTFLAGS", "RUSTDOC", "CLIPPY", "WEIR_POLICY_VERSION"];
            if leaks.iter().any(|prefix| name.starts_with(prefix)) && name != "CARGO_HOME" {
                cargo.env_remove(&key);
            }
        }
        cargo.current_dir(&self.workspace).env("CARGO_ENCODED_RUSTFLAGS", self.flags());
        cargo.args(["build", "--locked", "--profile", "policy", "--target", TARGET]);
        cargo.arg("--target-dir").arg(&self.target);
        if env::var_os("CARGO_NET_OFFLINE").is_some_and(|offline| offline == "true") {
            cargo.arg("--offline");
        }
        cargo
    }

    /// Maps every path that could enter a component to a fixed name. The last match wins, so the folder
    /// that may lie inside another comes later.
    fn flags(&self) -> String {
        let mut places = vec![(self.workspace.clone(), "/weir")];
        places.extend(cargo_home().map(|home| (home, "/cargo")));
        places.push((self.target.clone(), "/target"));
        let flag =
            |(from, to): (PathBuf, &str)| format!("--remap-path-prefix={}={to}", from.display());
        places.into_iter().map(flag).collect::<Vec<_>>().join("\x1f")
    }

    /// Puts a component aside, where the next compilation does not write, and gives its entry.
    fn take(&self, name: &str, slot: &str, version: &str) -> Result<String, Stop> {
        let built = format!("{}.wasm", name.replace('-', "_"));
        let kept = format!("{name}-{version}.wasm");
        fs::copy(self.target.join(TARGET).join("policy").join(built), self.out.join(&kept))?;
        Ok(format!(
            "    Shipped {{ name: {name:?}, version: {version:?}, slot: {slot:?}, \
             wasm: include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{kept}\")) }}"
        ))
    }
}

/// Where crates are kept.
fn cargo_home() -> Option<PathBuf> {
    let home = || env::home_dir().map(|home| home.join(".cargo"));
    env::var_os("CARGO_HOME").map(PathBuf::from).or_else(home)
}
