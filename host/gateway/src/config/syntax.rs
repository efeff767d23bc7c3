//! From text to [`File`], with the place of what does not fit.
//!
//! The TOML reader tells what it met as a sentence and a span. Three things are added here: the path of the key
//! that the span lies in, the nearest known name when a name is unknown, and simpler words.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::file::File;
use super::problem::{Complaint, Place, line_and_column};

/// How alike two names must be for one to be offered for the other: a share of their letters.
const ALIKE: f64 = 0.4;

/// Reads a text.
///
/// # Errors
///
/// It is no TOML, or has a shape that [`File`] has not. One complaint: the reader stops at the first.
pub(super) fn read(text: &str, name: &str) -> Result<File, Complaint> {
    toml::from_str(text).map_err(|error| {
        let span = error.span().unwrap_or(0..0);
        complaint(text, name, &span, reword(error.message()))
    })
}

/// A complaint about a span of a text.
pub(super) fn complaint(text: &str, name: &str, span: &Range<usize>, problem: String) -> Complaint {
    place(text, name, span).complain(problem)
}

/// Where a span of a text is.
pub(super) fn place(text: &str, name: &str, span: &Range<usize>) -> Place {
    let (line, column) = line_and_column(text, span);
    Place { file: name.to_owned(), line, column, key: key_at(text, span) }
}

/// The reader's words, and those of the types it reads into, beside the file's own.
const WORDS: [(&str, &str); 6] = [
    ("unknown field", "unknown key"),
    ("missing field", "missing key"),
    ("a nonzero u32", "a whole number above 0"),
    ("a nonzero u64", "a whole number above 0"),
    ("a nonzero usize", "a whole number above 0"),
    ("invalid socket address syntax", "it is no address with a port, such as \"127.0.0.1:18790\""),
];

/// Puts the reader's sentence in the file's words, and adds the nearest known name to one about an unknown name.
fn reword(message: &str) -> String {
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
fn nearest<'a>(unknown: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
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
    search.table(table.get_ref(), "");
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
