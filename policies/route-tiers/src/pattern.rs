//! Patterns of names, in which `*` stands for any characters.

/// Whether a whole name matches: the pieces between the stars follow each other in it, the first at its
/// start and the last at its end. Each piece is taken where it comes first, so that no match is tried
/// twice.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(name) = name.strip_prefix(start) else { return false };
    let (middle, end) = rest.rsplit_once('*').unwrap_or(("", rest));
    let Some(name) = name.strip_suffix(end) else { return false };
    let mut pieces = middle.split('*');
    pieces
        .try_fold(name, |name, piece| name.find(piece).map(|at| &name[at + piece.len()..]))
        .is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_match_as_a_person_expects() {
        let hits = [
            ("a/gpt-4o", "a/gpt-4o"),
            ("*", ""),
            ("*", "a/b"),
            ("a/*", "a/"),
            ("*mini", "a/gpt-4o-mini"),
            ("*haiku*", "b/claude-haiku-4"),
            ("a*b*c", "a-b-b-c"),
            ("*é*", "café/x"),
            ("**", "x"),
        ];
        for (pattern, name) in hits {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        let misses = [
            ("", "a"),
            ("a", ""),
            ("a/gpt-4o", "a/gpt-4o-mini"),
            ("*mini", "a/mini-2"),
            ("ab*bc", "abc"),
            ("a*b*c", "a-c-b"),
            ("*x*x*", "x"),
        ];
        for (pattern, name) in misses {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }
}
