//! What providers say of their limits in the headers of any response.
//!
//! OpenAI: `x-ratelimit-{limit,remaining,reset}-{requests,tokens}`, resets as Go durations until the window is
//! full again. Anthropic: `anthropic-ratelimit-{requests,tokens,input-tokens,output-tokens}-{limit,remaining,
//! reset}`, resets as RFC 3339 times when it is full again. A number that is no number (Azure sends `-1`)
//! is left out.

use std::time::{Duration, UNIX_EPOCH};

use http::HeaderMap;
use weir_core::units::Micros;
use weir_core::{Facts, Window};

use crate::config::Kind;

mod go_duration;

/// Reads the headers of a response. `wall_ms` is the wall clock in milliseconds since 1970.
pub(crate) fn read(kind: Kind, headers: &HeaderMap, wall_ms: u64) -> Facts {
    match kind {
        Kind::OpenAi => openai(headers),
        Kind::Anthropic => anthropic(headers, wall_ms),
    }
}

fn openai(headers: &HeaderMap) -> Facts {
    let window = |limit, remaining, reset| Window {
        limit: number(headers, limit),
        remaining: number(headers, remaining),
        reset: text(headers, reset).and_then(go_duration::parse),
    };
    Facts {
        requests: told(window(
            "x-ratelimit-limit-requests",
            "x-ratelimit-remaining-requests",
            "x-ratelimit-reset-requests",
        )),
        tokens: told(window(
            "x-ratelimit-limit-tokens",
            "x-ratelimit-remaining-tokens",
            "x-ratelimit-reset-tokens",
        )),
        ..Facts::default()
    }
}

fn anthropic(headers: &HeaderMap, wall_ms: u64) -> Facts {
    let window = |limit, remaining, reset| Window {
        limit: number(headers, limit),
        remaining: number(headers, remaining),
        reset: text(headers, reset).and_then(|date| until(date, wall_ms)),
    };
    Facts {
        requests: told(window(
            "anthropic-ratelimit-requests-limit",
            "anthropic-ratelimit-requests-remaining",
            "anthropic-ratelimit-requests-reset",
        )),
        tokens: told(window(
            "anthropic-ratelimit-tokens-limit",
            "anthropic-ratelimit-tokens-remaining",
            "anthropic-ratelimit-tokens-reset",
        )),
        input: told(window(
            "anthropic-ratelimit-input-tokens-limit",
            "anthropic-ratelimit-input-tokens-remaining",
            "anthropic-ratelimit-input-tokens-reset",
        )),
        output: told(window(
            "anthropic-ratelimit-output-tokens-limit",
            "anthropic-ratelimit-output-tokens-remaining",
            "anthropic-ratelimit-output-tokens-reset",
        )),
        concurrency: None,
    }
}

fn told(window: Window) -> Option<Window> {
    let silent = window.limit.is_none() && window.remaining.is_none() && window.reset.is_none();
    (!silent).then_some(window)
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok().map(str::trim)
}

fn number(headers: &HeaderMap, name: &str) -> Option<u64> {
    text(headers, name)?.parse().ok()
}

/// From now to an RFC 3339 time; nothing when it has passed.
fn until(date: &str, wall_ms: u64) -> Option<Micros> {
    let at = humantime::parse_rfc3339(date).ok()?;
    let now = UNIX_EPOCH + Duration::from_millis(wall_ms);
    let left = at.duration_since(now).unwrap_or_default();
    Some(Micros(u64::try_from(left.as_micros()).unwrap_or(u64::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    #[test]
    fn openai_windows_are_read() {
        let facts = read(
            Kind::OpenAi,
            &headers(&[
                ("x-ratelimit-limit-requests", "500"),
                ("x-ratelimit-remaining-requests", "499"),
                ("x-ratelimit-reset-requests", "120ms"),
                ("x-ratelimit-limit-tokens", "-1"),
                ("x-ratelimit-remaining-tokens", "-1"),
                ("x-ratelimit-reset-tokens", "1m26.4s"),
            ]),
            0,
        );
        let requests = Window {
            limit: Some(500),
            remaining: Some(499),
            reset: Some(Micros::from_millis(120)),
        };
        let tokens = Window { limit: None, remaining: None, reset: Some(Micros(86_400_000)) };
        assert_eq!((facts.requests, facts.tokens), (Some(requests), Some(tokens)));
    }

    #[test]
    fn anthropic_times_are_read_against_the_wall_clock() {
        let given = headers(&[
            ("anthropic-ratelimit-input-tokens-limit", "40000"),
            ("anthropic-ratelimit-input-tokens-remaining", "1000"),
            ("anthropic-ratelimit-input-tokens-reset", "2024-03-26T20:00:00Z"),
        ]);
        let at = |wall_ms| read(Kind::Anthropic, &given, wall_ms).input.unwrap();
        let reset_ms = 1_711_483_200_000;
        assert_eq!(at(reset_ms - 1_500).reset, Some(Micros::from_millis(1_500)));
        assert_eq!(at(reset_ms + 1).reset, Some(Micros::ZERO));
        assert_eq!((at(0).limit, at(0).remaining), (Some(40_000), Some(1_000)));
    }

    #[test]
    fn silence_is_no_fact() {
        assert_eq!(read(Kind::OpenAi, &headers(&[("date", "x")]), 0), Facts::default());
        let garbage = headers(&[("anthropic-ratelimit-tokens-reset", "soon")]);
        assert_eq!(read(Kind::Anthropic, &garbage, 0), Facts::default());
    }
}
