//! Requests that are not accepted: the problem, its hint, its delay.

use http::{HeaderValue, Response};

use super::App;
use crate::ask::Ask;
use crate::body::Body;
use crate::clock::{Micros, SECOND, millis};
use crate::fault::{Effect, RefuseEffect, RefuseKind};
use crate::hint::put;
use crate::limiter::{Dimension, Refusal, When};
use crate::problem::Problem;
use crate::script::{Hint, Kind};
use crate::stats::Attempt;

/// Why a request was not accepted.
pub(super) struct TurnedAway {
    problem: Problem,
    /// The header that tells when to come back, and the wait it tells.
    hint: Option<(Hint, Micros)>,
}

/// What a hint tells when nobody knows when a slot comes free.
const USUAL_HINT: Micros = SECOND;

impl From<Problem> for TurnedAway {
    fn from(problem: Problem) -> Self {
        Self { problem, hint: None }
    }
}

impl App {
    /// Writes the answer to a request that was not accepted. Refusals wait for the scripted delay.
    pub(super) async fn turn_away(&self, attempt: Attempt, away: TurnedAway) -> Response<Body> {
        let TurnedAway { problem, hint } = away;
        let (model, number) = (attempt.model.clone(), attempt.number);
        if problem.dimension().is_some() {
            let delay = millis(self.script.refusal.delay_ms);
            self.clock.until(attempt.at_us.saturating_add(delay)).await;
        }
        let mut response = self.problem(&problem, &model, number);
        let status = response.status();
        if let Some((hint, wait)) = hint {
            hint.write(wait, self.clock.now(), &self.clock, response.headers_mut());
        }
        if status.as_u16() == 529 {
            put(response.headers_mut(), "x-should-retry", HeaderValue::from_static("true"));
        }
        self.gate.turned_away(attempt, &problem, status.as_u16());
        response
    }

    /// An error's response.
    pub(super) fn problem(&self, problem: &Problem, model: &str, number: u64) -> Response<Body> {
        let id = self.request_id(number);
        let (status, bytes) = self.dialect.problem(problem, model, &id);
        let body = Body::plain(bytes);
        let mut response = self.respond("application/json", body, id, &self.gate.levels());
        *response.status_mut() = status;
        response
    }

    /// A refusal by the limits.
    pub(super) fn refused(&self, refusal: Refusal) -> TurnedAway {
        let wait = match refusal.when {
            When::After(wait) => Some(wait),
            When::Unknown => Some(USUAL_HINT),
            When::Never => None,
        };
        let script = self.script.refusal;
        let told = wait.map(|wait| (script.hint, script.hint_ms.map_or(wait, millis)));
        TurnedAway { problem: Problem::Limited(refusal), hint: told }
    }

    /// The refusal or failure that a fault makes of a request, if it does.
    pub(super) fn refused_by(&self, effect: Effect, ask: &Ask) -> Result<(), TurnedAway> {
        let problem = match effect {
            Effect::Refuse(refuse) => return Err(self.scripted(refuse, ask)),
            Effect::Status(status) => Problem::Status(status),
            Effect::Overloaded => Problem::Overloaded,
            Effect::ContextLength => {
                self.too_long(ask, self.script.context.map_or(200_000, u64::from))
            }
            _ => return Ok(()),
        };
        Err(problem.into())
    }

    pub(super) fn too_long(&self, ask: &Ask, limit: u64) -> Problem {
        let output = ask.max_tokens.unwrap_or(0);
        // A scripted refusal of a prompt that would fit tells numbers that do not.
        let least = limit.saturating_add(1).saturating_sub(output);
        Problem::ContextLength { limit, prompt: ask.prompt.tokens().max(least), output }
    }

    fn scripted(&self, refuse: RefuseEffect, ask: &Ask) -> TurnedAway {
        let RefuseEffect { kind, hint, hint_ms } = refuse;
        let dimension = match (kind, self.script.kind) {
            (RefuseKind::Requests, _) => Dimension::Requests,
            (RefuseKind::Tokens, Kind::OpenAi) => Dimension::Tokens,
            (RefuseKind::Tokens, Kind::Anthropic) => Dimension::InputTokens,
            (RefuseKind::Concurrency, _) => Dimension::Concurrency,
            (RefuseKind::Quota, _) => Dimension::Quota,
        };
        let limits = self.script.limits;
        let (limit, requested) = match dimension {
            Dimension::Concurrency => (limits.concurrency.unwrap_or(1), 1),
            Dimension::Requests => (limits.rpm.unwrap_or(500), 1),
            _ => (limits.tpm.or(limits.input_tpm).unwrap_or(30_000), ask.whole_tokens()),
        };
        let limit = u64::from(limit);
        let when = if dimension == Dimension::Concurrency {
            When::Unknown
        } else {
            When::After(millis(hint_ms))
        };
        let refusal = Refusal { dimension, limit, used: limit, requested, when };
        let told = (dimension != Dimension::Quota).then_some((hint, millis(hint_ms)));
        TurnedAway { problem: Problem::Limited(refusal), hint: told }
    }
}
