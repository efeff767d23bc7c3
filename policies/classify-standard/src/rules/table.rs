//! The rows. Their order is the order of the checks.

use weir_sdk::codes::{kind, scope};

use super::When::{Both, Code, Header, Status, Text};
use super::{Means, Rule, row};

const BILLING: Means = Means::person(kind::BILLING, scope::ACCOUNT);
const BUDGET: Means = Means::person(kind::BUDGET, scope::ACCOUNT);
const PROJECT_BUDGET: Means = Means::person(kind::BUDGET, scope::PROJECT);
const QUOTA: Means = Means::new(kind::PRODUCT_QUOTA, scope::ACCOUNT);
const AUTH: Means = Means::person(kind::AUTH, scope::CREDENTIAL);
const PERMISSION: Means = Means::person(kind::PERMISSION, scope::CREDENTIAL);
const NO_MODEL: Means = Means::new(kind::MODEL_NOT_FOUND, scope::MODEL);
const NOT_FOUND: Means = Means::new(kind::NOT_FOUND, scope::REQUEST);
const BAD_REQUEST: Means = Means::new(kind::BAD_REQUEST, scope::REQUEST);
const TOO_LARGE: Means = Means::shrink(kind::BAD_REQUEST, scope::REQUEST);
const CONTEXT: Means = Means::shrink(kind::CONTEXT_LENGTH, scope::REQUEST);
const CONTENT: Means = Means::new(kind::CONTENT_POLICY, scope::REQUEST);
const NEVER_FITS: Means = Means::shrink(kind::TOKEN_WINDOW, scope::REQUEST);
const REQUESTS: Means = Means::wait(kind::REQUEST_WINDOW, scope::MODEL);
const TOKENS: Means = Means::wait(kind::TOKEN_WINDOW, scope::MODEL);
const INPUT: Means = Means::wait(kind::INPUT_TOKEN_WINDOW, scope::MODEL);
const OUTPUT: Means = Means::wait(kind::OUTPUT_TOKEN_WINDOW, scope::MODEL);
/// A refusal that says neither what ran out nor where.
const BARE: Means = Means::wait(kind::REQUEST_WINDOW, scope::UNKNOWN);
const CONCURRENCY: Means = Means::wait(kind::CONCURRENCY, scope::UNKNOWN);
const BURST: Means = Means::wait(kind::BURST, scope::UNKNOWN);
const OVERLOADED: Means = Means::wait(kind::OVERLOADED, scope::UNKNOWN);
const SERVER: Means = Means::wait(kind::SERVER_ERROR, scope::UNKNOWN);
const TIMEOUT: Means = Means::wait(kind::TIMEOUT, scope::UNKNOWN);
const CANCELLED: Means = Means::new(kind::CANCELLED, scope::REQUEST);

/// The rules, in the order in which they are tried.
pub const TABLE: &[Rule] = &[
    // Codes that say one thing.
    row(Code("project_spend_limit_exceeded"), PROJECT_BUDGET),
    row(Code("organization_spend_limit_exceeded"), BUDGET),
    row(Code("organization_usage_limit_exceeded"), BUDGET),
    row(Code("budget_exceeded"), BUDGET),
    row(Code("enforced_spend_limit_reached"), QUOTA),
    row(Code("usage_limit_reached"), QUOTA),
    row(Code("quota_exhausted"), QUOTA),
    row(Code("insufficient_quota"), BILLING),
    row(Code("credit_balance_exhausted"), BILLING),
    row(Code("billing_hard_limit_reached"), BILLING),
    row(Code("billing_error"), BILLING),
    row(Code("exceeded_current_quota_error"), BILLING),
    row(Code("arrearage"), BILLING),
    row(Code("slow_down"), BURST),
    row(Code("server_is_overloaded"), OVERLOADED),
    row(Code("overloaded_error"), OVERLOADED),
    row(Code("engine_overloaded_error"), OVERLOADED),
    row(Code("model_capacity_exhausted"), OVERLOADED),
    row(Code("context_length_exceeded"), CONTEXT),
    row(Code("content_filter"), CONTENT),
    row(Code("content_policy_violation"), CONTENT),
    row(Code("invalid_prompt"), CONTENT),
    row(Code("model_not_found"), NO_MODEL),
    row(Code("deploymentnotfound"), NO_MODEL),
    row(Code("unknown_model"), NO_MODEL),
    row(Code("invalid_api_key"), AUTH),
    row(Code("api_key_invalid"), AUTH),
    row(Code("authentication_error"), AUTH),
    row(Code("unsupported_country_region_territory"), PERMISSION),
    row(Code("request_too_large"), TOO_LARGE),
    // What can never pass as it is.
    row(Both("request too large", "requested"), NEVER_FITS),
    row(Text("prompt is too long"), CONTEXT),
    row(Text("maximum context length"), CONTEXT),
    row(Text("context window"), CONTEXT),
    row(Text("available context size"), CONTEXT),
    row(Text("exceeded model token limit"), CONTEXT),
    row(Text("must be at least 1, got -"), CONTEXT),
    row(Text("input is too long"), CONTEXT),
    row(Text("too many tokens: "), CONTEXT).at(400),
    row(Text("access was terminated"), PERMISSION),
    row(Text("does not exist or you do not have access"), NO_MODEL),
    row(Both("model", "try pulling it first"), NO_MODEL),
    row(Text("model: "), NO_MODEL).at(404).of("anthropic"),
    // Money, where the words leave no doubt.
    row(Text("credit balance is too low"), BILLING),
    row(Text("out of extra usage"), BILLING),
    row(Text("extra usage is required"), BILLING),
    row(Text("insufficient balance"), BILLING),
    row(Text("insufficient credits"), BILLING),
    row(Text("used all available credits"), BILLING),
    row(Text("credits are depleted"), BILLING),
    row(Text("specified workspace api usage limits"), PROJECT_BUDGET),
    row(Text("specified api usage limits"), BUDGET),
    row(Text("budget has been exceeded"), BUDGET),
    row(Text("exceededbudget"), BUDGET),
    row(Text("exceeded budget"), BUDGET),
    row(Text("crossed budget"), BUDGET),
    row(Text("budget exceeded"), BUDGET),
    // Windows and load.
    row(Both("quota exceeded", "per day"), QUOTA),
    row(Text("input tokens per minute"), INPUT),
    row(Text("output tokens per minute"), OUTPUT),
    row(Text("tokens per min"), TOKENS),
    row(Text("tokens per day"), QUOTA).of("bedrock"),
    row(Text("tokens per day"), TOKENS),
    row(Text("token rate limit"), TOKENS),
    row(Text("too many tokens"), TOKENS),
    row(Text("allocated quota exceeded"), TOKENS),
    row(Text("concurrent"), CONCURRENCY),
    row(Text("concurrency"), CONCURRENCY),
    row(Text("too many connections"), CONCURRENCY),
    row(Text("total request limit reached"), CONCURRENCY),
    row(Text("requests per min"), REQUESTS),
    row(Text("requests per day"), REQUESTS),
    row(Text("requests per second"), REQUESTS),
    row(Text("call rate limit"), REQUESTS),
    row(Text("requests rate limit"), REQUESTS),
    row(Text("increased too quickly"), BURST),
    row(Text("overloaded"), OVERLOADED),
    row(Text("high demand"), OVERLOADED),
    row(Text("at capacity"), OVERLOADED),
    row(Text("server busy"), OVERLOADED),
    row(Text("capacity exceeded"), OVERLOADED),
    row(Text("temporarily unable to process"), OVERLOADED),
    // Plans and quotas, now that no window was named.
    row(Text("usage limit reached"), QUOTA),
    row(Text("usage limit has been reached"), QUOTA),
    row(Text("call volume quota"), QUOTA),
    row(Header("anthropic-ratelimit-unified-status", "rejected"), QUOTA),
    row(Text("plan and billing details"), BILLING),
    // Codes that name a dimension, then headers that do.
    row(Code("tokens"), TOKENS),
    row(Code("requests"), REQUESTS),
    row(Header("anthropic-ratelimit-requests-remaining", "0"), REQUESTS).at(429),
    row(Header("anthropic-ratelimit-input-tokens-remaining", "0"), INPUT).at(429),
    row(Header("anthropic-ratelimit-output-tokens-remaining", "0"), OUTPUT).at(429),
    row(Header("anthropic-ratelimit-tokens-remaining", "0"), TOKENS).at(429),
    row(Header("x-ratelimit-remaining-requests", "0"), REQUESTS).at(429),
    row(Header("x-ratelimit-remaining-tokens", "0"), TOKENS).at(429),
    row(Header("x-ratelimit-remaining", "0"), REQUESTS).at(403).of("github"),
    row(Text("secondary rate limit"), BURST).of("github"),
    // Codes that say a group of things.
    row(Code("rate_limit_error"), BARE),
    row(Code("rate_limit_exceeded"), BARE),
    row(Code("too_many_requests"), BARE),
    row(Code("throttlingexception"), BARE),
    row(Code("ratelimited"), BARE),
    row(Code("permission_error"), PERMISSION),
    row(Code("not_found_error"), NOT_FOUND),
    row(Code("timeout_error"), SERVER),
    row(Code("server_error"), SERVER).at(0),
    row(Code("server_error"), SERVER).at(200),
    row(Code("api_error"), SERVER).at(0),
    row(Code("api_error"), SERVER).at(200),
    row(Code("invalid_request_error"), BAD_REQUEST),
    // Words that say the same, whatever the status.
    row(Text("rate limit"), BARE),
    row(Text("too many requests"), BARE),
    // Statuses.
    row(Status(401, 401), AUTH),
    row(Status(402, 402), BILLING),
    row(Status(403, 403), PERMISSION),
    row(Status(404, 404), NOT_FOUND),
    row(Status(408, 408), TIMEOUT),
    row(Status(413, 413), TOO_LARGE),
    row(Status(424, 424), SERVER),
    row(Status(429, 429), BARE),
    row(Status(498, 498), OVERLOADED),
    row(Status(499, 499), CANCELLED),
    row(Status(400, 499), BAD_REQUEST),
    row(Status(503, 503), OVERLOADED),
    row(Status(529, 529), OVERLOADED),
    row(Status(500, 599), SERVER),
];
