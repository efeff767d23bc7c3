//! `weir-load [--seconds N] [--rounds N] [--connections N]`: the load bench.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, bail};
use tokio_util::task::TaskTracker;
use weir_bench::load::generator::{self, Load};
use weir_bench::load::nginx::Nginx;
use weir_bench::load::report::{Row, table};
use weir_bench::load::target::{self, Policies, Target};
use weir_bench::load::upstream;

const USAGE: &str = "weir-load [--seconds N] [--rounds N] [--connections N]";

fn main() -> anyhow::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["serve", policies, config] => runtime.block_on(target::serve(policies, Path::new(config))),
        _ => runtime.block_on(bench(&Plan::parse(&words)?)),
    }
}

/// How to measure.
struct Plan {
    load: Load,
    rounds: usize,
}

impl Plan {
    fn parse(words: &[String]) -> anyhow::Result<Self> {
        let (mut seconds, mut rounds, mut connections) = (3, 7, 32);
        for pair in words.chunks(2) {
            let [name, value] = pair else { bail!("{} wants a number: {USAGE}", pair[0]) };
            let number = value.parse().with_context(|| format!("{name} {value}: {USAGE}"))?;
            match name.as_str() {
                "--seconds" => seconds = number,
                "--rounds" => rounds = number,
                "--connections" => connections = number,
                _ => bail!("unknown option {name}: {USAGE}"),
            }
        }
        if seconds == 0 || rounds == 0 || connections == 0 || connections > 1_000 {
            bail!("numbers from 1, and connections to 1000: {USAGE}");
        }
        let span = Duration::from_secs(seconds as u64);
        Ok(Self { load: Load { connections, span }, rounds })
    }
}

async fn bench(plan: &Plan) -> anyhow::Result<()> {
    let (tasks, dir) = (TaskTracker::new(), tempfile::tempdir()?);
    let fixed = upstream::serve(&tasks).await?;
    let config = dir.path().join("weir.toml");
    std::fs::write(&config, target::config(fixed))?;
    let wasm = Target::start(Policies::Wasm, &config)?;
    let native = Target::start(Policies::Native, &config)?;
    let nginx = Nginx::start(dir.path(), fixed)?;
    let mut targets = vec![
        ("direct", fixed, None),
        ("weir wasm", wasm.addr, Some(&wasm)),
        ("weir native", native.addr, Some(&native)),
    ];
    targets.extend(nginx.iter().map(|nginx| ("nginx", nginx.addr, None)));
    let mut rows: Vec<Row> = targets.iter().map(|&(name, ..)| Row::new(name)).collect();
    for round in 0..=plan.rounds {
        // There and back, so that who comes first is no one's gain.
        let order: Vec<usize> = match round % 2 {
            0 => (0..targets.len()).collect(),
            _ => (0..targets.len()).rev().collect(),
        };
        for at in order {
            let (row, (name, addr, process)) = (&mut rows[at], targets[at]);
            let before = process.and_then(Target::processor_time);
            let measured = generator::run(addr, plan.load, &tasks).await.context(name)?;
            // The first round warms connections, caches and code up.
            if round == 0 {
                continue;
            }
            let after = process.and_then(Target::processor_time);
            if let Some((before, after)) = before.zip(after) {
                let answers = measured.rate * plan.load.span.as_secs_f64();
                row.add_work(answers, after.saturating_sub(before));
            }
            row.add(measured);
        }
        eprintln!("round {round} of {}", plan.rounds);
    }
    print!("{}", table(&rows));
    ratios(&rows);
    Ok(())
}

fn ratios(rows: &[Row]) {
    let row = |name: &str| rows.iter().find(|row| row.name == name);
    let (Some(wasm), Some(native)) = (row("weir wasm"), row("weir native")) else { return };
    let [low, median, high] = wasm.ratio(native);
    println!("wasm / native rate: {median:.3} (quartiles {low:.3} and {high:.3})");
    let (a, b) = (wasm.processor_time(), native.processor_time());
    if a.is_finite() && b > 0.0 {
        println!("processor time a request: wasm {a:.2} us, native {b:.2} us, {:+.2} us", a - b);
    }
    match row("nginx") {
        Some(nginx) => println!("weir wasm / nginx rate: {:.3}", wasm.ratio(nginx)[1]),
        None => println!("nginx is not installed: no comparison with a plain proxy"),
    }
    if let Some(direct) = row("direct") {
        println!("added latency, p50: {:.2} ms", wasm.latency(0.5) - direct.latency(0.5));
    }
}
