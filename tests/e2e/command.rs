//! What the command prints and how it exits: 0 done, 1 failed, 2 wrong use.

use std::time::Duration;

use serde_json::Value;

use crate::support::{Gateway, Mock, http, root, text, until, weir};

#[test]
fn wrong_use_exits_with_2_and_says_what_is_right() {
    let run = weir(root(), &["serve"]);
    assert_eq!(run.status.code(), Some(2));
    assert!(text(&run.stderr).contains("--config <CONFIG>"), "{run:?}");
    assert_eq!(weir(root(), &["surf"]).status.code(), Some(2));
}

#[test]
fn a_good_file_is_said_to_be_good() {
    let run = weir(root(), &["config", "check", "examples/gateway/weir.toml"]);
    assert_eq!(run.status.code(), Some(0), "{run:?}");
    assert_eq!(
        text(&run.stdout),
        "examples/gateway/weir.toml: good; upstreams 2, tenants 2, lanes 3, policies 7\n"
    );
    let run = weir(root(), &["--json", "config", "check", "examples/gateway/weir.toml"]);
    let said: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    assert_eq!(said["ok"], true);
}

#[test]
fn the_schema_is_json_schema_and_knows_the_keys() {
    let run = weir(root(), &["config", "schema"]);
    let schema: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    assert_eq!(schema["title"], "weir.toml");
    assert_eq!(schema["additionalProperties"], false);
    assert!(schema["properties"]["upstream"].is_object());
}

#[test]
fn complaints_exit_with_1_in_words_and_in_json() {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(
        dir.path().join("weir.toml"),
        "[[upstream]]\nname = \"a\"\nkind = \"openai\"\nmodles = []\n",
    )
    .expect("a file");
    let run = weir(dir.path(), &["config", "check", "weir.toml"]);
    assert_eq!(run.status.code(), Some(1));
    let said = text(&run.stdout);
    assert!(said.starts_with("weir.toml:4:1: upstream[0].modles: unknown key `modles`"), "{said}");
    assert!(said.ends_with("did you mean `models`?\n"), "{said}");
    let run = weir(dir.path(), &["--json", "config", "check", "weir.toml"]);
    let said: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    assert_eq!(said["complaints"][0]["line"], 4);
    assert_eq!(run.status.code(), Some(1));
    let run = weir(dir.path(), &["--json", "serve", "--config", "weir.toml"]);
    let served: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    assert_eq!(served, said, "every command fails in the same shape");
}

#[test]
fn a_script_that_types_wrongly_gets_a_failure_of_the_same_shape() {
    let run = weir(root(), &["--json", "serve"]);
    assert_eq!(run.status.code(), Some(2));
    let said: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    assert!(said["error"].as_str().is_some_and(|words| words.contains("--config")), "{said}");
    assert!(weir(root(), &["serve"]).stdout.is_empty(), "and a person none");
}

/// What `config check` says of settings with these policies, and a file of theirs.
fn checked(policies: &str) -> (Option<i32>, String) {
    let dir = tempfile::tempdir().expect("a folder");
    let settings =
        format!("[[upstream]]\nname = \"a\"\nkind = \"openai\"\n\n[policies]\n{policies}\n");
    std::fs::write(dir.path().join("weir.toml"), settings).expect("a file");
    std::fs::create_dir(dir.path().join("mine")).expect("a folder");
    std::fs::write(dir.path().join("mine/limit-ceiling.wasm"), "no component").expect("a file");
    let run = weir(dir.path(), &["config", "check", "weir.toml"]);
    (run.status.code(), text(&run.stdout))
}

#[test]
fn policies_are_checked_with_the_file_that_names_them() {
    for (policies, place, words) in [
        (
            "limit = { use = \"limit-aimed\" }",
            "6:17: policies.limit.use: ",
            "shipped are limit-aimd",
        ),
        ("limit = { use = \"route-weighted\" }", "6:17: policies.limit.use: ", "route-weighted"),
        (
            "limit = { use = \"limit-aimd\", settings = { cieling = 3 } }",
            "6:17: policies.limit.use: ",
            "cieling",
        ),
        ("dir = \"mine\"", "6:7: policies.dir: ", "limit-ceiling.wasm"),
    ] {
        let (code, said) = checked(policies);
        assert_eq!(code, Some(1), "{policies}: {said}");
        assert!(said.starts_with(&format!("weir.toml:{place}")), "{policies}: {said}");
        assert!(said.contains(words) && said.lines().count() == 1, "{policies}: {said}");
    }
    let (code, said) = checked("limit = { use = \"limit-aimd\", settings = { ceiling = 3 } }");
    assert_eq!(code, Some(0), "{said}");
}

#[test]
fn a_mock_script_that_is_not_good_exits_with_1_and_says_where() {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("mock.toml"), "[[provider]]\nname = \"a\"\nkind = \"opneai\"\n")
        .expect("a file");
    let run = weir(dir.path(), &["mock", "mock.toml"]);
    assert_eq!(run.status.code(), Some(1));
    assert!(text(&run.stderr).starts_with("weir: mock.toml:3: "), "{run:?}");
}

#[test]
fn a_taken_port_is_said_to_be_taken() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let listen = taken.local_addr().expect("an address").to_string();
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("weir.toml"), "[[upstream]]\nname = \"a\"\nkind = \"openai\"\n")
        .expect("a file");
    let run = weir(dir.path(), &["serve", "--config", "weir.toml", "--listen", &listen]);
    assert_eq!(run.status.code(), Some(1));
    assert!(text(&run.stderr).contains(&format!("cannot listen on {listen}")), "{run:?}");
}

#[test]
fn a_host_that_is_told_to_stop_ends_with_0() {
    let mock = Mock::start("[[provider]]\nname = \"a\"\nkind = \"openai\"\nmodels = [\"*\"]\n");
    let upstream = format!(
        "[[upstream]]\nname = \"a\"\nkind = \"openai\"\nbase_url = \"{}\"\n",
        mock.url("a")
    );
    assert_eq!(Gateway::start(&upstream).terminate(), Some(0));
}

/// Service managers send it to have settings read again, and nobody expects an end of that.
#[test]
fn a_host_without_a_terminal_survives_sighup_and_says_what_stops_it() {
    let gateway = Gateway::start("[[upstream]]\nname = \"a\"\nkind = \"openai\"\n");
    gateway.signal("HUP");
    until("it says so", Duration::from_secs(10), || {
        gateway.log().contains("SIGHUP changes nothing")
    });
    assert_eq!(http::get(&format!("{}/readyz", gateway.url())).status, 200);
    assert_eq!(gateway.terminate(), Some(0));
}

#[test]
fn policies_of_no_host_are_an_error_that_names_the_way() {
    let run =
        weir(root(), &["policy", "list", "--token-env", "PATH", "--url", "http://127.0.0.1:1"]);
    assert_eq!(run.status.code(), Some(1));
    assert!(text(&run.stderr).contains("is `weir serve` running there?"), "{run:?}");
}
