//! What this gateway itself has to say against a request, before it has an API's shape.

use std::fmt::Write as _;

use http::StatusCode;
use weir_core::units::Micros;
use weir_core::{Blocked, Refusal, Transport};

use crate::driver::Halt;

/// A refusal or failure of the gateway's own. [`crate::config::Kind`] gives it the shape of an API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Complaint {
    /// The status of the response, if there is still a response to give it.
    pub(crate) status: StatusCode,
    /// A word for machines, where the API has a place for it.
    pub(crate) code: &'static str,
    /// For people: what is wrong and what would help.
    pub(crate) message: String,
    /// When the same request could pass.
    pub(crate) retry_after: Option<Micros>,
}

impl Complaint {
    pub(crate) fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into(), retry_after: None }
    }

    pub(crate) fn bad_request(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, code, message)
    }

    pub(crate) fn after(mut self, wait: Micros) -> Self {
        self.retry_after = Some(wait);
        self
    }

    /// The provider did not answer, or broke off.
    pub(crate) fn broken(how: Transport, when: &str) -> Self {
        let (status, code, what) = match how {
            Transport::Connect => (502, "upstream_unreachable", "the provider cannot be reached"),
            Transport::Reset => (502, "upstream_reset", "the provider broke the connection off"),
            Transport::TimedOut => (504, "upstream_timeout", "the provider took too long"),
            Transport::CallerDeadline => (504, "deadline_passed", "the request's deadline passed"),
        };
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY);
        Self::new(status, code, format!("{what} {when}"))
    }

    /// The provider answered with a status that no answer of these APIs has: neither success nor error. An SDK
    /// would follow a redirection, with its caller's key.
    pub(crate) fn foreign(status: StatusCode) -> Self {
        let hint =
            if status.is_redirection() { ", a redirection: is its base_url right?" } else { "" };
        let message = format!("the provider answered with status {}{hint}", status.as_u16());
        Self::new(StatusCode::BAD_GATEWAY, "upstream_status", message)
    }

    /// The gateway is going down.
    pub(crate) fn draining() -> Self {
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "draining",
            "this gateway is shutting down and takes no new requests; send it again to its successor",
        )
        .after(Micros::SECOND)
    }

    /// The gateway went down while the request was being answered.
    pub(crate) fn cut_off() -> Self {
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "draining",
            "this gateway shut down before the answer was complete; send the request again to its successor",
        )
        .after(Micros::SECOND)
    }

    /// The gateway has as many requests in hand as it can hold.
    pub(crate) fn overfull() -> Self {
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "gateway_full",
            "this gateway has as many requests in hand as it can hold",
        )
        .after(Micros::SECOND)
    }
}

impl From<Refusal> for Complaint {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Full { retry_after } => Self::new(
                StatusCode::TOO_MANY_REQUESTS,
                "queue_full",
                format!(
                    "the line of waiting requests is full; room is expected in {}",
                    span(retry_after)
                ),
            )
            .after(retry_after),
            Refusal::NotUntil { blocked, retry_after } => Self::new(
                StatusCode::TOO_MANY_REQUESTS,
                "rate_limit_exceeded",
                format!(
                    "{} before this request's deadline; it could pass in {}",
                    short_of(blocked),
                    span(retry_after)
                ),
            )
            .after(retry_after),
            Refusal::Never { blocked, needs, capacity } => Self::bad_request(
                "request_too_large",
                format!(
                    "this request needs {needs} {} and the limit holds {capacity} at most; make it smaller",
                    noun(blocked)
                ),
            ),
            Refusal::Budget { retry_after } => budget(retry_after),
            Refusal::Expired => Self::new(
                StatusCode::REQUEST_TIMEOUT,
                "deadline_passed",
                "the request's deadline passed while it waited for its turn",
            ),
            Refusal::Shed { retry_after } => Self::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "shed",
                format!(
                    "dropped under pressure, as its class allows; try again in {}",
                    span(retry_after)
                ),
            )
            .after(retry_after),
            Refusal::Deadlock => Self::new(
                StatusCode::CONFLICT,
                "parents_hold_every_slot",
                "every slot that this request could have is held by its own parents, which wait for it",
            ),
            Refusal::NoCandidate => Self::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "no_upstream",
                "no upstream serves this model any more",
            ),
        }
    }
}

impl From<Halt> for Complaint {
    fn from(halt: Halt) -> Self {
        match halt {
            Halt::Refused(refusal) => refusal.into(),
            Halt::Draining => Self::cut_off(),
            Halt::Unread => Self::new(
                StatusCode::GATEWAY_TIMEOUT,
                "answer_unread",
                "the answer was not read in the time that an attempt may take",
            ),
        }
    }
}

fn budget(retry_after: Option<Micros>) -> Complaint {
    let mut message = String::from("the tenant's budget is spent");
    if let Some(wait) = retry_after {
        let _ = write!(message, "; it comes back in {}", span(wait));
    }
    Complaint {
        retry_after,
        ..Complaint::new(StatusCode::TOO_MANY_REQUESTS, "budget_spent", message)
    }
}

fn short_of(blocked: Blocked) -> &'static str {
    match blocked {
        Blocked::Slots => "no slot is expected to be free",
        Blocked::Requests => "the request window has no room",
        Blocked::Input => "the input-token window has no room",
        Blocked::Output => "the output-token window has no room",
        Blocked::Tokens => "the token window has no room",
        Blocked::Budget => "the budget has no room",
        Blocked::Closed => "the provider has refused and is left alone",
        Blocked::Deadline => "it cannot be answered",
    }
}

fn noun(blocked: Blocked) -> &'static str {
    match blocked {
        Blocked::Slots => "slots",
        Blocked::Requests => "requests",
        Blocked::Input => "input tokens",
        Blocked::Output => "output tokens",
        Blocked::Tokens | Blocked::Budget => "tokens",
        Blocked::Closed | Blocked::Deadline => "microseconds",
    }
}

/// A span as a person says it: milliseconds below ten seconds, else whole seconds, rounded up.
fn span(wait: Micros) -> String {
    if wait < Micros::from_secs(10) {
        format!("{} ms", wait.0.div_ceil(1_000))
    } else {
        format!("{} s", wait.0.div_ceil(1_000_000))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_says_what_is_short_and_for_how_long() {
        let refusal =
            Refusal::NotUntil { blocked: Blocked::Input, retry_after: Micros::from_secs(42) };
        let said = Complaint::from(refusal);
        assert_eq!(said.status, 429);
        assert_eq!(said.retry_after, Some(Micros::from_secs(42)));
        assert_eq!(
            said.message,
            "the input-token window has no room before this request's deadline; it could pass in 42 s"
        );
    }

    #[test]
    fn what_can_never_pass_is_the_callers_to_mend() {
        let said = Complaint::from(Refusal::Never {
            blocked: Blocked::Output,
            needs: 9_000,
            capacity: 4_000,
        });
        assert_eq!((said.status.as_u16(), said.retry_after), (400, None));
        assert!(said.message.contains("9000 output tokens"), "{}", said.message);
    }
}
