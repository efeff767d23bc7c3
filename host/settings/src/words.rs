//! The words of complaints about names and values.

/// How alike two names must be for one to be offered for the other: a share of their letters.
const ALIKE: f64 = 0.4;

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
#[must_use]
pub fn reword(message: &str) -> String {
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
#[must_use]
pub fn nearest<'a>(unknown: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let likeness = |name: &str| strsim::normalized_damerau_levenshtein(unknown, name);
    let best = known.max_by(|a, b| likeness(a).total_cmp(&likeness(b)))?;
    (likeness(best) >= ALIKE).then_some(best)
}
