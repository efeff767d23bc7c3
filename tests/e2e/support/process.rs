//! A child that is never left behind.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::Value;

/// The command under test.
pub(super) fn weir(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_weir"));
    command.args(args).stdin(Stdio::null());
    command
}

/// A running program. It is killed when this is dropped.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    /// Kept open, or the program would fail when it prints.
    _stdout: BufReader<ChildStdout>,
}

impl Process {
    /// Starts a program that prints one line of JSON once it is ready.
    ///
    /// # Panics
    ///
    /// It ends before, or prints something else.
    pub(super) fn start(command: &mut Command) -> (Self, Value) {
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the binary runs");
        let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut line = String::new();
        stdout.read_line(&mut line).expect("a pipe");
        let process = Self { child, _stdout: stdout };
        let ready = serde_json::from_str(&line);
        let ready = ready.unwrap_or_else(|error| panic!("{command:?} printed {line:?}: {error}"));
        (process, ready)
    }

    /// Sends a signal, such as `HUP`.
    pub(super) fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args(["-s", name, &id]).status().expect("kill runs");
        assert!(sent.success(), "no process {id}");
    }

    /// Sends SIGTERM, waits, and gives the exit code.
    pub(super) fn terminate(&mut self) -> Option<i32> {
        self.signal("TERM");
        self.child.wait().expect("the program ends").code()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Both fail only when it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
