//! Scenario files: a world in TOML, read and checked once.
//!
//! A file says who serves (`[[upstream]]`, first what weir is told as in `weir.toml`, then under `provider` how it
//! really is), who sends (`[[tenant]]`), what is sent (`[[demand]]`), what decides (`[policies]`), and the levels
//! that the run must meet (`[[pass]]`). Each `[[case]]` is the same world with other values. Everything has a
//! default but `duration`, one upstream and one demand:
//!
//! ```
//! let text = r#"
//!     duration = "10m"
//!     warm_up = "150s"
//!
//!     [[upstream]]
//!     name = "main"
//!     kind = "openai"
//!     limits = { concurrency = 8 }
//!
//!     [upstream.provider]
//!     concurrency = 50
//!     service = { mean = "2s", sigma = 0.8 }
//!
//!     [[demand]]
//!     name = "work"
//!     backlog = 1000
//!
//!     [[case]]
//!     name = "L=200"
//!     set = { "upstream.main.provider.concurrency" = 200 }
//! "#;
//! let scenario = weir_sim::Scenario::parse(text, "limits.toml").unwrap();
//! assert_eq!(scenario.cases.len(), 1);
//! assert_eq!(scenario.cases[0].providers[0].concurrency, Some(200));
//! ```
//!
//! A file goes through two shapes. `file::File` mirrors the TOML and refuses a value that is wrong by itself. A
//! [`Plan`] is what the simulation works with: whoever holds one need not check anything again. Every complaint
//! names the file, the line, the key and how to mend it ([`ScenarioError`]).

mod cases;
mod check;
mod convert;
mod demand;
mod file;
mod lanes;
mod plan;
mod policies;
mod problem;
mod provider;
mod real;
mod sent;
mod spread;
#[cfg(test)]
mod tests;

use std::path::Path;

use serde::{Deserialize, Serialize};

pub use self::plan::{
    Budget, Change, Children, Choice, Chosen, Demand, Dist, Failing, Fault, Instances, Kill, Load,
    Plan, Provider, Recorded, Swap, Timeouts, Window,
};
pub use self::problem::ScenarioError;
pub use weir_settings::Complaint;
pub(crate) use weir_settings::{nearest, reword};

/// A file: one world or several that differ in values.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The file's name without its folder and `.toml`.
    pub name: String,
    /// What the file shows.
    pub about: String,
    /// In the order of the file; one without a name when the file has no cases.
    pub cases: Vec<Plan>,
}

impl Scenario {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// It cannot be read, or something in it cannot be done.
    pub fn load(path: &Path) -> Result<Self, ScenarioError> {
        let text = weir_settings::read(path)
            .map_err(|source| ScenarioError::Read { path: path.to_owned(), source })?;
        Self::parse(&text, &path.display().to_string())
    }

    /// Reads a text. `name` is its file's; paths in it count from that file's folder.
    ///
    /// # Errors
    ///
    /// Something in it cannot be done.
    pub fn parse(text: &str, name: &str) -> Result<Self, ScenarioError> {
        cases::scenario(text, name)
    }
}

/// Whose wire format a provider speaks. It shapes the headers of every answer and the bodies of errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// OpenAI.
    OpenAi,
    /// Anthropic.
    Anthropic,
    /// GitHub's REST API: models are its resources `core`, `search` and so on.
    Github,
    /// Slack's web API: models are its methods.
    Slack,
    /// An MCP server over HTTP: models are its tools.
    Mcp,
    /// Plain HTTP.
    Http,
}

impl Kind {
    /// The word used in files, in events and towards policies.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Github => "github",
            Self::Slack => "slack",
            Self::Mcp => "mcp",
            Self::Http => "http",
        }
    }
}

/// What a window counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Counted {
    /// Requests.
    Requests,
    /// Input and output tokens together.
    Tokens,
    /// Input tokens.
    Input,
    /// Output tokens.
    Output,
}

/// How a window refills.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// All the time.
    #[default]
    Bucket,
    /// All at once, at the end of each `per` from the start of the run.
    Fixed,
}
