//! Requests that were refused before they got in line, by the code of the refusal.

use metrics::Counter;

/// A counter for each code.
pub(crate) struct TurnedAway {
    by_code: [Counter; CODES.len()],
}

/// The codes of complaints that are made before a request gets in line; the last is for any other.
const CODES: [&str; 18] = [
    "admin_off",
    "body_timeout",
    "broken_body",
    "draining",
    "foreign_host",
    "foreign_origin",
    "gateway_full",
    "invalid_api_key",
    "invalid_header",
    "invalid_json",
    "invalid_model",
    "invalid_token",
    "method_not_allowed",
    "missing_api_key",
    "model_not_found",
    "request_too_large",
    "unknown_path",
    "other",
];

impl TurnedAway {
    pub(super) fn new(make: impl Fn(&'static str) -> Counter) -> Self {
        Self { by_code: CODES.map(make) }
    }

    pub(crate) fn count(&self, code: &str) {
        let place = CODES.iter().position(|known| *known == code).unwrap_or(CODES.len() - 1);
        self.by_code[place].increment(1);
    }
}
