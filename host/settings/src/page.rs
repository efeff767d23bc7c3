//! From text to a type, with the place of what does not fit.
//!
//! The TOML reader tells what it met as a sentence and a span. Three things are added here: the path of the key
//! that the span lies in, the nearest known name when a name is unknown, and simpler words.

use std::ops::Range;

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::place::{Complaint, Place};
use super::words::reword;

/// A text whose places can be told.
#[derive(Clone, Copy, Debug)]
pub struct Page<'a> {
    /// What the file says.
    pub text: &'a str,
    /// The file's name.
    pub name: &'a str,
    /// A case of a scenario, and the line and column of its name in the file: its text is not the file's own.
    pub case: Option<(&'a str, (usize, usize))>,
}

impl<'a> Page<'a> {
    /// A file as it is written.
    #[must_use]
    pub const fn new(text: &'a str, name: &'a str) -> Self {
        Self { text, name, case: None }
    }

    /// Reads the text.
    ///
    /// # Errors
    ///
    /// It is no TOML, or has a shape that the type has not. One complaint: the reader stops at the first.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, Complaint> {
        toml::from_str(self.text).map_err(|error| {
            let span = error.span().unwrap_or(0..0);
            self.complaint(&span, reword(error.message()))
        })
    }

    /// A complaint about a span of the text.
    #[must_use]
    pub fn complaint(&self, span: &Range<usize>, problem: String) -> Complaint {
        self.place(span).complain(problem)
    }

    /// Where a span of the text is; an empty span is the file's own.
    #[must_use]
    pub fn place(&self, span: &Range<usize>) -> Place {
        let (line, column) = self.case.map_or_else(|| self.line_and_column(span), |case| case.1);
        Place {
            file: self.name.to_owned(),
            line,
            column,
            case: self.case.map(|case| case.0.to_owned()),
            key: key_at(self.text, span),
        }
    }

    /// The line and the column, both from 1, of a span's start.
    #[must_use]
    pub fn line_and_column(&self, span: &Range<usize>) -> (usize, usize) {
        let before = self.text.get(..span.start).unwrap_or(self.text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        (line, before[line_start..].chars().count() + 1)
    }
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
