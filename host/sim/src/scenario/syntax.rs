//! From text to [`File`], with the place of what does not fit.
//!
//! The TOML reader tells what it met as a sentence and a span. Three things are added here: the path of the key
//! that the span lies in, the nearest known name when a name is unknown, and simpler words.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::file::File;
use super::problem::Complaint;

/// How alike two names must be for one to be offered for the other: a share of their letters.
const ALIKE: f64 = 0.4;

/// A text whose places can be told.
pub(super) struct Page<'a> {
    pub(super) text: &'a str,
    /// The file's name.
    pub(super) name: &'a str,
    /// A case, and where it stands in the file: its text is not the file's own.
    pub(super) case: Option<(&'a str, (usize, usize))>,
}

impl Page<'_> {
    /// Reads the text. One complaint: the reader stops at the first.
    pub(super) fn read(&self) -> Result<File, Complaint> {
        toml::from_str(self.text).map_err(|error| {
            let span = error.span().unwrap_or(0..0);
            self.complaint(&span, reword(error.message()))
        })
    }

    /// A complaint about a span of the text.
    pub(super) fn complaint(&self, span: &Range<usize>, problem: String) -> Complaint {
        let (line, column) = self.case.map_or_else(|| place(self.text, span), |case| case.1);
        Complaint {
            file: self.name.to_owned(),
            line,
            column,
            case: self.case.map_or_else(String::new, |case| case.0.to_owned()),
            key: key_at(self.text, span),
            problem,
        }
    }
}

/// The line and the column, both from 1, of a byte of a text.
pub(super) fn place(text: &str, span: &Range<usize>) -> (usize, usize) {
    let before = text.get(..span.start).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
    (line, before[line_start..].chars().count() + 1)
}

/// The reader's words, and those of the types it reads into, beside the file's own.
const WORDS: [(&str, &str); 5] = [
    ("unknown field", "unknown key"),
    ("missing field", "missing key"),
    ("a nonzero u32", "a whole number above 0"),
    ("a nonzero u64", "a whole number above 0"),
    ("a nonzero usize", "a whole number above 0"),
];

/// Puts the reader's sentence in the file's words, and adds the nearest known name to one about an unknown name.
pub(crate) fn reword(message: &str) -> String {
    let message =
        WORDS.iter().fold(message.to_owned(), |message, (from, to)| message.replace(from, to));
    let mut quoted = message.split('`').skip(1).step_by(2);
    let unknown = message.starts_with("unknown ").then(|| quoted.next()).flatten();
    match unknown.and_then(|unknown| nearest(unknown, quoted)) {
        Some(near) => format!("{message}; did you mean `{near}`?"),
        None => message,
    }
}

/// The known name that is most like an unknown one, if any is like it.
pub(crate) fn nearest<'a>(unknown: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let likeness = |name: &str| strsim::normalized_damerau_levenshtein(unknown, name);
    let best = known.max_by(|a, b| likeness(a).total_cmp(&likeness(b)))?;
    (likeness(best) >= ALIKE).then_some(best)
}

/// The path of the key whose name or value is the narrowest around a span's start; empty when there is none.
fn key_at(text: &str, span: &Range<usize>) -> String {
    let Ok(table) = DeTable::parse(text) else {
        return String::new();
    };
    let mut search = Search { at: span.start, best: None };
    if !span.is_empty() {
        search.table(table.get_ref(), "");
    }
    search.best.map_or_else(String::new, |(_, path)| path)
}

struct Search {
    at: usize,
    /// Its width and its path.
    best: Option<(usize, String)>,
}

impl Search {
    fn table(&mut self, table: &DeTable<'_>, path: &str) {
        for (key, value) in table {
            let dot = if path.is_empty() { "" } else { "." };
            let path = format!("{path}{dot}{}", key.get_ref());
            self.offer(key.span(), &path);
            self.value(value, &path);
        }
    }

    fn value(&mut self, value: &Spanned<DeValue<'_>>, path: &str) {
        self.offer(value.span(), path);
        match value.get_ref() {
            DeValue::Table(table) => self.table(table, path),
            DeValue::Array(array) => {
                for (index, value) in array.iter().enumerate() {
                    self.value(value, &format!("{path}[{index}]"));
                }
            }
            _ => {}
        }
    }

    fn offer(&mut self, span: Range<usize>, path: &str) {
        let width = span.len();
        if span.contains(&self.at) && self.best.as_ref().is_none_or(|(best, _)| width < *best) {
            self.best = Some((width, path.to_owned()));
        }
    }
}
