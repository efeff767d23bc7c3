//! Running a plan.

use std::thread;

use weir_core::ConfigError;
use weir_core::units::Micros;

use crate::decide::{Deciders, PolicyError};
use crate::record::Record;
use crate::scenario::Plan;
use crate::world::World;

/// The stack of the thread that a run has to itself: policies take theirs from it.
const STACK: usize = 8 << 20;

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Virtual time.
    pub now: Micros,
    /// When the run ends at the latest.
    pub end: Micros,
    /// Requests so far.
    pub requests: u64,
}

/// Why there was no run.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A policy cannot be used.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// The hosts' configuration contradicts itself.
    #[error("the scenario contradicts itself")]
    Config(#[from] ConfigError),
    /// There is no thread for the run, or it broke down.
    #[error("the run's thread: {0}")]
    Thread(String),
}

/// Runs a plan to its end. `progress` is told at each sample.
///
/// # Errors
///
/// It cannot begin: a policy that is no good, or a configuration that contradicts itself. A policy that fails in the
/// middle is no error: the fallback answers, and the record says so.
pub fn run(
    plan: &Plan,
    seed: u64,
    deciders: Deciders<'_>,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<Record, RunError> {
    thread::scope(|scope| {
        let builder = thread::Builder::new().name("weir-sim".to_owned()).stack_size(STACK);
        let spawned = builder.spawn_scoped(scope, move || {
            let (minds, swaps) = deciders.start(plan)?;
            Ok(World::new(plan, seed, minds, swaps)?.run(progress))
        });
        let thread = spawned.map_err(|error| RunError::Thread(error.to_string()))?;
        thread.join().unwrap_or_else(|_| Err(RunError::Thread("it broke down".to_owned())))
    })
}
