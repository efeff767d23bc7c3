//! The table: what holds, and what it then means.

use weir_sdk::classify::Response;
use weir_sdk::codes::{kind, scope};

use crate::error::Found;

mod table;

pub use table::TABLE;

/// What is looked at. All text is compared in lower case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// The body has this machine code.
    Code(&'static str),
    /// The message has this phrase.
    Text(&'static str),
    /// The message has both.
    Both(&'static str, &'static str),
    /// A header has this value.
    Header(&'static str, &'static str),
    /// The status lies between these, inclusive.
    Status(u16, u16),
}

/// What a rule says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Means {
    /// A `kind` code.
    pub kind: u16,
    /// A `scope` code.
    pub scope: u16,
    /// The unchanged request can pass after waiting.
    pub retryable: bool,
    /// A smaller request could pass.
    pub shrink: bool,
    /// Only a person can mend it.
    pub person: bool,
}

/// One row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The provider's kind that it is for; empty for any.
    pub provider: &'static str,
    /// The status that it is for; 0 for any.
    pub status: u16,
    /// What must hold.
    pub when: When,
    /// What it then means.
    pub means: Means,
}

/// The answer when no rule holds.
pub const NOTHING: Rule = row(When::Status(0, 0), Means::new(kind::OTHER, scope::UNKNOWN));

/// A row for any provider and status.
#[must_use]
pub const fn row(when: When, means: Means) -> Rule {
    Rule { provider: "", status: 0, when, means }
}

impl Rule {
    /// For one provider.
    #[must_use]
    pub const fn of(self, provider: &'static str) -> Self {
        Self { provider, ..self }
    }

    /// For one status.
    #[must_use]
    pub const fn at(self, status: u16) -> Self {
        Self { status, ..self }
    }

    pub(crate) fn holds(&self, response: &Response, found: &Found) -> bool {
        if !self.provider.is_empty() && self.provider != response.provider {
            return false;
        }
        if self.status != 0 && self.status != response.status {
            return false;
        }
        match self.when {
            When::Code(code) => found.has_code(code),
            When::Text(phrase) => found.text.contains(phrase),
            When::Both(one, other) => found.text.contains(one) && found.text.contains(other),
            When::Header(name, value) => response.header(name) == Some(value),
            When::Status(least, most) => (least..=most).contains(&response.status),
        }
    }

    /// Which rule held, in words without anything from the body.
    pub(crate) fn evidence(&self, response: &Response) -> String {
        let status = response.status;
        match self.when {
            When::Code(code) => format!("status {status}, code `{code}`"),
            When::Text(phrase) => format!("status {status}, words `{phrase}`"),
            When::Both(one, other) => format!("status {status}, words `{one}` and `{other}`"),
            When::Header(name, value) => format!("status {status}, header {name}: {value}"),
            When::Status(..) => format!("status {status}"),
        }
    }
}

impl Means {
    /// Waiting does not help.
    #[must_use]
    pub const fn new(kind: u16, scope: u16) -> Self {
        Self { kind, scope, retryable: false, shrink: false, person: false }
    }

    /// Waiting helps.
    #[must_use]
    pub const fn wait(kind: u16, scope: u16) -> Self {
        Self { retryable: true, ..Self::new(kind, scope) }
    }

    /// A person must mend it.
    #[must_use]
    pub const fn person(kind: u16, scope: u16) -> Self {
        Self { person: true, ..Self::new(kind, scope) }
    }

    /// A smaller request could pass.
    #[must_use]
    pub const fn shrink(kind: u16, scope: u16) -> Self {
        Self { shrink: true, ..Self::new(kind, scope) }
    }
}
