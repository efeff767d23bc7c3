//! What can be wrong in a scenario, each with its place and how to mend it.

use std::fmt;
use std::io;
use std::path::PathBuf;

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

fn lines(complaints: &[Complaint]) -> String {
    let lines: Vec<String> = complaints.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

/// One thing that is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// The file's name as given.
    pub file: String,
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
    /// The case in which it is wrong; empty for the file as it is written.
    pub case: String,
    /// The key's path, such as `upstream[0].limits.rpm`; empty for the file itself.
    pub key: String,
    /// What is wrong and how to mend it.
    pub problem: String,
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: ", self.file, self.line, self.column)?;
        if !self.case.is_empty() {
            write!(f, "case `{}`: ", self.case)?;
        }
        if !self.key.is_empty() {
            write!(f, "{}: ", self.key)?;
        }
        f.write_str(&self.problem)
    }
}
