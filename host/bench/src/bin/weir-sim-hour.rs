//! How long a simulated hour takes at a hundred requests a second, with every slot in WebAssembly and with the same
//! policies compiled natively. One thread runs; compiling the components is not in the time.

use std::io::Write;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use weir_sim::{Deciders, Record, Scenario, Workshop};

/// Two tenants, agents that go away now and then, a provider near its limit.
const HOUR: &str = r#"
duration = "1h"

[[upstream]]
name = "main"
kind = "openai"
limits = { concurrency = 20 }
[upstream.provider]
concurrency = 240
service = { mean = "2s", sigma = 0.8 }

[[tenant]]
name = "a"
[[tenant]]
name = "b"
weight = 2

[[demand]]
name = "steady"
tenant = "a"
open = { rate = 60 }
[[demand]]
name = "impatient"
tenant = "b"
open = { rate = 40 }
cancel = 0.02
"#;

fn main() -> Result<()> {
    let scenario = Scenario::parse(HOUR, "hour.toml")?;
    let plan = scenario.cases.first().context("a file without cases has one")?;
    let workshop = Workshop::new()?;
    workshop.check(plan)?;
    let mut out = std::io::stdout().lock();
    for (name, deciders) in [("wasm", Deciders::Wasm(&workshop)), ("native", Deciders::Native)] {
        let (took, record) = timed(|| weir_sim::run(plan, 1, deciders, &mut |_| {}))?;
        tell(&mut out, name, took, &record)?;
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "what a run takes is measured here")]
fn timed<E: std::error::Error + Send + Sync + 'static>(
    run: impl FnOnce() -> Result<Record, E>,
) -> Result<(Duration, Record)> {
    let start = Instant::now();
    let record = run()?;
    Ok((start.elapsed(), record))
}

fn tell(out: &mut impl Write, name: &str, took: Duration, record: &Record) -> Result<()> {
    let (requests, attempts) = (record.requests.len(), record.attempts.len());
    let each = took.as_secs_f64() * 1e6 / requests.max(1) as f64;
    writeln!(
        out,
        "{name:7} {:6.2} s for {requests} requests in {attempts} attempts: {each:.1} us a request",
        took.as_secs_f64()
    )?;
    Ok(())
}
