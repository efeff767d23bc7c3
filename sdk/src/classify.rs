//! What a response means.

pub use crate::bindings::classify::exports::weir::policy::classify::{Classification, Response};
use crate::policy::Policy;
use crate::units::Micros;

/// Answers `classify`.
pub trait Classify: Policy {
    /// What a response that is not a plain success means.
    fn classify(&mut self, now: Micros, response: &Response) -> Classification;
}

impl Response {
    /// The first header of that name, which is in lower case.
    ///
    /// ```
    /// let response = weir_sdk::testing::response("openai", 429, &[("retry-after", "2")], "");
    /// assert_eq!(response.header("retry-after"), Some("2"));
    /// ```
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}
