//! What can be typed.

use clap::{Parser, Subcommand};

use crate::{config, demo, log, mock, policy, serve, sim};

/// A traffic governor for AI agents.
#[derive(Debug, Parser)]
#[command(version, propagate_version = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Print JSON, for scripts: one value, which is `{"error": ...}` after a failure
    #[arg(long, global = true)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) log: log::Options,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Watch thirty agents, two providers that refuse, and one governor: under a minute
    Demo(demo::Options),
    /// Govern the traffic that comes in
    Serve(serve::Options),
    /// Look at a settings file
    #[command(subcommand)]
    Config(config::Command),
    /// See in virtual time what policies do, and whether the levels of a scenario are met
    Sim(sim::SimArgs),
    /// Play a provider, as a script says
    Mock(mock::Options),
    /// Write, compile and check policies; list, replace or restore those of a running host
    Policy(policy::Options),
}

impl Command {
    /// What is logged when nobody says. The demo draws on the terminal and counts what happens itself.
    pub(crate) const fn default_log(&self) -> &'static str {
        match self {
            Self::Demo(_) => "off",
            Self::Sim(_) => "warn",
            Self::Serve(_) | Self::Config(_) | Self::Mock(_) | Self::Policy(_) => "info",
        }
    }
}
