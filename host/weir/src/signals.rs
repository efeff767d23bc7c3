//! The ways in which a host is told to stop.
//!
//! SIGTERM and SIGINT stop it. SIGHUP has two meanings: a terminal sends it when it closes, and then a program
//! that belongs to the terminal stops as well; service managers and `kill` send it for "read your settings again".
//! Those are read at the start alone, so without a terminal it is logged and changes nothing. So `nohup` works too.

use std::io::{self, IsTerminal};

use tokio::signal::unix::{Signal, SignalKind, signal};

/// The signals, from the moment of [`Signals::listen`] on.
#[derive(Debug)]
pub(crate) struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
    /// A terminal that closes takes the program along.
    on_terminal: bool,
}

impl Signals {
    /// Takes the signals over from the system, which would end the process.
    ///
    /// # Errors
    ///
    /// The system does not allow it.
    pub(crate) fn listen() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
            // Asked now: of one that has closed it could not be told.
            on_terminal: io::stderr().is_terminal(),
        })
    }

    /// Waits for the next that stops the host and names it.
    pub(crate) async fn next(&mut self) -> &'static str {
        loop {
            tokio::select! {
                _ = self.terminate.recv() => return "SIGTERM",
                _ = self.interrupt.recv() => return "SIGINT",
                _ = self.hangup.recv() => {
                    // The terminal and its shell may each send one.
                    if std::mem::take(&mut self.on_terminal) {
                        return "SIGHUP";
                    }
                    tracing::warn!("SIGHUP changes nothing: settings are read at the start; SIGTERM stops");
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[tokio::test]
    async fn a_terminal_that_closes_takes_the_program_along() {
        let mut signals = Signals { on_terminal: true, ..Signals::listen().unwrap() };
        let me = std::process::id().to_string();
        assert!(Command::new("kill").args(["-HUP", &me]).status().unwrap().success());
        assert_eq!(signals.next().await, "SIGHUP");
    }
}
