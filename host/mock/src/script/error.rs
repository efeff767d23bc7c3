//! What is wrong with a script file, where, and how to mend it.

use super::check::{Invalid, path_text};
use super::locate;

/// A script that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {key}: {problem}; {mend}")]
pub struct ScriptError {
    /// The file as the caller named it.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The key, or the text where the reading stopped.
    pub key: String,
    /// What is wrong.
    pub problem: String,
    /// The known key or value nearest to an unknown one.
    pub nearest: Option<Box<str>>,
    /// What to do.
    pub mend: String,
}

impl ScriptError {
    pub(super) fn from_toml(error: &toml::de::Error, text: &str, file: &str) -> Self {
        let start = error.span().map_or(0, |span| span.start);
        let unknown = Unknown::read(error.message());
        let nearest = unknown.as_ref().and_then(Unknown::nearest);
        let mend = match (&unknown, &nearest) {
            (_, Some(nearest)) => format!("did you mean `{nearest}`?"),
            (Some(unknown), None) => format!("known here: {}", unknown.known.join(", ")),
            (None, _) => mend(error.message()).to_owned(),
        };
        let key = match (&unknown, missing(error.message())) {
            (Some(unknown), _) => unknown.word.clone(),
            (None, Some(missing)) => missing.to_owned(),
            (None, None) => locate::key_at(text, start),
        };
        Self {
            file: file.to_owned(),
            line: locate::line_of(text, start),
            key,
            problem: error.message().trim().replace('\n', ", "),
            nearest,
            mend,
        }
    }

    pub(super) fn from_invalid(invalid: Invalid, text: &str, file: &str) -> Self {
        Self {
            file: file.to_owned(),
            line: locate::line_of(text, locate::start_of(text, &invalid.path)),
            key: path_text(&invalid.path),
            problem: invalid.problem,
            nearest: None,
            mend: invalid.mend,
        }
    }
}

/// The key of a message about a missing one.
fn missing(message: &str) -> Option<&str> {
    message.strip_prefix("missing field `")?.split('`').next()
}

fn mend(message: &str) -> &'static str {
    if missing(message).is_some() {
        "add it to this table"
    } else if message.starts_with("invalid socket address") {
        "write an IP address and a port, like \"127.0.0.1:0\""
    } else if message.starts_with("invalid type") || message.starts_with("invalid value") {
        "write a value of the kind it expects"
    } else {
        "mend the line; the file must be valid TOML"
    }
}

/// serde's words for an unknown key or value: the word and what it knows instead, in backticks.
struct Unknown {
    word: String,
    known: Vec<String>,
}

impl Unknown {
    fn read(message: &str) -> Option<Self> {
        if !message.starts_with("unknown field") && !message.starts_with("unknown variant") {
            return None;
        }
        let mut quoted = message.split('`').skip(1).step_by(2).map(str::to_owned);
        Some(Self { word: quoted.next()?, known: quoted.collect() })
    }

    fn nearest(&self) -> Option<Box<str>> {
        let distance = |known: &&String| strsim::damerau_levenshtein(known, &self.word);
        let nearest = self.known.iter().min_by_key(distance)?;
        (distance(&nearest) * 2 <= nearest.len().max(2)).then(|| nearest.as_str().into())
    }
}
