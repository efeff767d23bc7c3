//! The weir command.

mod cli;
mod config;
mod demo;
mod log;
mod mock;
mod output;
mod policy;
mod serve;
mod signals;
mod sim;

use std::process::ExitCode;

use clap::Parser;

use self::cli::{Cli, Command};
use self::output::Output;

/// Exit codes: 0 done, 1 failed, 2 wrong use (clap's own).
fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(words) => return misused(&words),
    };
    let output = Output::new(cli.json);
    match run(cli, output) {
        Ok(code) => code,
        Err(error) => {
            output.error(&error);
            ExitCode::FAILURE
        }
    }
}

/// What was typed is not understood, or was a question about what may be.
fn misused(words: &clap::Error) -> ExitCode {
    // There is nobody left to tell when this fails.
    let _ = words.print();
    if words.use_stderr() {
        let output = Output::new(std::env::args_os().any(|word| word == "--json"));
        output.misuse(&words.to_string());
    }
    ExitCode::from(u8::try_from(words.exit_code()).unwrap_or(2))
}

fn run(cli: Cli, output: Output) -> anyhow::Result<ExitCode> {
    log::start(&cli.log, cli.command.default_log())?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    match cli.command {
        Command::Demo(options) => runtime.block_on(demo::run(options, output)),
        Command::Serve(options) => runtime.block_on(serve::run(options, output)),
        Command::Config(command) => config::run(command, output),
        Command::Mock(options) => runtime.block_on(mock::run(&options, output)),
        Command::Sim(args) => sim::run(&args, output),
        Command::Policy(options) => runtime.block_on(policy::run(options, output)),
    }
}
