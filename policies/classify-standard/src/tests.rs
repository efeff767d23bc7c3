use weir_sdk::codes::{kind, scope};
use weir_sdk::native;
use weir_sdk::testing::response;

use super::*;

fn classify(response: &Response) -> Classification {
    native::classify::<Standard>("", 0).unwrap().classify(0, response)
}

fn verdict(status: u16, body: &str) -> Verdict {
    classify(&response("openai", status, &[], body)).verdict
}

fn openai(message: &str, kind: &str, code: &str) -> String {
    format!(r#"{{"error":{{"message":"{message}","type":"{kind}","param":null,"code":"{code}"}}}}"#)
}

fn anthropic(kind: &str, message: &str) -> String {
    format!(r#"{{"type":"error","error":{{"type":"{kind}","message":"{message}"}}}}"#)
}

/// The headers of a reply.
type Headers = &'static [(&'static str, &'static str)];

/// A status and a body, and the kind and retryable that they mean.
type Case = (u16, String, u16, bool);

#[test]
fn openai_bodies() {
    let cases: &[Case] = &[
        (
            429,
            openai(
                "Rate limit reached for m on tokens per min (TPM): Limit 9, Used 8, Requested 3.",
                "tokens",
                "rate_limit_exceeded",
            ),
            kind::TOKEN_WINDOW,
            true,
        ),
        (
            429,
            openai(
                "Rate limit reached for m on requests per min (RPM): Limit 3.",
                "requests",
                "rate_limit_exceeded",
            ),
            kind::REQUEST_WINDOW,
            true,
        ),
        (
            429,
            openai(
                "Request too large for m on tokens per min (TPM): Limit 9, Requested 12.",
                "tokens",
                "rate_limit_exceeded",
            ),
            kind::TOKEN_WINDOW,
            false,
        ),
        (
            429,
            openai("You exceeded your current quota.", "insufficient_quota", "insufficient_quota"),
            kind::BILLING,
            false,
        ),
        (
            429,
            openai(
                "You exceeded your current quota.",
                "insufficient_quota",
                "project_spend_limit_exceeded",
            ),
            kind::BUDGET,
            false,
        ),
        (
            400,
            openai(
                "Billing hard limit has been reached",
                "invalid_request_error",
                "billing_hard_limit_reached",
            ),
            kind::BILLING,
            false,
        ),
        (429, openai("Slow down", "rate_limit_error", "slow_down"), kind::BURST, true),
        (
            429,
            openai("Too many concurrent requests.", "rate_limit_error", "rate_limit_exceeded"),
            kind::CONCURRENCY,
            true,
        ),
        (
            401,
            openai("Incorrect API key provided", "invalid_request_error", "invalid_api_key"),
            kind::AUTH,
            false,
        ),
        (
            404,
            openai("No such model", "invalid_request_error", "model_not_found"),
            kind::MODEL_NOT_FOUND,
            false,
        ),
        (
            400,
            openai("Too long", "invalid_request_error", "context_length_exceeded"),
            kind::CONTEXT_LENGTH,
            false,
        ),
        (
            400,
            openai("Request blocked.", "invalid_request_error", "invalid_prompt"),
            kind::CONTENT_POLICY,
            false,
        ),
        (
            400,
            openai("Unsupported parameter", "invalid_request_error", "unsupported_parameter"),
            kind::BAD_REQUEST,
            false,
        ),
        (500, openai("Internal server error", "server_error", ""), kind::SERVER_ERROR, true),
        (
            503,
            openai("That model is currently overloaded", "server_error", ""),
            kind::OVERLOADED,
            true,
        ),
    ];
    check("openai", cases);
}

#[test]
fn anthropic_bodies() {
    let cases: &[Case] = &[
        (
            429,
            anthropic("rate_limit_error", "would exceed your limit of 9 input tokens per minute"),
            kind::INPUT_TOKEN_WINDOW,
            true,
        ),
        (
            429,
            anthropic("rate_limit_error", "would exceed your limit of 9 output tokens per minute"),
            kind::OUTPUT_TOKEN_WINDOW,
            true,
        ),
        (
            429,
            anthropic(
                "rate_limit_error",
                "Number of concurrent connections has exceeded your limit",
            ),
            kind::CONCURRENCY,
            true,
        ),
        (529, anthropic("overloaded_error", "Overloaded"), kind::OVERLOADED, true),
        (500, anthropic("api_error", "Internal server error"), kind::SERVER_ERROR, true),
        (504, anthropic("timeout_error", "The request timed out"), kind::SERVER_ERROR, true),
        (
            400,
            anthropic("invalid_request_error", "Your credit balance is too low"),
            kind::BILLING,
            false,
        ),
        (
            400,
            anthropic("invalid_request_error", "You have reached your specified API usage limits."),
            kind::BUDGET,
            false,
        ),
        (402, anthropic("billing_error", "Payment is overdue"), kind::BILLING, false),
        (
            400,
            anthropic("invalid_request_error", "prompt is too long: 9 tokens > 8 maximum"),
            kind::CONTEXT_LENGTH,
            false,
        ),
        (400, anthropic("invalid_request_error", "max_tokens: 9 > 8"), kind::BAD_REQUEST, false),
        (401, anthropic("authentication_error", "invalid x-api-key"), kind::AUTH, false),
        (403, anthropic("permission_error", "Not allowed"), kind::PERMISSION, false),
        (404, anthropic("not_found_error", "model: claude-none"), kind::MODEL_NOT_FOUND, false),
        (404, anthropic("not_found_error", "No such resource"), kind::NOT_FOUND, false),
        (
            413,
            anthropic("request_too_large", "Request exceeds the maximum size"),
            kind::BAD_REQUEST,
            false,
        ),
    ];
    check("anthropic", cases);
}

#[test]
fn statuses_alone() {
    let cases = [
        (400, kind::BAD_REQUEST, false),
        (401, kind::AUTH, false),
        (402, kind::BILLING, false),
        (403, kind::PERMISSION, false),
        (404, kind::NOT_FOUND, false),
        (408, kind::TIMEOUT, true),
        (422, kind::BAD_REQUEST, false),
        (429, kind::REQUEST_WINDOW, true),
        (499, kind::CANCELLED, false),
        (500, kind::SERVER_ERROR, true),
        (502, kind::SERVER_ERROR, true),
        (503, kind::OVERLOADED, true),
        (529, kind::OVERLOADED, true),
        (302, kind::OTHER, false),
    ];
    check("other", &cases.map(|(status, kind, retry)| (status, String::new(), kind, retry)));
}

#[test]
fn errors_inside_a_stream() {
    let overloaded = anthropic("overloaded_error", "Overloaded");
    let failed = r#"{"type":"response.failed","response":{"error":{"code":"server_error"}}}"#;
    let cases: &[Case] = &[
        (0, overloaded.clone(), kind::OVERLOADED, true),
        (0, format!("event: error\ndata: {overloaded}\n\n"), kind::OVERLOADED, true),
        (0, failed.to_owned(), kind::SERVER_ERROR, true),
        (0, openai("The server had an error", "server_error", ""), kind::SERVER_ERROR, true),
        (0, anthropic("rate_limit_error", "Rate limited"), kind::REQUEST_WINDOW, true),
        (0, String::new(), kind::OTHER, false),
    ];
    check("anthropic", cases);
}

fn check(provider: &str, cases: &[Case]) {
    for (status, body, expected, retryable) in cases {
        let verdict = classify(&response(provider, *status, &[], body)).verdict;
        let name = kind::name(verdict.kind);
        assert_eq!(
            (name, verdict.retryable),
            (kind::name(*expected), *retryable),
            "{status} {body}"
        );
    }
}

#[test]
fn every_form_of_retry_after() {
    let cases: &[(Headers, Option<u64>)] = &[
        (&[("retry-after", "20")], Some(20_000_000)),
        (&[("retry-after", "2.5")], Some(2_500_000)),
        (&[("retry-after", "0")], Some(0)),
        (&[("retry-after", "86400")], Some(86_400_000_000)),
        (&[("retry-after", "-10")], None),
        (&[("retry-after", "")], None),
        (&[("retry-after", "soon")], None),
        (&[("retry-after", "99999999999999999999999999999999999")], None),
        (&[("retry-after", "Thu, 01 Jan 2026 00:00:07 GMT")], Some(7_000_000)),
        (&[("retry-after", "Thu, 01 Jan 2026 00:00:00 GMT")], Some(0)),
        (&[("retry-after", "Wed, 31 Dec 2025 23:59:59 GMT")], None),
        (
            &[
                ("retry-after", "Fri, 29 Sep 2023 16:26:47 GMT"),
                ("date", "Fri, 29 Sep 2023 16:26:37 GMT"),
            ],
            Some(10_000_000),
        ),
        (&[("retry-after-ms", "1500.0"), ("retry-after", "2")], Some(1_500_000)),
        (&[("retry-after-ms", "nonsense"), ("retry-after", "2")], Some(2_000_000)),
        (
            &[("x-ratelimit-remaining-tokens", "0"), ("x-ratelimit-reset-tokens", "1m26.4s")],
            Some(86_400_000),
        ),
        (&[("x-ratelimit-remaining-tokens", "5"), ("x-ratelimit-reset-tokens", "1m26.4s")], None),
        (
            &[
                ("anthropic-ratelimit-requests-remaining", "0"),
                ("anthropic-ratelimit-requests-reset", "2026-01-01T00:00:30Z"),
            ],
            Some(30_000_000),
        ),
    ];
    for (headers, wait) in cases {
        let response = response("openai", 429, headers, "");
        assert_eq!(classify(&response).verdict.wait, *wait, "{headers:?}");
    }
}

#[test]
fn hints_in_the_body() {
    let cases = [
        (r#"{"error":{"message":"Please try again in 9.816s. Visit"}}"#, Some(9_816_000)),
        (r#"{"error":{"message":"Please try again in 1m26.4s."}}"#, Some(86_400_000)),
        (r#"{"error":{"message":"Please try again in 644ms."}}"#, Some(644_000)),
        (r#"{"error":{"message":"Please retry after 20 seconds."}}"#, Some(20_000_000)),
        (r#"{"error":{"message":"Please try again later."}}"#, None),
        (r#"{"error":{"type":"usage_limit_reached","resets_in_seconds":60}}"#, Some(60_000_000)),
        (r#"{"error":{"details":[{"retryDelay":"0.5s"}]}}"#, Some(500_000)),
        (r#"{"retry_after_ms":250}"#, Some(250_000)),
    ];
    for (body, wait) in cases {
        assert_eq!(verdict(429, body).wait, wait, "{body}");
    }
}

#[test]
fn a_window_has_a_scope_and_a_bare_refusal_has_none() {
    let window = openai("on requests per min (RPM)", "requests", "rate_limit_exceeded");
    assert_eq!(verdict(429, &window).scope, scope::MODEL);
    assert_eq!(verdict(429, "Rate limit hit").scope, scope::UNKNOWN);
}

#[test]
fn a_limit_header_says_what_a_bare_refusal_does_not() {
    let headers = [("x-ratelimit-remaining-tokens", "0")];
    let verdict = classify(&response("openai", 429, &headers, "Rate limit hit")).verdict;
    assert_eq!((verdict.kind, verdict.scope), (kind::TOKEN_WINDOW, scope::MODEL));
}

#[test]
fn only_a_person_mends_a_bill_and_a_smaller_request_may_fit() {
    let billing = verdict(429, &openai("", "insufficient_quota", "insufficient_quota"));
    assert!(billing.needs_person && !billing.shrink);
    let large = verdict(400, &openai("", "invalid_request_error", "context_length_exceeded"));
    assert!(large.shrink && !large.needs_person);
}

#[test]
fn the_provider_can_forbid_a_retry() {
    let forbidden = response("openai", 500, &[("x-should-retry", "false")], "");
    assert!(!classify(&forbidden).verdict.retryable);
}

#[test]
fn evidence_names_the_rule_and_nothing_of_the_body() {
    let body =
        openai("Incorrect API key provided: sk-secret", "invalid_request_error", "invalid_api_key");
    let evidence = classify(&response("openai", 401, &[], &body)).evidence;
    assert_eq!(evidence, "status 401, code `invalid_api_key`");
}
