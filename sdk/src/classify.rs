//! What a response means.
//!
//! ```
//! use weir_sdk::classify::{Classification, Classify, Response};
//! use weir_sdk::codes::{kind, scope};
//! use weir_sdk::types::Verdict;
//! use weir_sdk::{About, Micros, Policy, native, testing};
//!
//! /// A provider that says 420 when there are too many at once.
//! struct Calm;
//!
//! impl Policy for Calm {
//!     const ABOUT: About = weir_sdk::about!();
//!     type Settings = ();
//!
//!     fn start(_: (), _: Micros) -> Result<Self, String> {
//!         Ok(Self)
//!     }
//! }
//!
//! impl Classify for Calm {
//!     fn classify(&mut self, _: Micros, response: &Response) -> Classification {
//!         let calm = response.status == 420;
//!         let verdict = Verdict {
//!             kind: if calm { kind::CONCURRENCY } else { kind::OTHER },
//!             scope: scope::UNKNOWN,
//!             retryable: calm,
//!             wait: None,
//!             shrink: false,
//!             needs_person: false,
//!         };
//!         Classification { verdict, evidence: format!("status {}", response.status) }
//!     }
//! }
//!
//! weir_sdk::export!(Calm: classify);
//!
//! let mut policy = native::classify::<Calm>("", 0).unwrap();
//! assert!(policy.classify(0, &testing::response("calm", 420, &[], "")).verdict.retryable);
//! ```

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
