//! Anthropic's wire format.

mod error;
mod request;
mod stream;
mod whole;

use std::time::Duration;

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

/// The format of `/v1/messages`.
pub(crate) struct Anthropic;

impl Dialect for Anthropic {
    fn path(&self) -> &'static str {
        "/v1/messages"
    }

    fn count_path(&self) -> Option<&'static str> {
        Some("/v1/messages/count_tokens")
    }

    fn base_path(&self) -> &'static str {
        ""
    }

    fn id_header(&self) -> &'static str {
        "request-id"
    }

    fn key<'h>(&self, headers: &'h HeaderMap) -> Option<&'h str> {
        let key = headers.get("x-api-key").and_then(|key| key.to_str().ok());
        key.or_else(|| bearer(headers))
    }

    fn read(&self, headers: &HeaderMap, body: &[u8]) -> Result<Ask, Problem> {
        versioned(headers)?;
        request::read(body)
    }

    fn read_count(&self, headers: &HeaderMap, body: &[u8]) -> Result<Ask, Problem> {
        versioned(headers)?;
        request::read_count(body)
    }

    /// What was read from the cache does not count.
    fn counted_input(&self, input: u64, cached: u64) -> u64 {
        input - cached
    }

    fn whole(&self, plan: &Plan) -> Bytes {
        whole::message(plan)
    }

    fn event(&self, plan: &Plan, step: Step) -> Bytes {
        stream::event(plan, step)
    }

    fn problem(&self, problem: &Problem, model: &str, request: &str) -> (StatusCode, Bytes) {
        error::render(problem, model, request)
    }

    fn limit_headers(&self, levels: &Levels, now: Micros, clock: &Clock, headers: &mut HeaderMap) {
        let trios = [
            ("requests", levels.requests),
            ("tokens", levels.tightest_tokens()),
            ("input-tokens", levels.input),
            ("output-tokens", levels.output),
        ];
        for (name, level) in trios {
            if let Some(Level { limit, remaining, full_in }) = level {
                let name = format!("anthropic-ratelimit-{name}");
                put(headers, &format!("{name}-limit"), HeaderValue::from(limit));
                put(headers, &format!("{name}-remaining"), HeaderValue::from(remaining));
                // Whole seconds; the next one, so that it is never too early.
                let full_at = clock.wall(now + full_in) + Duration::from_micros(999_999);
                let reset = humantime::format_rfc3339_seconds(full_at).to_string();
                put(headers, &format!("{name}-reset"), HeaderValue::try_from(reset).ok());
            }
        }
    }

    fn models(&self, models: &[String]) -> Bytes {
        let entry =
            |id| Model { kind: "model", id, display_name: id, created_at: "2025-01-01T00:00:00Z" };
        json::bytes(&Models {
            data: models.iter().map(entry).collect(),
            has_more: false,
            first_id: models.first(),
            last_id: models.last(),
        })
    }
}

fn versioned(headers: &HeaderMap) -> Result<(), Problem> {
    let version = "anthropic-version";
    if headers.contains_key(version) { Ok(()) } else { Err(Problem::MissingHeader(version)) }
}

/// `stop_reason`.
fn stop_reason(finish: Finish) -> &'static str {
    match finish {
        Finish::Stop => "end_turn",
        Finish::Length => "max_tokens",
        Finish::Tool => "tool_use",
    }
}

#[derive(Serialize)]
struct Models<'a> {
    data: Vec<Model<'a>>,
    has_more: bool,
    first_id: Option<&'a String>,
    last_id: Option<&'a String>,
}

#[derive(Serialize)]
struct Model<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    id: &'a String,
    display_name: &'a String,
    created_at: &'static str,
}

/// `usage`: what was read from the cache stands beside `input_tokens`, not in it.
#[derive(Serialize)]
struct Usage {
    input_tokens: u64,
    cache_creation_input_tokens: u64,
    cache_read_input_tokens: u64,
    output_tokens: u64,
}

impl Usage {
    fn of(plan: &Plan, output_tokens: u64) -> Self {
        Self {
            input_tokens: plan.input - plan.cached,
            cache_creation_input_tokens: 0,
            cache_read_input_tokens: plan.cached,
            output_tokens,
        }
    }
}
