//! What a policy may be called: its crate, its file and its entry in a gateway's settings bear the name.

/// The longest name.
const LONGEST: usize = 64;

/// Words that cannot name a crate: those of the language, and those that cargo and the SDK use.
const TAKEN: &[&str] = &[
    "abstract",
    "alloc",
    "as",
    "async",
    "await",
    "become",
    "box",
    "break",
    "build",
    "const",
    "continue",
    "core",
    "crate",
    "deps",
    "do",
    "dyn",
    "else",
    "enum",
    "examples",
    "extern",
    "false",
    "final",
    "fn",
    "for",
    "gen",
    "if",
    "impl",
    "in",
    "incremental",
    "let",
    "loop",
    "macro",
    "match",
    "mod",
    "move",
    "mut",
    "override",
    "priv",
    "proc-macro",
    "pub",
    "ref",
    "return",
    "self",
    "serde",
    "serde-json",
    "static",
    "std",
    "strsim",
    "struct",
    "super",
    "test",
    "trait",
    "true",
    "try",
    "type",
    "typeof",
    "unsafe",
    "unsized",
    "use",
    "virtual",
    "weir-sdk",
    "where",
    "while",
    "wit-bindgen",
    "yield",
];

/// Takes a name that a policy can have.
///
/// # Errors
///
/// Why it cannot be one, and what one looks like.
pub(super) fn check(name: &str) -> Result<String, String> {
    match complaint(name) {
        Some(why) => Err(format!(
            "{why}; a name has up to {LONGEST} lower-case letters, digits and single hyphens, and begins with \
             a letter: `limit-mine`"
        )),
        None if TAKEN.contains(&name) => Err("the compiler has another use for it".to_owned()),
        None if weir_shipped::find(name).is_some() => Err(
            "weir ships a policy of that name, and state passes between policies of one name; choose another"
                .to_owned(),
        ),
        None => Ok(name.to_owned()),
    }
}

fn complaint(name: &str) -> Option<&'static str> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.len() > LONGEST {
        return Some("it is too long");
    }
    if !name.starts_with(|c: char| c.is_ascii_lowercase()) {
        return Some("it does not begin with a lower-case letter");
    }
    if name.ends_with('-') || name.contains("--") {
        return Some("it ends with a hyphen, or has two in a row");
    }
    (!name.chars().all(plain)).then_some("it has other characters")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_crates_are_taken() {
        for good in ["limit-mine", "a", "p2c", &"x".repeat(64)] {
            assert_eq!(check(good).as_deref(), Ok(good));
        }
    }

    #[test]
    fn others_are_refused_with_the_reason() {
        let cases = [
            ("", "does not begin"),
            ("../up", "does not begin"),
            ("-x", "does not begin"),
            ("a/b", "other characters"),
            ("Limit", "does not begin"),
            ("limit_mine", "other characters"),
            ("limit--mine", "two in a row"),
            ("limit-", "ends with a hyphen"),
            ("mätze", "other characters"),
            (&"x".repeat(65), "too long"),
            ("match", "another use"),
            ("limit-aimd", "weir ships"),
        ];
        for (name, words) in cases {
            let said = check(name).unwrap_err();
            assert!(said.contains(words), "{name}: {said}");
        }
    }
}
