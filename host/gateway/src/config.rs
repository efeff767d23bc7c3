//! What an operator writes in `weir.toml`, read and checked once.
//!
//! A file goes through two shapes. `file::File` mirrors the TOML and refuses a value that is wrong by itself.
//! [`Settings`] is what the host works with: names are unique, credentials are found, and the ids of the
//! core ([`Settings::core`]) are fixed. Whoever holds a `Settings` need not check anything again.
//!
//! Every complaint names the file, the line, the column, the key and how to mend it ([`ConfigError`]).

mod base_url;
mod check;
mod convert;
mod file;
mod lanes;
mod problem;
mod secret;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use weir_core::Slot;
use weir_core::config::{Limits, Line, Model, Quota, Ramp, RetryBudget};
use weir_settings::Page;

pub use self::base_url::{BadUrl, BaseUrl};
pub use self::lanes::Lanes;
pub use self::problem::ConfigError;
pub use self::secret::{KeyHash, Secret};
pub use weir_settings::{Complaint, Place};

/// All that a host is started with.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where to listen.
    pub listen: SocketAddr,
    /// Seed of every draw of chance.
    pub seed: u64,
    /// Where every input and policy answer is written.
    pub trace: Option<PathBuf>,
    /// Where arrivals and settlements are written.
    pub journal: Option<Journal>,
    /// At least one. Their order, and that of their models, gives the core's candidates their ids.
    pub upstreams: Vec<Upstream>,
    /// At least one. Their order gives them their ids.
    pub tenants: Vec<Tenant>,
    /// Bounds of the line.
    pub line: Line,
    /// The retry budget of each cell.
    pub retries: RetryBudget,
    /// How admissions come back after a closure.
    pub ramp: Ramp,
    /// Which policies decide.
    pub policies: Policies,
    /// The bearer token of `/admin`; absent: nobody may use it.
    pub admin: Option<Secret>,
    /// Bounds of this host itself.
    pub host: Host,
}

/// Where a journal is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Journal {
    /// The file.
    pub path: PathBuf,
    /// Bytes after which it is put aside and begun anew.
    pub max_bytes: u64,
}

impl Journal {
    /// A journal in a file, bounded as it is by default.
    #[must_use]
    pub fn new(path: PathBuf) -> Self {
        Self { path, max_bytes: 256 << 20 }
    }
}

/// Whose wire format an upstream speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// OpenAI: `/chat/completions` under a base that ends in `/v1`.
    OpenAi,
    /// Anthropic: `/v1/messages` under a bare base.
    Anthropic,
}

impl Kind {
    /// The word used in the file, in events and towards policies.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
        }
    }

    /// The provider's public address.
    const fn base_url(self) -> &'static str {
        match self {
            Self::OpenAi => "https://api.openai.com/v1",
            Self::Anthropic => "https://api.anthropic.com",
        }
    }
}

/// An account at a provider.
#[derive(Clone, Debug)]
pub struct Upstream {
    /// Unique among upstreams.
    pub name: String,
    /// Whose wire format it speaks.
    pub kind: Kind,
    /// What all its paths start with.
    pub base_url: BaseUrl,
    /// Its credential; absent: none is sent.
    pub key: Option<Secret>,
    /// At least one, without doubles.
    pub models: Vec<Model>,
    /// Limits of the account.
    pub limits: Limits,
    /// Greater is less preferred.
    pub base_weight: f64,
    /// How long to wait for it.
    pub timeouts: Timeouts,
}

/// How long to wait for an upstream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// For a connection.
    pub connect: Duration,
    /// From sending to the headers of the answer.
    pub headers: Duration,
    /// From the headers to the first content.
    pub first_content: Duration,
    /// Between two pieces of an answer.
    pub between: Duration,
    /// For one attempt in all.
    pub total: Duration,
}

/// Somebody who sends requests.
#[derive(Clone, Debug)]
pub struct Tenant {
    /// Unique among tenants.
    pub name: String,
    /// What its key hashes to. Absent for the one tenant that is everybody, when the file names none.
    pub key: Option<KeyHash>,
    /// Share among tenants.
    pub weight: u32,
    /// Limits of this tenant.
    pub limits: Limits,
    /// What it may spend.
    pub quota: Option<Quota>,
}

/// Which policies decide.
#[derive(Clone, Debug)]
pub struct Policies {
    /// The watched folder.
    pub dir: Option<PathBuf>,
    /// One for each slot.
    pub slots: BTreeMap<Slot, Choice>,
}

/// A policy for a slot.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// A shipped policy, or a file of the folder without `.wasm`.
    pub name: String,
    /// What it is started with: a JSON object.
    pub settings: serde_json::Value,
    /// Where it is named, or else the folder that may have a file for it.
    pub place: Place,
}

/// Bounds of this host itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Host {
    /// Bytes of a request's body.
    pub max_body: usize,
    /// Connections from callers at once.
    pub max_connections: usize,
    /// How long a connection may take to send a request's head, and then its body.
    pub read_timeout: Duration,
    /// How long a caller may leave its answer unread.
    pub stall: Duration,
    /// How long running requests may take to end once the host is told to stop.
    pub drain: Duration,
}

impl Settings {
    /// Reads and checks a file. Credentials come from this process's environment; relative paths in the file
    /// count from its folder.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or says what cannot be done.
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        let text = weir_settings::read(path)
            .map_err(|source| ConfigError::Read { path: path.to_owned(), source })?;
        Self::parse(&text, &path.display().to_string(), &|name| std::env::var(name).ok())
    }

    /// Checks a text. `name` is its file's, for complaints, and its folder is where relative paths start;
    /// `env` gives the value of a variable.
    ///
    /// # Errors
    ///
    /// The text says what cannot be done.
    pub fn parse(
        text: &str,
        name: &str,
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, ConfigError> {
        let page = Page::new(text, name);
        let file = page.read().map_err(|complaint| ConfigError::Invalid(vec![complaint]))?;
        check::Checker::new(page, env).settings(file)
    }

    /// The JSON Schema of the file, for editors.
    #[must_use]
    pub fn schema() -> serde_json::Value {
        schemars::schema_for!(file::File).to_value()
    }

    /// What the core is configured with.
    #[must_use]
    pub fn core(&self) -> weir_core::Config {
        weir_core::Config {
            seed: self.seed,
            line: self.line,
            upstreams: self.upstreams.iter().map(Upstream::core).collect(),
            tenants: self.tenants.iter().map(Tenant::core).collect(),
            lanes: self.lanes().core(),
            retries: self.retries,
            ramp: self.ramp,
        }
    }

    /// Which lane serves which request. Its ids are those of [`Settings::core`].
    #[must_use]
    pub fn lanes(&self) -> Lanes {
        Lanes::new(&self.upstreams)
    }
}

impl Upstream {
    fn core(&self) -> weir_core::config::Upstream {
        weir_core::config::Upstream {
            name: self.name.clone(),
            kind: self.kind.name().to_owned(),
            limits: self.limits,
            base_weight: self.base_weight,
            models: self.models.clone(),
        }
    }
}

impl Tenant {
    fn core(&self) -> weir_core::config::Tenant {
        weir_core::config::Tenant {
            name: self.name.clone(),
            weight: self.weight,
            limits: self.limits,
            quota: self.quota,
        }
    }
}
