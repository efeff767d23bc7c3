//! What went wrong in a call, sorted and in words.

use std::any::Any;

use wasmtime::{Error, Trap};
use weir_core::Fault;

use crate::sandbox::{Exit, Sandbox};

/// Why a call gave no answer. The instance is dead.
#[derive(Debug, thiserror::Error)]
pub enum Failed {
    /// It ran past its time.
    #[error("it ran past the 5 ms of a call{}", said(.words))]
    Deadline {
        /// What it said during the call.
        words: String,
    },
    /// It wanted too much memory.
    #[error("it {cap}{}", said(.words))]
    Memory {
        /// How much of how much.
        cap: String,
        /// What it said during the call.
        words: String,
    },
    /// It trapped.
    #[error("it stopped: {trap}{}", said(.words))]
    Trap {
        /// What the machine says.
        trap: String,
        /// What it said during the call.
        words: String,
    },
    /// Its answer could not be read.
    #[error("its answer could not be read: {error}{}", said(.words))]
    Nonsense {
        /// What was wrong with it.
        error: String,
        /// What it said during the call.
        words: String,
    },
    /// It saved more than a host keeps.
    #[error("it saved {bytes} bytes of state; {most} are kept")]
    TooMuchState {
        /// How much it saved.
        bytes: usize,
        /// How much is kept.
        most: usize,
    },
    /// It does not start with its settings.
    #[error("it does not start: {0}")]
    Settings(String),
    /// It does not take over what an earlier instance saved.
    #[error("it does not take the saved state over: {0}")]
    Restore(String),
    /// Its exports are not of the contract's types.
    #[error("its exports do not fit: {0:#}")]
    Bind(Error),
}

fn said(words: &str) -> String {
    if words.is_empty() { String::new() } else { format!("; it said: {words}") }
}

impl Failed {
    /// From wasmtime's error, and what the sandbox saw.
    pub(crate) fn call(error: Error, sandbox: &Sandbox, mark: u64) -> Self {
        let words = sandbox.ring.words(mark);
        if let Some(cap) = sandbox.memory.words() {
            return Self::Memory { cap, words };
        }
        match error.downcast_ref::<Trap>() {
            Some(Trap::Interrupt | Trap::OutOfFuel) => Self::Deadline { words },
            Some(trap) => Self::Trap { trap: trap.to_string(), words },
            None if error.is::<Exit>() || from_guest(&error) => {
                Self::Trap { trap: error.root_cause().to_string(), words }
            }
            None => Self::Nonsense { error: format!("{error:#}"), words },
        }
    }

    /// A panic of the host in the middle of a call.
    pub(crate) fn host(panic: &(dyn Any + Send)) -> Self {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
        Self::Trap { trap: format!("the host panicked: {text}"), words: String::new() }
    }

    /// For the core.
    #[must_use]
    pub const fn fault(&self) -> Fault {
        match self {
            Self::Deadline { .. } => Fault::Deadline,
            Self::Memory { .. } => Fault::Memory,
            Self::Trap { .. } => Fault::Trap,
            Self::Nonsense { .. }
            | Self::TooMuchState { .. }
            | Self::Settings(_)
            | Self::Restore(_)
            | Self::Bind(_) => Fault::Nonsense,
        }
    }
}

/// An error that a function of the host raised while the policy ran has a backtrace of the policy with it.
fn from_guest(error: &Error) -> bool {
    error.downcast_ref::<wasmtime::WasmBacktrace>().is_some()
}
