//! What providers say, in their own words: headers, statuses and bodies.
//!
//! What a policy reads must be what it would read in life, so refusals are built in the shape of each kind's API.
//! The forms are those of `weir-mock`, which speaks them over real HTTP.

use weir_core::units::Micros;
use weir_core::{Facts, Response};

use super::window::State;
use crate::scenario::{Counted, Kind};

/// The wall clock at the start of every run: 1 January 2026.
const EPOCH_MS: u64 = 1_767_225_600_000;

/// Why a provider does not serve a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// Too many at once.
    TooMany {
        /// What it says of waiting.
        retry_after: Option<Micros>,
    },
    /// A window is empty.
    Window {
        /// Of what.
        counts: Counted,
        /// What it holds.
        limit: u64,
        /// Until the request fits.
        wait: Micros,
    },
    /// A fault of the scenario that looks like an empty window of requests.
    Throttle {
        /// Until it passes.
        wait: Micros,
    },
    /// A fault of the scenario: an error of the server.
    Error {
        /// HTTP status.
        status: u16,
        /// What it says of waiting.
        retry_after: Option<Micros>,
    },
}

/// A response as the core is told of it.
pub(crate) fn response(
    kind: Kind,
    model: &str,
    now: Micros,
    refusal: Refusal,
    windows: &mut [State],
    place: usize,
) -> Response {
    let (status, body) = match kind {
        Kind::OpenAi => openai(model, refusal),
        Kind::Anthropic => anthropic(model, refusal),
        Kind::Github => github(refusal),
        Kind::Slack => slack(refusal),
        Kind::Mcp | Kind::Http => plain(refusal),
    };
    let mut headers = retry_after(kind, refusal);
    if kind == Kind::Github {
        github_headers(&mut headers, now, refusal, windows, place);
    }
    let endpoint = endpoint(kind).to_owned();
    Response { status, headers, body, endpoint, wall_ms: wall_ms(now) }
}

/// What the headers of any answer say of its windows.
pub(crate) fn facts(now: Micros, windows: &mut [State], model: usize) -> Facts {
    let mut facts = Facts::default();
    for window in windows.iter_mut().filter(|window| window.is_for(model)) {
        let place = match window.counts() {
            Counted::Requests => &mut facts.requests,
            Counted::Tokens => &mut facts.tokens,
            Counted::Input => &mut facts.input,
            Counted::Output => &mut facts.output,
        };
        *place = Some(window.told(now));
    }
    facts
}

const fn wall_ms(now: Micros) -> u64 {
    EPOCH_MS.saturating_add(now.0 / 1_000)
}

const fn endpoint(kind: Kind) -> &'static str {
    match kind {
        Kind::OpenAi => "/v1/chat/completions",
        Kind::Anthropic => "/v1/messages",
        Kind::Github => "/search/code",
        Kind::Slack => "/api/chat.postMessage",
        Kind::Mcp => "/mcp",
        Kind::Http => "/",
    }
}

impl Refusal {
    /// What its answer says of waiting, in whole seconds, as servers write it.
    pub(crate) fn told_wait(self) -> Option<Micros> {
        let wait = match self {
            Self::TooMany { retry_after } | Self::Error { retry_after, .. } => retry_after?,
            Self::Throttle { wait } | Self::Window { wait, .. } => wait,
        };
        Some(Micros::from_secs(wait.0.div_ceil(Micros::SECOND.0).max(1)))
    }
}

fn retry_after(kind: Kind, refusal: Refusal) -> Vec<(String, String)> {
    // GitHub says when a window comes back in `x-ratelimit-reset`.
    let elsewhere = kind == Kind::Github && matches!(refusal, Refusal::Window { .. });
    let told = refusal.told_wait().filter(|_| !elsewhere);
    let seconds = told.map(|wait| (wait.0 / Micros::SECOND.0).to_string());
    seconds.map(|seconds| ("retry-after".to_owned(), seconds)).into_iter().collect()
}

fn github_headers(
    headers: &mut Vec<(String, String)>,
    now: Micros,
    refusal: Refusal,
    windows: &mut [State],
    place: usize,
) {
    let mut say = |name: &str, value: u64| headers.push((name.to_owned(), value.to_string()));
    let requests = windows
        .iter_mut()
        .find(|window| window.is_for(place) && window.counts() == Counted::Requests);
    let (Some(window), Refusal::Window { wait, .. }) = (requests, refusal) else { return };
    say("x-ratelimit-limit", window.limit());
    say("x-ratelimit-remaining", window.left(now));
    say("x-ratelimit-reset", wall_ms(now.plus(wait)).div_ceil(1_000));
}

fn openai(model: &str, refusal: Refusal) -> (u16, String) {
    let (status, kind, code, words) = match refusal {
        Refusal::TooMany { .. } => {
            let words = format!("Rate limit reached for {model} on concurrent requests.");
            (429, "requests", "\"rate_limit_exceeded\"", words)
        }
        Refusal::Window { counts, limit, .. } => {
            let (kind, what) = match counts {
                Counted::Requests => ("requests", "requests per min (RPM)"),
                Counted::Tokens => ("tokens", "tokens per min (TPM)"),
                Counted::Input => ("tokens", "input tokens per min (TPM)"),
                Counted::Output => ("tokens", "output tokens per min (TPM)"),
            };
            let words = format!("Rate limit reached for {model} on {what}: Limit {limit}.");
            (429, kind, "\"rate_limit_exceeded\"", words)
        }
        Refusal::Throttle { .. } => {
            let words = format!("Rate limit reached for {model} on requests per min (RPM).");
            (429, "requests", "\"rate_limit_exceeded\"", words)
        }
        Refusal::Error { status, .. } => (status, "server_error", "null", words_of(status)),
    };
    let body = format!(
        r#"{{"error":{{"message":"{words}","type":"{kind}","param":null,"code":{code}}}}}"#
    );
    (status, body)
}

fn anthropic(model: &str, refusal: Refusal) -> (u16, String) {
    let (status, kind, words) = match refusal {
        Refusal::TooMany { .. } => {
            let words = "Number of concurrent connections has exceeded your rate limit. Please try again later.";
            (429, "rate_limit_error", words.to_owned())
        }
        Refusal::Window { counts, limit, .. } => {
            let what = match counts {
                Counted::Requests => "requests",
                Counted::Tokens => "tokens",
                Counted::Input => "input tokens",
                Counted::Output => "output tokens",
            };
            let words = format!(
                "This request would exceed your organization's rate limit of {limit} {what} per minute (model: {model})."
            );
            (429, "rate_limit_error", words)
        }
        Refusal::Throttle { .. } => {
            let words =
                "This request would exceed your organization's rate limit of requests per minute.";
            (429, "rate_limit_error", words.to_owned())
        }
        Refusal::Error { status: 529, .. } => (529, "overloaded_error", "Overloaded".to_owned()),
        Refusal::Error { status, .. } => (status, "api_error", words_of(status)),
    };
    let body = format!(r#"{{"type":"error","error":{{"type":"{kind}","message":"{words}"}}}}"#);
    (status, body)
}

fn github(refusal: Refusal) -> (u16, String) {
    match refusal {
        Refusal::TooMany { .. } | Refusal::Throttle { .. } => {
            (403, r#"{"message":"You have exceeded a secondary rate limit."}"#.to_owned())
        }
        Refusal::Window { .. } => {
            (403, r#"{"message":"API rate limit exceeded for installation."}"#.to_owned())
        }
        Refusal::Error { status, .. } => {
            (status, format!(r#"{{"message":"{}"}}"#, words_of(status)))
        }
    }
}

fn slack(refusal: Refusal) -> (u16, String) {
    match refusal {
        Refusal::Error { status, .. } => (status, words_of(status)),
        _ => (429, r#"{"ok":false,"error":"ratelimited"}"#.to_owned()),
    }
}

fn plain(refusal: Refusal) -> (u16, String) {
    match refusal {
        Refusal::TooMany { .. } => (429, "Too many concurrent requests".to_owned()),
        Refusal::Window { .. } | Refusal::Throttle { .. } => (429, "Too many requests".to_owned()),
        Refusal::Error { status, .. } => (status, words_of(status)),
    }
}

fn words_of(status: u16) -> String {
    match status {
        503 => "The server is overloaded. Please try again later.".to_owned(),
        _ => "The server had an error while processing your request.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use weir_sdk::classify;
    use weir_sdk::codes::kind;

    use super::*;

    /// What the shipped policy makes of it.
    fn verdict(kind: Kind, refusal: Refusal) -> (u16, Option<u64>) {
        let response = response(kind, "m", Micros::ZERO, refusal, &mut [], 0);
        let mut policy = weir_native::Native::start().unwrap();
        let asked = classify::Response {
            status: response.status,
            headers: response.headers,
            body: response.body,
            provider: kind.name().to_owned(),
            endpoint: response.endpoint,
            wall_ms: response.wall_ms,
        };
        let verdict = policy.classify.classify(Micros::ZERO.0, &asked).verdict;
        (verdict.kind, verdict.wait)
    }

    #[test]
    fn every_kinds_refusals_are_understood() {
        let wait = Micros::from_millis(2_500);
        for (provider, counts, expected) in [
            (Kind::OpenAi, Counted::Requests, kind::REQUEST_WINDOW),
            (Kind::OpenAi, Counted::Tokens, kind::TOKEN_WINDOW),
            (Kind::Anthropic, Counted::Requests, kind::REQUEST_WINDOW),
            (Kind::Anthropic, Counted::Input, kind::INPUT_TOKEN_WINDOW),
            (Kind::Anthropic, Counted::Output, kind::OUTPUT_TOKEN_WINDOW),
            (Kind::Slack, Counted::Requests, kind::REQUEST_WINDOW),
        ] {
            let refusal = Refusal::Window { counts, limit: 10, wait };
            assert_eq!(verdict(provider, refusal), (expected, Some(3_000_000)), "{provider:?}");
        }
        let many = Refusal::TooMany { retry_after: None };
        assert_eq!(verdict(Kind::OpenAi, many), (kind::CONCURRENCY, None));
        assert_eq!(verdict(Kind::Anthropic, many), (kind::CONCURRENCY, None));
        assert_eq!(verdict(Kind::Mcp, many), (kind::CONCURRENCY, None));
        assert_eq!(verdict(Kind::Github, many), (kind::BURST, None));
        let error = Refusal::Error { status: 503, retry_after: None };
        assert_eq!(verdict(Kind::OpenAi, error).0, kind::OVERLOADED);
    }
}
