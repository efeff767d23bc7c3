//! What a provider's refusal means, by a table of rules.
//!
//! Providers put the truth in different places, and some put a lie beside it: a stopped bill as
//! `invalid_request_error`, a window of a minute with words about plans and billing. The order of the checks
//! is what worked best on real replies:
//!
//! 1. find the innermost error: string JSON inside a message, arrays, `data:` lines of a stream;
//! 2. a machine code that says one thing;
//! 3. words of the message, those about windows before those about money and quotas;
//! 4. a machine code that says a group of things, and the provider's limit headers;
//! 5. the status.
//!
//! The first rule of [`rules::TABLE`] that holds decides. A new provider is new rows.
//!
//! How long to wait comes from, in this order: `retry-after-ms`, `retry-after` (seconds or an HTTP date, RFC
//! 9110 section 10.2.3, read against the reply's own `date` where it has one), a field of the body, the reset
//! of an exhausted limit header, the words. A date in the past, a negative number and garbage are no hint.
//!
//! A refusal for requests that names its window has the scope of the model. One that names nothing has scope
//! 0: it may have been too many at once.
//!
//! The evidence names the rule that held, never the provider's text, which can hold keys and prompts.

use weir_sdk::classify::{Classification, Classify, Response};
use weir_sdk::types::Verdict;
use weir_sdk::{About, Micros, Policy};

mod clock;
mod error;
mod hint;
pub mod rules;
#[cfg(test)]
mod tests;

use error::Found;
use rules::Rule;

/// The policy.
pub struct Standard;

impl Policy for Standard {
    const ABOUT: About = weir_sdk::about!();
    type Settings = ();

    fn start((): (), _now: Micros) -> Result<Self, String> {
        Ok(Self)
    }
}

impl Classify for Standard {
    fn classify(&mut self, _now: Micros, response: &Response) -> Classification {
        let found = Found::new(&response.body);
        let holds = |rule: &&Rule| rule.holds(response, &found);
        let rule = rules::TABLE.iter().find(holds).unwrap_or(&rules::NOTHING);
        let means = rule.means;
        let forbidden = response.header("x-should-retry") == Some("false");
        let verdict = Verdict {
            kind: means.kind,
            scope: means.scope,
            retryable: means.retryable && !forbidden,
            wait: hint::wait(response, &found).map(u64::from),
            shrink: means.shrink,
            needs_person: means.person,
        };
        Classification { verdict, evidence: rule.evidence(response) }
    }
}

weir_sdk::export!(Standard: classify);
