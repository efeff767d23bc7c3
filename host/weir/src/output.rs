//! What a command prints: lines for a person, or one JSON value a line for a script.

use std::io::{self, Write};

use serde_json::{Value, json};

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

    /// Prints a failure as one chain of causes: on standard error, and for a script on standard output too.
    pub(crate) fn error(self, error: &anyhow::Error) {
        let chain = format!("{error:#}");
        let mut err = io::stderr().lock();
        // There is nobody left to tell when these fail.
        let _ = writeln!(err, "weir: {chain}");
        if self.json {
            let _ = self.print("", &json!({ "error": chain }));
        }
    }
}
