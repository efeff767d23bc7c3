//! A provider that says 420 when there are too many at once; any other refusal is read by its status.
//!
//! What it is told and what it may answer stands in `sdk/wit/classify.wit`.

use weir_sdk::classify::{Classification, Classify, Response};
use weir_sdk::codes::{kind, scope};
use weir_sdk::types::Verdict;
use weir_sdk::{About, Micros, Policy};

/// The policy.
pub struct Calm;

impl Policy for Calm {
    const ABOUT: About = weir_sdk::about!();
    type Settings = ();

    fn start((): (), _now: Micros) -> Result<Self, String> {
        Ok(Self)
    }
}

/// What a status means, and whether trying again can help.
fn meaning(status: u16) -> (u16, bool) {
    match status {
        420 => (kind::CONCURRENCY, true),
        429 => (kind::REQUEST_WINDOW, true),
        503 | 529 => (kind::OVERLOADED, true),
        500..=599 => (kind::SERVER_ERROR, true),
        _ => (kind::OTHER, false),
    }
}

impl Classify for Calm {
    fn classify(&mut self, _now: Micros, response: &Response) -> Classification {
        let (kind, retryable) = meaning(response.status);
        let seconds = response.header("retry-after").and_then(|text| text.parse().ok());
        let verdict = Verdict {
            kind,
            // Nothing but the cells that this request claimed.
            scope: scope::UNKNOWN,
            retryable,
            wait: seconds.map(|seconds: u32| Micros::from_secs(seconds.into()).0),
            shrink: false,
            needs_person: false,
        };
        Classification { verdict, evidence: format!("status {}", response.status) }
    }
}

weir_sdk::export!(Calm: classify);

#[cfg(test)]
mod tests {
    use weir_sdk::native;
    use weir_sdk::testing::response;

    use super::*;

    fn classify(status: u16, headers: &[(&str, &str)]) -> Verdict {
        let mut policy = native::classify::<Calm>("", 0).unwrap();
        policy.classify(0, &response("calm", status, headers, "")).verdict
    }

    #[test]
    fn its_own_status_is_known() {
        let verdict = classify(420, &[("retry-after", "2")]);
        assert_eq!((verdict.kind, verdict.wait), (kind::CONCURRENCY, Some(2_000_000)));
        assert!(verdict.retryable);
    }

    #[test]
    fn what_the_caller_did_wrong_is_not_tried_again() {
        assert!(!classify(400, &[]).retryable);
        assert_eq!(classify(429, &[("retry-after", "soon")]).wait, None);
    }
}
