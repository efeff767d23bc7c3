//! OpenAI's wire format.

mod duration;
mod error;
mod request;
mod stream;
mod whole;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode};
use serde::Serialize;

use crate::ask::Ask;
use crate::bucket::Level;
use crate::clock::{Clock, Micros};
use crate::dialect::{Dialect, Step, bearer};
use crate::hint::put;
use crate::json;
use crate::limiter::Levels;
use crate::plan::{Finish, Plan};
use crate::problem::Problem;

/// The format of `/v1/chat/completions`.
pub(crate) struct OpenAi;

impl Dialect for OpenAi {
    fn path(&self) -> &'static str {
        "/v1/chat/completions"
    }

    fn base_path(&self) -> &'static str {
        "/v1"
    }

    fn id_header(&self) -> &'static str {
        "x-request-id"
    }

    fn key<'h>(&self, headers: &'h HeaderMap) -> Option<&'h str> {
        bearer(headers)
    }

    fn read(&self, _headers: &HeaderMap, body: &[u8]) -> Result<Ask, Problem> {
        request::read(body)
    }

    /// Cached tokens count like all others.
    fn counted_input(&self, input: u64, _cached: u64) -> u64 {
        input
    }

    fn whole(&self, plan: &Plan) -> Bytes {
        whole::completion(plan)
    }

    fn event(&self, plan: &Plan, step: Step) -> Bytes {
        stream::event(plan, step)
    }

    fn problem(&self, problem: &Problem, model: &str, _request: &str) -> (StatusCode, Bytes) {
        error::render(problem, model)
    }

    fn limit_headers(&self, levels: &Levels, _: Micros, _: &Clock, headers: &mut HeaderMap) {
        let tokens = levels.tightest_tokens();
        for (name, level) in [("requests", levels.requests), ("tokens", tokens)] {
            if let Some(Level { limit, remaining, full_in }) = level {
                put(headers, &format!("x-ratelimit-limit-{name}"), HeaderValue::from(limit));
                put(
                    headers,
                    &format!("x-ratelimit-remaining-{name}"),
                    HeaderValue::from(remaining),
                );
                let reset = HeaderValue::try_from(duration::go(full_in)).ok();
                put(headers, &format!("x-ratelimit-reset-{name}"), reset);
            }
        }
    }

    fn models(&self, models: &[String]) -> Bytes {
        let entry = |id| Model { id, object: "model", created: 1_700_000_000, owned_by: "mock" };
        let data = models.iter().map(entry).collect();
        json::bytes(&Models { object: "list", data })
    }
}

/// `finish_reason`.
fn finish_reason(finish: Finish) -> &'static str {
    match finish {
        Finish::Stop => "stop",
        Finish::Length => "length",
        Finish::Tool => "tool_calls",
    }
}

#[derive(Serialize)]
struct Models<'a> {
    object: &'static str,
    data: Vec<Model<'a>>,
}

#[derive(Serialize)]
struct Model<'a> {
    id: &'a String,
    object: &'static str,
    created: u64,
    owned_by: &'static str,
}

/// `usage`.
#[derive(Serialize)]
struct Usage {
    prompt_tokens: u64,
    completion_tokens: u64,
    total_tokens: u64,
    prompt_tokens_details: PromptDetails,
    completion_tokens_details: CompletionDetails,
}

#[derive(Serialize)]
struct PromptDetails {
    cached_tokens: u64,
}

#[derive(Serialize)]
struct CompletionDetails {
    reasoning_tokens: u64,
}

impl Usage {
    fn of(plan: &Plan) -> Self {
        Self {
            prompt_tokens: plan.input,
            completion_tokens: plan.output,
            total_tokens: plan.input + plan.output,
            prompt_tokens_details: PromptDetails { cached_tokens: plan.cached },
            completion_tokens_details: CompletionDetails { reasoning_tokens: 0 },
        }
    }
}
