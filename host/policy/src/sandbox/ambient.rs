//! What a program finds around it: an empty environment, a clock that stands still during a call, an exit.

use wasmtime::component::Resource;
use wasmtime::{Result, bail};
use weir_core::units::Micros;

use super::Sandbox;
use super::streams::{Input, Output};
use super::wasi::wasi::cli::{
    environment, exit, stderr, stdin, stdout, terminal_input, terminal_output, terminal_stderr,
    terminal_stdin, terminal_stdout,
};
use super::wasi::wasi::clocks::{monotonic_clock, wall_clock};
use super::wasi::wasi::random::{insecure, insecure_seed, random};

/// The policy left by `exit`.
#[derive(Debug, thiserror::Error)]
#[error("it left by exit, which ends a policy ({})", if *failed { "failure" } else { "success" })]
pub(crate) struct Exit {
    failed: bool,
}

/// Never made: no stream is a terminal.
pub enum Terminal {}

/// Random bytes that one call may ask for.
const RANDOM: u64 = 64 << 10;

impl environment::Host for Sandbox {
    fn get_environment(&mut self) -> Result<Vec<(String, String)>> {
        Ok(Vec::new())
    }
    fn get_arguments(&mut self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }
    fn initial_cwd(&mut self) -> Result<Option<String>> {
        Ok(None)
    }
}

impl exit::Host for Sandbox {
    fn exit(&mut self, status: Result<(), ()>) -> Result<()> {
        Err(Exit { failed: status.is_err() }.into())
    }
}

impl stdin::Host for Sandbox {
    fn get_stdin(&mut self) -> Result<Resource<Input>> {
        self.input()
    }
}

impl stdout::Host for Sandbox {
    fn get_stdout(&mut self) -> Result<Resource<Output>> {
        self.output()
    }
}

impl stderr::Host for Sandbox {
    fn get_stderr(&mut self) -> Result<Resource<Output>> {
        self.output()
    }
}

impl terminal_input::Host for Sandbox {}
impl terminal_input::HostTerminalInput for Sandbox {
    fn drop(&mut self, terminal: Resource<Terminal>) -> Result<()> {
        self.table.delete(terminal)?;
        Ok(())
    }
}

impl terminal_output::Host for Sandbox {}
impl terminal_output::HostTerminalOutput for Sandbox {
    fn drop(&mut self, terminal: Resource<Terminal>) -> Result<()> {
        self.table.delete(terminal)?;
        Ok(())
    }
}

impl terminal_stdin::Host for Sandbox {
    fn get_terminal_stdin(&mut self) -> Result<Option<Resource<Terminal>>> {
        Ok(None)
    }
}

impl terminal_stdout::Host for Sandbox {
    fn get_terminal_stdout(&mut self) -> Result<Option<Resource<Terminal>>> {
        Ok(None)
    }
}

impl terminal_stderr::Host for Sandbox {
    fn get_terminal_stderr(&mut self) -> Result<Option<Resource<Terminal>>> {
        Ok(None)
    }
}

impl monotonic_clock::Host for Sandbox {
    fn now(&mut self) -> Result<u64> {
        Ok(self.now.0.saturating_mul(1_000))
    }
    fn resolution(&mut self) -> Result<u64> {
        Ok(1_000)
    }
}

/// Counts from 1970 at the start of the host: real dates come in the calls that need them.
impl wall_clock::Host for Sandbox {
    fn now(&mut self) -> Result<wall_clock::Datetime> {
        Ok(datetime(self.now))
    }
    fn resolution(&mut self) -> Result<wall_clock::Datetime> {
        Ok(datetime(Micros(1)))
    }
}

fn datetime(time: Micros) -> wall_clock::Datetime {
    let (seconds, rest) = (time.0 / 1_000_000, time.0 % 1_000_000);
    wall_clock::Datetime { seconds, nanoseconds: u32::try_from(rest * 1_000).unwrap_or(0) }
}

impl Sandbox {
    fn random_bytes(&mut self, count: u64) -> Result<Vec<u8>> {
        match usize::try_from(count) {
            Ok(count_here) if count <= RANDOM => Ok(self.random.bytes(count_here)),
            _ => bail!("{count} random bytes in one call; {RANDOM} are allowed"),
        }
    }
}

impl random::Host for Sandbox {
    fn get_random_bytes(&mut self, count: u64) -> Result<Vec<u8>> {
        self.random_bytes(count)
    }
    fn get_random_u64(&mut self) -> Result<u64> {
        Ok(self.random.next())
    }
}

impl insecure::Host for Sandbox {
    fn get_insecure_random_bytes(&mut self, count: u64) -> Result<Vec<u8>> {
        self.random_bytes(count)
    }
    fn get_insecure_random_u64(&mut self) -> Result<u64> {
        Ok(self.random.next())
    }
}

impl insecure_seed::Host for Sandbox {
    fn insecure_seed(&mut self) -> Result<(u64, u64)> {
        Ok((self.random.next(), self.random.next()))
    }
}
