//! Spans and dates in the forms that providers write.

use std::time::{Duration, SystemTime};

use weir_sdk::Micros;

/// Longer than this is no hint but a mistake.
const LONGEST_S: f64 = 400.0 * 86_400.0;

/// So many seconds, if that is a sensible wait.
pub(crate) fn seconds(number: f64) -> Option<Micros> {
    // A negative zero, a NaN and an infinity fail the comparison or are 0.
    (0.0..=LONGEST_S).contains(&number).then(|| Micros((number * 1e6).round() as u64))
}

/// A span such as `120ms`, `1m26.4s`, `6hr 29min` or `20 seconds`, at the start of a text in lower case.
pub(crate) fn span(text: &str) -> Option<Micros> {
    let mut rest = text.trim_start();
    let mut total = None;
    while let Some((number, unit, after)) = part(rest) {
        total = Some(total.unwrap_or(0.0) + number * unit);
        rest = after.trim_start();
    }
    seconds(total?)
}

/// One number with its unit in seconds, and what follows.
fn part(text: &str) -> Option<(f64, f64, &str)> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number = text[..digits].trim_end_matches('.').parse().ok()?;
    let rest = text[digits..].trim_start();
    let letters = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
    let unit = match &rest[..letters] {
        "ms" | "millisecond" | "milliseconds" => 0.001,
        "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
        "m" | "min" | "mins" | "minute" | "minutes" => 60.0,
        "h" | "hr" | "hrs" | "hour" | "hours" => 3_600.0,
        "d" | "day" | "days" => 86_400.0,
        _ => return None,
    };
    Some((number, unit, &rest[letters..]))
}

/// From one wall time to a later one; `None` for an earlier one.
pub(crate) fn until(from: SystemTime, to: SystemTime) -> Option<Micros> {
    seconds(to.duration_since(from).ok()?.as_secs_f64())
}

/// A wall time in milliseconds since 1970.
pub(crate) fn wall(millis: u64) -> SystemTime {
    let since = Duration::from_millis(millis);
    SystemTime::UNIX_EPOCH.checked_add(since).unwrap_or(SystemTime::UNIX_EPOCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_read_in_every_form() {
        let cases = [
            ("120ms", Some(120_000)),
            ("9.816s. visit", Some(9_816_000)),
            ("1m26.4s", Some(86_400_000)),
            ("6m0s", Some(360_000_000)),
            ("6hr 29min.", Some(23_340_000_000)),
            ("20 seconds", Some(20_000_000)),
            ("2 days, or", Some(172_800_000_000)),
            ("20", None),
            ("a while", None),
            ("99999999999999999999 days", None),
            ("", None),
        ];
        for (text, micros) in cases {
            assert_eq!(span(text), micros.map(Micros), "{text}");
        }
    }
}
