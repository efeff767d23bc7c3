//! From a place in the script's values to a place in its text.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::check::Step;

/// The line of a byte position, from 1.
pub(super) fn line_of(text: &str, start: usize) -> usize {
    text.bytes().take(start).filter(|byte| *byte == b'\n').count() + 1
}

/// The key whose value starts at a byte position, or the line's first key.
pub(super) fn key_at(text: &str, start: usize) -> String {
    let line = text.lines().nth(line_of(text, start) - 1).unwrap_or_default();
    let before = text.get(..start).and_then(|before| before.lines().last()).unwrap_or_default();
    let key = match before.trim_end().strip_suffix('=') {
        Some(before) => before.trim_end().rsplit([' ', '{', ',']).next().unwrap_or_default(),
        None => line.split('=').next().unwrap_or_default().trim(),
    };
    if key.is_empty() { "script".to_owned() } else { key.to_owned() }
}

/// Where the value at `path` starts, or the deepest table on the way that exists.
pub(super) fn start_of(text: &str, path: &[Step]) -> usize {
    let Ok(root) = DeTable::parse(text) else { return 0 };
    let mut start = root.span().start;
    let mut steps = path.iter();
    let mut place = match steps.next() {
        Some(Step::Key(key)) => root.get_ref().get(*key),
        _ => None,
    };
    while let Some(value) = place {
        start = value.span().start;
        place = steps.next().and_then(|step| child(value, step));
    }
    start
}

fn child<'a, 'text>(
    value: &'a Spanned<DeValue<'text>>,
    step: &Step,
) -> Option<&'a Spanned<DeValue<'text>>> {
    match (value.get_ref(), step) {
        (DeValue::Table(table), Step::Key(key)) => table.get(*key),
        (DeValue::Array(array), Step::At(index)) => array.get(*index),
        _ => None,
    }
}
