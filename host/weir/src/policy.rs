//! `weir policy`: write a policy, and replace the policies of a running host.

use std::process::ExitCode;

use clap::Subcommand;

use crate::output::Output;

mod admin;
mod build;
mod cargo;
mod check;
mod new;
mod remote;
mod test;

#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write a project of a policy: source, a test, the SDK and the contract
    New(new::Options),
    /// Run a project's tests natively
    Test(test::Options),
    /// Compile a project to a component
    Build(build::Options),
    /// Load a component as a host does, and tell what it is
    Check(check::Options),
    #[command(flatten)]
    Remote(remote::Command),
}

/// Runs `weir policy`.
///
/// # Errors
///
/// What was asked for failed; the words say how to mend it.
pub(crate) async fn run(options: Options, output: Output) -> anyhow::Result<ExitCode> {
    match options.command {
        Command::New(options) => new::run(&options, output),
        Command::Test(options) => test::run(&options, output),
        Command::Build(options) => build::run(&options, output),
        Command::Check(options) => check::run(&options, output),
        Command::Remote(command) => remote::run(command, output).await,
    }
}
