//! What a command prints: lines for a person, or one JSON value a line for a script.

use std::io::{self, Write};

use serde_json::{Value, json};
use weir_gateway::config::{Complaint, ConfigError};

/// Where results go, and in which form.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    json: bool,
}

impl Output {
    pub(crate) const fn new(json: bool) -> Self {
        Self { json }
    }

    /// Standard output is for a script.
    pub(crate) const fn is_json(self) -> bool {
        self.json
    }

    /// Prints a result in the form that was asked for. A reader that went away is no failure.
    ///
    /// # Errors
    ///
    /// Standard output cannot be written to.
    pub(crate) fn print(self, human: &str, json: &Value) -> io::Result<()> {
        let text = if self.json { json.to_string() } else { human.to_owned() };
        let mut out = io::stdout().lock();
        match writeln!(out, "{text}").and_then(|()| out.flush()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            written => written,
        }
    }

    /// Tells a script that it was typed wrongly; a person has been told.
    pub(crate) fn misuse(self, words: &str) {
        if self.json {
            let _ = self.print("", &json!({ "error": words.trim_end() }));
        }
    }

    /// Prints a failure as one chain of causes: on standard error, and for a script on standard output too.
    pub(crate) fn error(self, error: &anyhow::Error) {
        let chain = format!("{error:#}");
        let mut err = io::stderr().lock();
        // There is nobody left to tell when these fail.
        let _ = writeln!(err, "weir: {chain}");
        if self.json {
            let _ = self.print("", &failure(error));
        }
    }
}

/// What a script is told of a failure, whichever command it was: the words, and each place in a settings file that
/// they are about.
pub(crate) fn failure(error: &anyhow::Error) -> Value {
    let mut failure = json!({ "error": format!("{error:#}") });
    if let Some(ConfigError::Invalid(complaints)) = error.downcast_ref() {
        failure["complaints"] = complaints.iter().map(complaint).collect();
    }
    failure
}

fn complaint(complaint: &Complaint) -> Value {
    json!({
        "file": complaint.place.file,
        "line": complaint.place.line,
        "column": complaint.place.column,
        "key": complaint.place.key,
        "problem": complaint.problem,
    })
}
