//! The gateway of the demo: started from a `weir.toml` like anybody's, and asked over HTTP like anybody's.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use serde::Deserialize;
use tempfile::TempDir;
use weir_gateway::config::Settings;
use weir_gateway::{Deciders, Gateway};

use super::cast::{START_LIMIT, TENANTS, UPSTREAMS};
use super::client::{Events, Http};
use super::report::{Books, Policy, Version};
use super::wire::Wire;

const ADMIN_TOKEN: &str = "demo-operator";
const ADMIN_VARIABLE: &str = "WEIR_DEMO_OPERATOR";
/// The policy whose file is replaced.
const REPLACED: &str = "limit-aimd";
/// Successes in a row before it tries one more at once; more than by default, for a short demo's fast answers.
const STREAK: u32 = 10;
/// How long the last requests may take to be settled once every agent has ended.
const SETTLE: Duration = Duration::from_secs(3);
const ASK_EVERY: Duration = Duration::from_millis(50);
const DRAIN: Duration = Duration::from_secs(2);

/// A gateway and the folder that it watches.
pub(super) struct Governor {
    gateway: Gateway,
    folder: TempDir,
    http: Http,
}

impl Governor {
    /// Writes its settings and policies to a new folder and starts it on a free port.
    pub(super) async fn start(base_urls: &[String], seed: u64) -> anyhow::Result<Self> {
        let folder = tempfile::Builder::new().prefix("weir-demo-").tempdir()?;
        let policies = policies_folder(folder.path());
        fs::create_dir(&policies).context("no folder for policies")?;
        let shipped = weir_shipped::find(REPLACED).context("the limit policy is not embedded")?;
        write_over(&policies, shipped.name, shipped.wasm)?;
        let file = folder.path().join("weir.toml");
        let text = settings(base_urls, seed);
        fs::write(&file, &text).context("the demo's weir.toml cannot be written")?;
        let settings = Settings::parse(&text, &file.display().to_string(), &variable)?;
        let gateway = Gateway::start(settings, Deciders::Configured).await?;
        Ok(Self { gateway, folder, http: Http::new() })
    }

    /// Where agents call it, without a path.
    pub(super) fn base(&self) -> String {
        format!("http://{}", self.gateway.addr())
    }

    /// Its events from now on.
    pub(super) async fn events(&self) -> anyhow::Result<Events> {
        let url = format!("{}/v1/events", self.base());
        self.http.events(&url, ADMIN_TOKEN).await.context("the gateway's events cannot be read")
    }

    /// Its policies, as the operator sees them.
    pub(super) async fn policies(&self) -> anyhow::Result<Vec<Policy>> {
        let listing: Listing =
            serde_json::from_str(&self.get("/admin/policies").await?).context("/admin/policies")?;
        let filled = |row: Row| Some(row.policy?.at(&row.slot));
        Ok(listing.policies.into_iter().filter_map(filled).collect())
    }

    /// Writes the other build of the limit policy over its file, as an editor or a deployment does, and tells
    /// what it wrote.
    pub(super) fn replace_limit_policy(&self) -> anyhow::Result<String> {
        let next = &weir_shipped::LIMIT_AIMD_NEXT;
        write_over(&policies_folder(self.folder.path()), REPLACED, next.wasm)?;
        let kilobytes = next.wasm.len() / 1000;
        Ok(format!("policies/{REPLACED}.wasm written: version {}, {kilobytes} kB", next.version))
    }

    /// Its own accounts, once nothing waits and nothing is in flight any more, or after a time.
    pub(super) async fn books(&self) -> anyhow::Result<Books> {
        let settled = async {
            loop {
                let books = read_books(&self.get("/metrics").await?);
                if books.waiting == 0 && books.in_flight == 0 {
                    return anyhow::Ok(books);
                }
                tokio::time::sleep(ASK_EVERY).await;
            }
        };
        match tokio::time::timeout(SETTLE, settled).await {
            Ok(books) => books,
            Err(_) => Ok(read_books(&self.get("/metrics").await?)),
        }
    }

    pub(super) async fn stop(self) -> anyhow::Result<()> {
        let ended = self.gateway.shutdown(DRAIN).await;
        if ended.clean { Ok(()) } else { bail!("the gateway's scheduler broke down") }
    }

    async fn get(&self, path: &str) -> anyhow::Result<String> {
        let url = format!("{}{path}", self.base());
        self.http.get(&url, ADMIN_TOKEN).await.with_context(|| format!("asking for {path}"))
    }
}

/// What `/admin/policies` answers.
#[derive(Deserialize)]
struct Listing {
    policies: Vec<Row>,
}

/// A slot; without a policy the host itself decides.
#[derive(Deserialize)]
struct Row {
    slot: String,
    #[serde(flatten)]
    policy: Option<Version>,
}

/// What the demo's `weir.toml` says. Its providers refuse for a fifth of a second, with their slots full: an
/// upstream opens again with its whole limit, since what is in flight keeps the rest out.
fn settings(base_urls: &[String], seed: u64) -> String {
    let mut text = format!("listen = \"127.0.0.1:0\"\nseed = {seed}\n");
    for (upstream, base_url) in UPSTREAMS.iter().zip(base_urls) {
        let kind = match upstream.wire {
            Wire::OpenAi => "openai",
            Wire::Anthropic => "anthropic",
        };
        let (name, model) = (upstream.name, upstream.model);
        let _ = write!(
            text,
            "\n[[upstream]]\nname = \"{name}\"\nkind = \"{kind}\"\nbase_url = \"{base_url}\"\n\
             models = [\"{model}\"]\nlimits = {{ concurrency = {START_LIMIT} }}\n",
        );
    }
    for tenant in &TENANTS {
        let (name, variable, weight) = (tenant.name, tenant.variable, tenant.weight);
        let _ = write!(
            text,
            "\n[[tenant]]\nname = \"{name}\"\nkey_env = \"{variable}\"\nweight = {weight}\n"
        );
    }
    let _ = write!(
        text,
        "\n[policies]\ndir = \"policies\"\nlimit = {{ use = \"{REPLACED}\", settings = {{ streak = {STREAK} }} }}\n\
         schedule = {{ use = \"schedule-drr\" }}\n\n[admin]\ntoken_env = \"{ADMIN_VARIABLE}\"\n",
    );
    text
}

/// The demo's own variables; the process's environment has no part in it.
fn variable(name: &str) -> Option<String> {
    let tenant = TENANTS.iter().find(|tenant| tenant.variable == name).map(|tenant| tenant.key);
    tenant.or((name == ADMIN_VARIABLE).then_some(ADMIN_TOKEN)).map(str::to_owned)
}

fn policies_folder(folder: &Path) -> PathBuf {
    folder.join("policies")
}

/// Writes a component beside its place and renames it there, so that nobody ever sees half of it.
fn write_over(policies: &Path, name: &str, wasm: &[u8]) -> anyhow::Result<()> {
    let beside = policies.join(format!(".{name}.new"));
    let place = policies.join(format!("{name}.wasm"));
    fs::write(&beside, wasm)
        .and_then(|()| fs::rename(&beside, &place))
        .with_context(|| format!("{} cannot be written", place.display()))
}

/// Sums over labels, out of Prometheus text.
fn read_books(text: &str) -> Books {
    let sum = |name: &str| {
        let samples = text.lines().filter_map(|line| {
            let rest = line.strip_prefix(name)?;
            rest.starts_with(['{', ' ']).then(|| rest.rsplit(' ').next()?.parse::<f64>().ok())?
        });
        samples.sum::<f64>().round() as u64
    };
    Books {
        waiting: sum("weir_queue_depth"),
        in_flight: sum("weir_inflight_requests"),
        admitted: sum("weir_admission_allowed_total"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_settings_are_good() {
        let urls = ["http://127.0.0.1:9101/v1".to_owned(), "http://127.0.0.1:9102".to_owned()];
        let text = settings(&urls, 7);
        insta::assert_snapshot!(text);
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(policies_folder(folder.path())).unwrap();
        let file = folder.path().join("weir.toml");
        let settings = Settings::parse(&text, &file.display().to_string(), &variable).unwrap();
        let tenants = settings.tenants.iter().map(|tenant| (tenant.name.as_str(), tenant.weight));
        assert_eq!(tenants.collect::<Vec<_>>(), [("acme", 2), ("globex", 1)]);
    }

    #[test]
    fn a_file_is_replaced_in_one_step_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        write_over(folder.path(), "p", b"one").unwrap();
        write_over(folder.path(), "p", b"two").unwrap();
        let names: Vec<_> =
            fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["p.wasm"]);
        assert_eq!(fs::read(folder.path().join("p.wasm")).unwrap(), b"two");
    }

    #[test]
    fn books_are_sums_over_labels() {
        let text = "# TYPE weir_queue_depth gauge\nweir_queue_depth 2\n\
            weir_inflight_requests{upstream=\"a b\"} 3\nweir_inflight_requests{upstream=\"c\"} 1\n\
            weir_inflight_requests_peak 9\nweir_admission_allowed_total{upstream=\"a\"} 120\n";
        assert_eq!(read_books(text), Books { waiting: 2, in_flight: 4, admitted: 120 });
    }
}
