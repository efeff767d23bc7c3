//! A gateway in a process of its own, as a user runs it.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, bail};
use weir_gateway::config::Settings;
use weir_gateway::{Deciders, Gateway};
use weir_native::Native;

/// Whose decisions a gateway asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policies {
    /// The shipped components.
    Wasm,
    /// The same crates, compiled natively.
    Native,
}

impl Policies {
    /// The word on the command line and in the report.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Wasm => "wasm",
            Self::Native => "native",
        }
    }
}

/// A gateway of the load bench; ended on drop.
#[derive(Debug)]
pub struct Target {
    child: Child,
    /// Where it listens.
    pub addr: SocketAddr,
}

impl Target {
    /// Starts this program again as a gateway and waits until it says where it listens.
    ///
    /// # Errors
    ///
    /// It does not start; its own words are on standard error.
    pub fn start(policies: Policies, config: &Path) -> anyhow::Result<Self> {
        let mut child = Command::new(std::env::current_exe()?)
            .args(["serve", policies.name()])
            .arg(config)
            .stdout(Stdio::piped())
            .spawn()?;
        let stdout = child.stdout.take().context("the gateway has no output")?;
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line)?;
        match line.trim().parse() {
            Ok(addr) => Ok(Self { child, addr }),
            Err(_) => {
                let _ = child.kill();
                let _ = child.wait();
                bail!("the gateway with {} policies did not start", policies.name())
            }
        }
    }
}

impl Target {
    /// The processor time that the gateway has used since it started, where the system tells (Linux), to a
    /// hundredth of a second. Unlike a rate it does not depend on what else the machine does.
    #[must_use]
    pub fn processor_time(&self) -> Option<Duration> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).ok()?;
        // Fields are counted after the name, which may hold blanks: user and system time are 14 and 15.
        let (_, fields) = stat.rsplit_once(')')?;
        let ticks = fields.split_whitespace().skip(11).take(2).map(str::parse::<u64>);
        Some(Duration::from_millis(10 * ticks.sum::<Result<u64, _>>().ok()?))
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The configuration of both gateways: limits so wide that they never refuse, so that what is measured is
/// the way and not the wait.
#[must_use]
pub fn config(upstream: SocketAddr) -> String {
    format!(
        "listen = \"127.0.0.1:0\"\n\n[[upstream]]\nname = \"fixed\"\nkind = \"openai\"\n\
         base_url = \"http://{upstream}/v1\"\nmodels = [\"fixed\"]\nlimits = {{ concurrency = 1024 }}\n"
    )
}

/// Is a gateway, until the process is ended.
///
/// # Errors
///
/// The configuration is no good, or the gateway does not start.
pub async fn serve(policies: &str, config: &Path) -> anyhow::Result<()> {
    let settings = Settings::load(config)?;
    let gateway = match policies {
        "wasm" => Gateway::start(settings, Deciders::Configured).await?,
        "native" => Gateway::start(settings, native()).await?,
        other => bail!("no policies {other}: say wasm or native"),
    };
    println!("{}", gateway.addr());
    std::future::pending().await
}

fn native() -> Deciders {
    Deciders::Fixed(Box::new(|| {
        Native::start().map(|native| Box::new(native) as Box<dyn weir_core::Policies>)
    }))
}
