//! Helpers for the tests of a policy: questions in one line, and benches that play the host.

use std::cell::RefCell;

use crate::host::Level;

mod build;
mod limit;
mod schedule;

pub use build::{
    arrival, attempt, candidate, cell, child, demand, ending, failure, flow, item, request,
    response, room, tree, verdict,
};
pub use limit::LimitBench;
pub use schedule::ScheduleBench;

thread_local! {
    static SAID: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// Keeps a line that a policy said.
#[cfg_attr(target_arch = "wasm32", expect(dead_code, reason = "a component has a real host"))]
pub(crate) fn hear(level: Level, message: &str) {
    let word = match level {
        Level::Debug => "debug",
        Level::Info => "info",
        Level::Warn => "warn",
        Level::Error => "error",
    };
    SAID.with_borrow_mut(|said| said.push(format!("{word}: {message}")));
}

/// Takes the lines that policies on this thread have said since it was last asked.
#[must_use]
pub fn said() -> Vec<String> {
    SAID.take()
}
