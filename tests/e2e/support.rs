//! Running programs, asking them, and waiting for what they do.

pub(crate) mod http;
mod process;
pub(crate) mod python;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use self::process::Process;

/// The root of this repository.
pub(crate) fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Runs `weir` to its end in a folder.
pub(crate) fn weir(dir: &Path, args: &[&str]) -> Output {
    process::weir(args).current_dir(dir).output().expect("the binary runs")
}

/// What a program printed, as text.
pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Asks until the answer is yes.
///
/// # Panics
///
/// It is not within the time.
pub(crate) fn until(what: &str, within: Duration, mut yes: impl FnMut() -> bool) {
    #[expect(clippy::disallowed_methods, reason = "the deadline of a test against a real process")]
    let start = Instant::now();
    while !yes() {
        assert!(start.elapsed() < within, "not within {within:?}: {what}");
        #[expect(
            clippy::disallowed_methods,
            reason = "the rest between two questions to a real process"
        )]
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A running `weir mock`.
#[derive(Debug)]
pub(crate) struct Mock {
    urls: BTreeMap<String, String>,
    _process: Process,
    _dir: TempDir,
}

impl Mock {
    /// Starts the providers of a script; each listens on a free port.
    pub(crate) fn start(script: &str) -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let file = write(dir.path(), "mock.toml", script);
        let (process, ready) =
            Process::start(process::weir(&["--json", "--log", "warn", "mock"]).arg(file));
        let providers = ready["providers"].as_array().expect("a list of providers");
        let url = |provider: &Value| {
            let text = |key: &str| provider[key].as_str().expect("a text").to_owned();
            (text("name"), text("base_url"))
        };
        Self { urls: providers.iter().map(url).collect(), _process: process, _dir: dir }
    }

    /// A provider's base address, as its SDK takes it.
    pub(crate) fn url(&self, name: &str) -> &str {
        &self.urls[name]
    }

    /// What a provider counted.
    pub(crate) fn stats(&self, name: &str) -> Value {
        let origin = self.url(name).trim_end_matches("/v1");
        let report = http::get(&format!("{origin}/mock/stats")).json();
        report["stats"].clone()
    }
}

/// The file that a gateway logs to.
const LOG: &str = "weir.log";

/// A running `weir serve`.
#[derive(Debug)]
pub(crate) struct Gateway {
    url: String,
    process: Process,
    dir: TempDir,
}

impl Gateway {
    /// Starts a gateway on a free port with the rest of its settings.
    pub(crate) fn start(settings: &str) -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let file = write(dir.path(), "weir.toml", &format!("listen = \"127.0.0.1:0\"\n{settings}"));
        let mut command = process::weir(&["--json", "--log", "info", "serve", "--config"]);
        let log = fs::File::create(dir.path().join(LOG)).expect("a file");
        let (process, ready) = Process::start(command.arg(file).stderr(log));
        let url = ready["listening"].as_str().expect("an address").to_owned();
        Self { url, process, dir }
    }

    /// What it has logged.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.dir.path().join(LOG)).expect("a log")
    }

    /// Sends it a signal, such as `HUP`.
    pub(crate) fn signal(&self, name: &str) {
        self.process.signal(name);
    }

    /// Its address, without a slash at the end.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// A metric's value, summed over its labels; 0 when it is not there.
    pub(crate) fn metric(&self, name: &str) -> f64 {
        let page = http::get(&format!("{}/metrics", self.url)).text();
        let is_its =
            |line: &&str| line.strip_prefix(name).is_some_and(|rest| rest.starts_with([' ', '{']));
        let value =
            |line: &str| line.rsplit(' ').next().and_then(|value| value.parse::<f64>().ok());
        page.lines().filter(is_its).filter_map(value).sum()
    }

    /// Tells it to stop and waits for its end: its exit code.
    pub(crate) fn terminate(mut self) -> Option<i32> {
        self.process.terminate()
    }
}

/// A test that fails shows what its gateway logged.
impl Drop for Gateway {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{}", fs::read_to_string(self.dir.path().join(LOG)).unwrap_or_default());
        }
    }
}

fn write(dir: &Path, name: &str, text: &str) -> PathBuf {
    let file = dir.join(name);
    fs::write(&file, text).expect("a file");
    file
}
