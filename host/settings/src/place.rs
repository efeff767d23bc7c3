//! Where something is written, and what is wrong there.

use std::fmt;

/// Where something is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file's name as given.
    pub file: String,
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
    /// The case of a scenario whose values are meant; absent for the file as it is written.
    pub case: Option<String>,
    /// The key's path, such as `policies.limit.use`; empty for the file itself.
    pub key: String,
}

/// One thing that is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// Where.
    pub place: Place,
    /// What is wrong and how to mend it.
    pub problem: String,
}

impl Place {
    /// What is wrong there.
    #[must_use]
    pub fn complain(&self, problem: String) -> Complaint {
        Complaint { place: self.clone(), problem }
    }
}

impl Complaint {
    /// The line and the column, by which complaints are put in the file's order.
    #[must_use]
    pub const fn position(&self) -> (usize, usize) {
        (self.place.line, self.place.column)
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { file, line, column, case, key } = &self.place;
        write!(f, "{file}:{line}:{column}: ")?;
        if let Some(case) = case {
            write!(f, "case `{case}`: ")?;
        }
        if !key.is_empty() {
            write!(f, "{key}: ")?;
        }
        f.write_str(&self.problem)
    }
}

/// Complaints, one a line.
#[must_use]
pub fn lines(complaints: &[Complaint]) -> String {
    let lines: Vec<String> = complaints.iter().map(ToString::to_string).collect();
    lines.join("\n")
}
