//! Spans as Go prints them: `120ms`, `6m0s`, `1m26.4s`, `0s`.

use weir_core::units::Micros;

/// Reads a span; `None` when it is none. Units: `h`, `m`, `s`, `ms`, `us`, `µs`, `ns`.
pub(super) fn parse(text: &str) -> Option<Micros> {
    let mut rest = text.strip_prefix('+').unwrap_or(text);
    if rest.is_empty() {
        return None;
    }
    let mut micros = 0.0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let number: f64 = rest[..digits].parse().ok()?;
        let after = &rest[digits..];
        let unit = after.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(after.len());
        micros += number * scale(&after[..unit])?;
        rest = &after[unit..];
    }
    Some(Micros(micros.round() as u64))
}

/// Microseconds in a unit.
fn scale(unit: &str) -> Option<f64> {
    Some(match unit {
        "h" => 3.6e9,
        "m" => 6e7,
        "s" => 1e6,
        "ms" => 1e3,
        "us" | "µs" | "μs" => 1.0,
        "ns" => 1e-3,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn spans_are_read() {
        let table = [
            ("120ms", 120_000),
            ("1s", 1_000_000),
            ("0s", 0),
            ("6m0s", 360_000_000),
            ("1m26.4s", 86_400_000),
            ("2h0m0.5s", 7_200_500_000),
            ("12µs", 12),
        ];
        for (text, micros) in table {
            assert_eq!(parse(text).map(|span| span.0), Some(micros), "{text}");
        }
    }

    #[test]
    fn what_is_no_span_is_nothing() {
        for text in ["", "12", "s", "-1s", "1x", "1.2.3s", "soon"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
