//! From what a file says to what a host can work with.
//!
//! A checker goes through the whole file and collects what is wrong, so that an operator mends it in one go.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher, RandomState};
use std::num::NonZeroU64;
use std::ops::Range;
use std::path::{Path, PathBuf};

use toml::Spanned;
use weir_core::Slot;
use weir_core::config as core;
use weir_settings::table::{self, plain_model};
use weir_settings::{Complaint, Page};

use super::file::{self, File};
use super::problem::{ConfigError, Problem};
use super::secret::{KeyHash, Secret};
use super::{BaseUrl, Choice, Journal, Policies, Settings, Tenant, Upstream, convert};

/// Checks one file.
pub(super) struct Checker<'a> {
    page: Page<'a>,
    env: &'a dyn Fn(&str) -> Option<String>,
    complaints: Vec<Complaint>,
}

impl<'a> Checker<'a> {
    pub(super) fn new(page: Page<'a>, env: &'a dyn Fn(&str) -> Option<String>) -> Self {
        Self { page, env, complaints: Vec::new() }
    }

    pub(super) fn settings(mut self, file: File) -> Result<Settings, ConfigError> {
        if file.upstream.is_empty() {
            self.complain(0..0, &Problem::NoUpstream);
        }
        self.open_to_all(&file);
        let settings = Settings {
            listen: *file.listen.get_ref(),
            seed: file.seed.unwrap_or_else(|| RandomState::new().hash_one(0)),
            trace: file.trace.map(|path| self.path(&path)),
            journal: file.journal.map(|journal| self.journal(&journal)),
            upstreams: self.upstreams(file.upstream),
            tenants: self.tenants(file.tenant),
            line: file.line.core(),
            retries: file.retries.core(),
            ramp: file.ramp.core(),
            policies: self.policies(file.policies),
            admin: self.credential(
                ("token_env", file.admin.token_env.as_ref()),
                ("token_file", file.admin.token_file.as_ref()),
            ),
            host: convert::host(&file.host),
        };
        if self.complaints.is_empty() {
            return Ok(settings);
        }
        self.complaints.sort_by_key(Complaint::position);
        Err(ConfigError::Invalid(self.complaints))
    }

    fn complain(&mut self, span: Range<usize>, problem: &Problem) {
        self.complaints.push(self.page.complaint(&span, problem.to_string()));
    }

    /// Without tenants every caller is let in, so only this machine's may come.
    fn open_to_all(&mut self, file: &File) {
        let address = *file.listen.get_ref();
        if file.tenant.is_empty() && !address.ip().is_loopback() {
            self.complain(file.listen.span(), &Problem::OpenToAll(address));
        }
    }

    fn upstreams(&mut self, upstreams: Vec<file::Upstream>) -> Vec<Upstream> {
        self.names(upstreams.iter().map(|upstream| &upstream.name), "upstream");
        upstreams.into_iter().map(|upstream| self.upstream(upstream)).collect()
    }

    fn upstream(&mut self, upstream: file::Upstream) -> Upstream {
        Upstream {
            kind: upstream.kind,
            base_url: self.base_url(&upstream),
            key: self.credential(
                ("key_env", upstream.key_env.as_ref()),
                ("key_file", upstream.key_file.as_ref()),
            ),
            models: self.models(upstream.models, upstream.model),
            limits: upstream.limits.core(),
            base_weight: upstream.base_weight.get(),
            timeouts: convert::timeouts(&upstream.timeouts),
            name: upstream.name.into_inner(),
        }
    }

    fn base_url(&mut self, upstream: &file::Upstream) -> BaseUrl {
        let public = BaseUrl::public(upstream.kind);
        let Some(written) = &upstream.base_url else {
            return public;
        };
        BaseUrl::parse(written.get_ref()).unwrap_or_else(|error| {
            self.complain(written.span(), &Problem::BadUrl(error));
            public
        })
    }

    /// The models named alone and those with a table, each once; any model when there are none.
    fn models(
        &mut self,
        plain: Vec<Spanned<String>>,
        tables: Vec<table::Model>,
    ) -> Vec<core::Model> {
        self.model_names(plain.iter());
        self.model_names(tables.iter().map(|model| &model.name));
        let mut models: Vec<core::Model> = tables.iter().map(table::Model::core).collect();
        for name in plain.into_iter().map(Spanned::into_inner) {
            if models.iter().all(|model| model.name != name) {
                models.push(plain_model(&name));
            }
        }
        if models.is_empty() {
            models.push(plain_model("*"));
        }
        models
    }

    fn model_names<'n>(&mut self, names: impl Iterator<Item = &'n Spanned<String>>) {
        let mut seen = BTreeSet::new();
        for name in names {
            if name.get_ref().is_empty() {
                self.complain(name.span(), &Problem::EmptyModel);
            } else if !seen.insert(name.get_ref()) {
                self.complain(name.span(), &Problem::Doubled(name.get_ref().clone(), "model"));
            }
        }
    }

    fn tenants(&mut self, tenants: Vec<file::Tenant>) -> Vec<Tenant> {
        if tenants.is_empty() {
            return vec![everybody()];
        }
        self.names(tenants.iter().map(|tenant| &tenant.name), "tenant");
        let mut keys = BTreeSet::new();
        tenants.into_iter().map(|tenant| self.tenant(tenant, &mut keys)).collect()
    }

    fn tenant(&mut self, tenant: file::Tenant, keys: &mut BTreeSet<KeyHash>) -> Tenant {
        let key = self.tenant_key(&tenant);
        if key.is_some_and(|key| !keys.insert(key)) {
            self.complain(tenant.name.span(), &Problem::SameKey);
        }
        Tenant {
            key,
            weight: tenant.weight.get(),
            limits: tenant.limits.core(),
            quota: tenant.quota.and_then(|quota| self.quota(&quota)),
            name: tenant.name.into_inner(),
        }
    }

    fn tenant_key(&mut self, tenant: &file::Tenant) -> Option<KeyHash> {
        match (&tenant.key_sha256, &tenant.key_env) {
            (Some(hash), None) => {
                let key = KeyHash::from_hex(hash.get_ref());
                if key.is_none() {
                    self.complain(hash.span(), &Problem::BadHash);
                }
                key
            }
            (None, Some(variable)) => self.variable(variable).map(|secret| secret.hash()),
            (Some(hash), Some(_)) => {
                self.complain(hash.span(), &Problem::Both("key_sha256", "key_env"));
                None
            }
            (None, None) => {
                self.complain(tenant.name.span(), &Problem::NoKey);
                None
            }
        }
    }

    fn quota(&mut self, quota: &Spanned<table::Quota>) -> Option<core::Quota> {
        let taken = quota.get_ref().core();
        if taken.is_none() {
            self.complain(quota.span(), &Problem::EmptyQuota);
        }
        taken
    }

    fn policies(&mut self, policies: file::Policies) -> Policies {
        let folder = policies.dir.as_ref().map_or(0..0, Spanned::span);
        let dir = policies.dir.map(|dir| self.folder(&dir));
        let written = [
            (Slot::Priority, policies.priority),
            (Slot::Schedule, policies.schedule),
            (Slot::Limit, policies.limit),
            (Slot::Classify, policies.classify),
            (Slot::Retry, policies.retry),
            (Slot::Route, policies.route),
            (Slot::Fanout, policies.fanout),
        ];
        let slots = written.map(|(slot, choice)| (slot, self.choice(slot, choice, &folder)));
        Policies { dir, slots: BTreeMap::from(slots) }
    }

    fn choice(
        &mut self,
        slot: Slot,
        choice: Option<table::Choice>,
        folder: &Range<usize>,
    ) -> Choice {
        let page = self.page;
        let Some(choice) = choice else {
            return Choice {
                name: default_policy(slot).to_owned(),
                settings: serde_json::json!({}),
                place: page.place(folder),
            };
        };
        let place = page.place(&choice.name.span());
        let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let name = choice.name.get_ref();
        if name.is_empty() || !name.bytes().all(allowed) {
            self.complain(choice.name.span(), &Problem::BadPolicy(name.clone()));
        }
        Choice { name: name.clone(), settings: choice.settings.into_iter().collect(), place }
    }

    fn folder(&mut self, dir: &Spanned<PathBuf>) -> PathBuf {
        let path = self.path(dir.get_ref());
        if !path.is_dir() {
            self.complain(dir.span(), &Problem::NoFolder(path.clone()));
        }
        path
    }

    /// Names must be fit for labels, and each must be one thing's alone.
    fn names<'n>(&mut self, names: impl Iterator<Item = &'n Spanned<String>>, what: &'static str) {
        let mut seen = BTreeSet::new();
        for name in names {
            if !is_label(name.get_ref()) {
                self.complain(name.span(), &Problem::BadName(name.get_ref().clone()));
            } else if !seen.insert(name.get_ref()) {
                self.complain(name.span(), &Problem::Doubled(name.get_ref().clone(), what));
            }
        }
    }

    /// A credential from a variable or a file, each given with its key's name.
    fn credential(
        &mut self,
        (env_key, env): (&'static str, Option<&Spanned<String>>),
        (file_key, file): (&'static str, Option<&Spanned<PathBuf>>),
    ) -> Option<Secret> {
        match (env, file) {
            (Some(env), Some(_)) => {
                self.complain(env.span(), &Problem::Both(env_key, file_key));
                None
            }
            (Some(env), None) => self.variable(env),
            (None, Some(file)) => self.secret_file(file),
            (None, None) => None,
        }
    }

    fn variable(&mut self, name: &Spanned<String>) -> Option<Secret> {
        let found = (self.env)(name.get_ref());
        let secret =
            found.ok_or_else(|| Problem::NoVariable(name.get_ref().clone())).and_then(|text| {
                Secret::new(&text).map_err(|why| Problem::BadVariable(name.get_ref().clone(), why))
            });
        secret.map_err(|problem| self.complain(name.span(), &problem)).ok()
    }

    fn secret_file(&mut self, file: &Spanned<PathBuf>) -> Option<Secret> {
        let path = self.path(file.get_ref());
        let secret = std::fs::read_to_string(&path)
            .map_err(|error| Problem::NoFile(path.clone(), error))
            .and_then(|text| Secret::new(&text).map_err(|why| Problem::BadFile(path, why)));
        secret.map_err(|problem| self.complain(file.span(), &problem)).ok()
    }

    /// A path in the file counts from the file's folder.
    fn journal(&self, journal: &file::Journal) -> Journal {
        let standard = Journal::new(self.path(&journal.path));
        let max_bytes = journal.max_bytes.map_or(standard.max_bytes, NonZeroU64::get);
        Journal { max_bytes, ..standard }
    }

    fn path(&self, path: &Path) -> PathBuf {
        Path::new(self.page.name)
            .parent()
            .map_or_else(|| path.to_owned(), |folder| folder.join(path))
    }
}

/// The policy of a slot that the file does not mention.
fn default_policy(slot: Slot) -> &'static str {
    weir_shipped::default_of(slot.name()).unwrap_or_default()
}

/// The one tenant of a file that names none.
fn everybody() -> Tenant {
    Tenant {
        name: "everybody".to_owned(),
        key: None,
        weight: 1,
        limits: core::Limits::default(),
        quota: None,
    }
}

fn is_label(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    (1..=64).contains(&name.len()) && name.bytes().all(allowed)
}
