//! What a response meant: the kind of a verdict.

set! {
    /// The cases of `verdict.kind`.
    set {
        /// Teaches nothing.
        0 NEUTRAL "neutral",
        /// It worked.
        1 SUCCESS "success",
        /// Too many requests in a window that refills.
        2 REQUEST_WINDOW "request_window",
        /// Too many tokens in a window that refills.
        3 TOKEN_WINDOW "token_window",
        /// Too many input tokens in a window that refills.
        4 INPUT_TOKEN_WINDOW "input_token_window",
        /// Too many output tokens in a window that refills.
        5 OUTPUT_TOKEN_WINDOW "output_token_window",
        /// Too many at once.
        6 CONCURRENCY "concurrency",
        /// The rate grew too fast.
        7 BURST "burst",
        /// The provider has no capacity to spare, whoever asks.
        8 OVERLOADED "overloaded",
        /// A plan's quota for hours, a day or a month.
        9 PRODUCT_QUOTA "product_quota",
        /// A cap on spending that somebody set.
        10 BUDGET "budget",
        /// No credit, no means of payment.
        11 BILLING "billing",
        /// The key is wrong.
        12 AUTH "auth",
        /// The key is right and may not do this.
        13 PERMISSION "permission",
        /// No such thing.
        14 NOT_FOUND "not_found",
        /// No such model, or no access to it.
        15 MODEL_NOT_FOUND "model_not_found",
        /// The request itself is wrong.
        16 BAD_REQUEST "bad_request",
        /// More than the model's context holds.
        17 CONTEXT_LENGTH "context_length",
        /// Refused for what it says.
        18 CONTENT_POLICY "content_policy",
        /// The provider failed.
        19 SERVER_ERROR "server_error",
        /// No answer in time.
        20 TIMEOUT "timeout",
        /// The way to the provider failed.
        21 NETWORK "network",
        /// The caller went away.
        22 CANCELLED "cancelled",
        /// None of the others.
        23 OTHER "other",
    }
}
pub use set::*;

/// It worked.
#[must_use]
pub fn is_success(code: u16) -> bool {
    code == SUCCESS
}

/// A window that refills: waiting helps, and fewer at once does not.
#[must_use]
pub fn is_window(code: u16) -> bool {
    (REQUEST_WINDOW..=OUTPUT_TOKEN_WINDOW).contains(&code)
}

/// The provider refused for load: too many at once, too fast, or too much in a window.
#[must_use]
pub fn is_throttle(code: u16) -> bool {
    is_window(code) || teaches_slots(code)
}

/// Fewer at once would have helped, so a limit on slots learns from it.
#[must_use]
pub fn teaches_slots(code: u16) -> bool {
    matches!(code, CONCURRENCY | BURST | OVERLOADED)
}

/// Money or a plan has run out.
#[must_use]
pub fn is_spent(code: u16) -> bool {
    matches!(code, PRODUCT_QUOTA | BUDGET | BILLING)
}
