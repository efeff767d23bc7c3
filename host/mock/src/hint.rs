//! Response headers: the hint of a refusal, and a way to set others.

use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue};

use crate::clock::{Clock, Micros};
use crate::script::Hint;

/// Sets a header whose name and value this crate made itself; one that could not be made is left out.
pub(crate) fn put(headers: &mut HeaderMap, name: &str, value: impl Into<Option<HeaderValue>>) {
    if let (Ok(name), Some(value)) = (HeaderName::try_from(name), value.into()) {
        headers.insert(name, value);
    }
}

impl Hint {
    /// Writes when to come back, `wait` from `now`.
    pub(crate) fn write(self, wait: Micros, now: Micros, clock: &Clock, headers: &mut HeaderMap) {
        if matches!(self, Self::RetryAfter | Self::Both) {
            put(headers, "retry-after", HeaderValue::from(wait.div_ceil(1_000_000)));
        }
        if matches!(self, Self::RetryAfterMs | Self::Both) {
            put(headers, "retry-after-ms", HeaderValue::from(wait.div_ceil(1000)));
        }
        if self == Self::HttpDate {
            // A date has whole seconds; the next one, so that it is never too early.
            let at = clock.wall(now + wait) + Duration::from_micros(999_999);
            let date = HeaderValue::try_from(httpdate::fmt_http_date(at)).ok();
            put(headers, "retry-after", date);
        }
    }
}
