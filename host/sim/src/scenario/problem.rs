//! What can be wrong in a scenario, each with its place and how to mend it.

use std::io;
use std::path::PathBuf;

use weir_settings::{Complaint, lines};

/// Why there is no scenario.
#[derive(Debug, thiserror::Error)]
pub enum ScenarioError {
    /// The file cannot be read.
    #[error("cannot read the scenario {}", path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file says something that cannot be done: every such thing, in the order of the file.
    #[error("{}", lines(.0))]
    Invalid(Vec<Complaint>),
}
