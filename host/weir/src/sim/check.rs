//! `weir sim --check`: are the levels met?

use std::num::NonZeroUsize;
use std::path::Path;
use std::process::ExitCode;
use std::thread;

use serde_json::json;
use weir_sim::check::{Check, Row, Table};

use super::world::Runner;
use super::{SimArgs, world};
use crate::output::Output;

/// Runs all scenarios of a path against their levels. It fails when one is missed.
pub(super) fn run(path: &Path, args: &SimArgs, output: Output) -> anyhow::Result<ExitCode> {
    let scenarios = world::all(path, args)?;
    let check = Check::new(&scenarios)?;
    anyhow::ensure!(
        check.plans().any(|plan| !plan.pass.is_empty()),
        "{}: no level to check; a scenario says under [[pass]] what must be met",
        path.display()
    );
    let seeds = args.seeds(1);
    let threads = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let runner = Runner::new()?;
    for plan in check.plans() {
        seeds.iter().try_for_each(|_| runner.expect(plan))?;
    }
    let rows = check.run(&seeds, threads, &|plan, seed| runner.run(plan, seed))?;
    drop(runner);
    let ok = rows.iter().all(Row::is_met);
    output
        .print(&Table(&rows).to_string(), &json!({ "ok": ok, "seeds": seeds, "levels": rows }))?;
    Ok(if ok { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
