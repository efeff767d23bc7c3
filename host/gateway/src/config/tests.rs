//! Every complaint's words, and what a good file becomes.

use std::path::Path;

use weir_core::ids::{CandidateId, LaneId};
use weir_core::units::{NanoDollars, Tokens};

use super::{Kind, Settings};

const UPSTREAM: &str = "[[upstream]]\nname = \"main\"\nkind = \"openai\"\n";

fn env(name: &str) -> Option<String> {
    match name {
        "GOOD_KEY" => Some("sk-good\n".to_owned()),
        "EMPTY_KEY" => Some("  ".to_owned()),
        "SPACED_KEY" => Some("sk good".to_owned()),
        _ => None,
    }
}

fn parse(text: &str) -> Result<Settings, super::ConfigError> {
    Settings::parse(text, "weir.toml", &env)
}

/// The texts and their complaints as a snapshot; the cases are seen in it already.
macro_rules! assert_complaints {
    ($complaints:expr) => {
        insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!($complaints) })
    };
}

/// The complaints about a text, below the text itself.
fn refusal(text: &str) -> String {
    let error = parse(text).expect_err(text);
    format!("{}\n---\n{error}\n", text.trim_end())
}

/// The complaints about lines that follow a good upstream's.
fn refusals(cases: &[&str]) -> String {
    let cases: Vec<String> =
        cases.iter().map(|case| refusal(&format!("{UPSTREAM}{case}"))).collect();
    cases.join("\n")
}

#[test]
fn shape() {
    assert_complaints!(
        [
            refusal(""),
            refusal("listen = \n"),
            refusal("lissen = \"127.0.0.1:1\"\n"),
            refusal("listen = \"localhost:80\"\n"),
            refusal("[[upstreams]]\nname = \"main\"\n"),
            refusal("[[upstream]]\nname = \"main\"\n"),
            refusal("[[upstream]]\nname = \"main\"\nkind = \"opneai\"\n"),
            refusal("[[upstream]]\nname = \"main\"\nkind = \"gemini\"\n"),
        ]
        .join("\n")
    );
}

#[test]
fn upstreams() {
    assert_complaints!(refusals(&[
        "limits = { rmp = 500 }",
        "limits = { rpm = -1 }",
        "limits = { concurrency = 0 }",
        "limits = { rpm = \"many\" }",
        "base_weight = 0",
        "base_weight = nan",
        "base_url = \"api.example.com/v1\"",
        "base_url = \"ftp://example.com\"",
        "base_url = \"http://a b\"",
        "base_url = \"https://me:pw@example.com\"",
        "base_url = \"https://example.com/v1?key=1\"",
        "timeouts = { connect = \"soon\" }",
        "timeouts = { connect = 5 }",
        "timeouts = { connect = \"0s\" }",
        "models = [\"a\", \"b\", \"a\"]",
        "models = [\"\"]",
        "[[upstream.model]]\nname = \"a\"\nprice = { input = -0.5 }",
        "[[upstream.model]]\nname = \"a\"\nprize = { input = 0.5 }",
        "[[upstream]]\nname = \"main\"\nkind = \"anthropic\"",
        "[[upstream]]\nname = \"the second\"\nkind = \"anthropic\"",
    ]));
}

#[test]
fn credentials() {
    assert_complaints!(refusals(&[
        "key = \"sk-secret\"",
        "key_env = \"NO_KEY\"",
        "key_env = \"EMPTY_KEY\"",
        "key_env = \"SPACED_KEY\"",
        "key_env = \"GOOD_KEY\"\nkey_file = \"key\"",
        "key_file = \"/nonexistent/key\"",
        "[admin]\ntoken_env = \"NO_KEY\"",
        "[admin]\ntoken_env = \"GOOD_KEY\"\ntoken_file = \"key\"",
        "[[tenant]]\nname = \"acme\"",
        "[[tenant]]\nname = \"acme\"\nkey_sha256 = \"sk-secret\"",
        "[[tenant]]\nname = \"acme\"\nkey_env = \"NO_KEY\"",
        "[[tenant]]\nname = \"acme\"\nkey_env = \"GOOD_KEY\"\nkey_sha256 = \"\"",
        "[[tenant]]\nname = \"a\"\nkey_env = \"GOOD_KEY\"\n[[tenant]]\nname = \"b\"\nkey_env = \"GOOD_KEY\"",
        "[[tenant]]\nname = \"a\"\nkey_env = \"GOOD_KEY\"\n[[tenant]]\nname = \"a\"\nkey_env = \"NO_KEY\"",
    ]));
}

#[test]
fn the_rest() {
    assert_complaints!(refusals(&[
        "[[tenant]]\nname = \"acme\"\nkey_env = \"GOOD_KEY\"\nweight = 0",
        "[[tenant]]\nname = \"acme\"\nkey_env = \"GOOD_KEY\"\nquota = {}",
        "[[tenant]]\nname = \"acme\"\nkey_env = \"GOOD_KEY\"\nquota = { usd = -1 }",
        "[[tenant]]\nname = \"acme\"\nkey_env = \"GOOD_KEY\"\nquota = { usd = 1, soft = 1.5 }",
        "[line]\nmax_itmes = 5",
        "[line]\nmax_items = 0",
        "[retries]\nratio = 2",
        "[host]\nmax_body = 0",
        "[policies]\ndir = \"/nonexistent/policies\"",
        "[policies]\nlimits = { use = \"limit-aimd\" }",
        "[policies]\nlimit = \"limit-aimd\"",
        "[policies]\nlimit = { use = \"../evil\" }",
        "[policies]\nlimit = { settings = {} }",
    ]));
}

#[test]
fn open_to_all() {
    assert_complaints!(refusal(&format!("listen = \"0.0.0.0:80\"\n{UPSTREAM}")));
}

#[test]
fn a_file_that_is_not_there() {
    let error = Settings::load(Path::new("/nonexistent/weir.toml")).expect_err("there is none");
    assert_eq!(error.to_string(), "cannot read the settings file /nonexistent/weir.toml");
}

#[test]
fn all_complaints_come_at_once_in_the_files_order() {
    let text = format!(
        "{UPSTREAM}key_env = \"NO_KEY\"\nmodels = [\"\"]\n[admin]\ntoken_env = \"NO_TOKEN\"\n"
    );
    let error = parse(&text).expect_err("three things are wrong").to_string();
    let lines: Vec<&str> =
        error.lines().map(|line| line.split(": ").next().unwrap_or_default()).collect();
    assert_eq!(lines, ["weir.toml:4:11", "weir.toml:5:11", "weir.toml:7:13"]);
}

#[test]
fn one_upstream_is_enough() {
    let settings = parse(UPSTREAM).expect("a whole file");
    assert_eq!(settings.listen.to_string(), "127.0.0.1:18790");
    assert_eq!(settings.upstreams[0].base_url.as_str(), "https://api.openai.com/v1");
    assert_eq!(settings.upstreams[0].models[0].name, "*");
    assert_eq!(settings.line, weir_core::config::Line::default());
    assert_eq!(settings.retries, weir_core::config::RetryBudget::default());
    assert_eq!(settings.ramp, weir_core::config::Ramp::default());
    assert_eq!(settings.tenants.len(), 1);
    assert!(settings.tenants[0].key.is_none());
    assert_eq!(settings.policies.slots.len(), weir_core::Slot::ALL.len());
}

#[test]
fn credentials_do_not_print() {
    let tenant = "[[tenant]]\nname = \"acme\"\nkey_env = \"GOOD_KEY\"\n";
    let settings =
        parse(&format!("{UPSTREAM}key_env = \"GOOD_KEY\"\n{tenant}")).expect("a whole file");
    assert_eq!(settings.upstreams[0].key.as_ref().map(super::Secret::expose), Some("sk-good"));
    assert_eq!(settings.tenants[0].key, Some(super::KeyHash::of("sk-good")));
    assert!(!format!("{settings:?}").contains("sk-good"));
}

#[test]
fn a_hash_is_the_keys_own() {
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(super::KeyHash::from_hex(abc), Some(super::KeyHash::of("abc")));
    assert_eq!(super::KeyHash::from_hex(&abc.to_uppercase()), Some(super::KeyHash::of("abc")));
    assert_eq!(super::KeyHash::from_hex(&abc[1..]), None);
}

#[test]
fn money_and_periods() {
    let text = format!(
        "{UPSTREAM}[[upstream.model]]\nname = \"a\"\nprice = {{ input = 0.15, output = 0.6 }}\n\
         [[tenant]]\nname = \"acme\"\nkey_env = \"GOOD_KEY\"\n\
         quota = {{ tokens = 1000, usd = 2.5, period = \"1h\", soft = 0.5 }}\n"
    );
    let core = parse(&text).expect("a whole file").core();
    let price = core.upstreams[0].models[0].price;
    assert_eq!(
        (price.input, price.cached_input),
        (NanoDollars(150_000_000), NanoDollars(150_000_000))
    );
    let quota = core.tenants[0].quota.expect("a quota");
    assert_eq!((quota.tokens, quota.cost), (Some(Tokens(1000)), Some(NanoDollars(2_500_000_000))));
    assert_eq!((quota.period.0, quota.soft), (3_600_000_000, 500));
}

#[test]
fn lanes_hold_all_who_serve_a_model() {
    let text = "[[upstream]]\nname = \"one\"\nkind = \"openai\"\nmodels = [\"a\", \"b\"]\n\
        [[upstream]]\nname = \"two\"\nkind = \"openai\"\nmodels = [\"b\", \"*\"]\n\
        [[upstream]]\nname = \"three\"\nkind = \"anthropic\"\nmodels = [\"a\"]\n";
    let settings = parse(text).expect("a whole file");
    let lanes = settings.lanes();
    let core = settings.core();
    let serves = |kind, model: &str| {
        let LaneId(lane) = lanes.find(kind, model)?;
        Some(
            core.lanes[lane as usize]
                .candidates
                .iter()
                .map(|CandidateId(id)| *id)
                .collect::<Vec<_>>(),
        )
    };
    assert_eq!(serves(Kind::OpenAi, "a"), Some(vec![0, 3]));
    assert_eq!(serves(Kind::OpenAi, "b"), Some(vec![1, 2]));
    assert_eq!(serves(Kind::OpenAi, "another"), Some(vec![3]));
    assert_eq!(serves(Kind::Anthropic, "a"), Some(vec![4]));
    assert_eq!(serves(Kind::Anthropic, "b"), None);
    assert_eq!(lanes.models(Kind::OpenAi).collect::<Vec<_>>(), ["a", "b"]);
}

#[test]
fn addresses_join() {
    let base = super::BaseUrl::parse("http://localhost:1/v1/").expect("an address");
    assert_eq!(
        base.join("/models?a=1").expect("a path").to_string(),
        "http://localhost:1/v1/models?a=1"
    );
}

#[test]
fn schema() {
    insta::assert_json_snapshot!(Settings::schema());
}
