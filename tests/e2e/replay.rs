//! A journal of `weir serve`, run again in virtual time: as it was, with another policy, and torn.

use std::path::Path;
use std::thread;

use serde_json::{Value, json};

use crate::support::{Gateway, Mock, http, text, weir};

/// Requests that are sent, and callers that send them.
const REQUESTS: usize = 24;
const CALLERS: usize = 8;

/// Serves some requests and leaves their journal in a folder.
fn record(dir: &Path) {
    let mock = Mock::start(
        "[[provider]]\nname = \"main\"\nkind = \"openai\"\nmodels = [\"m\"]\nlimits = { concurrency = 4 }\n\
         latency = { mean_ms = 40.0, sigma = 0.3 }\n",
    );
    let gateway = Gateway::start(&format!(
        "[journal]\npath = {:?}\n[[upstream]]\nname = \"main\"\nkind = \"openai\"\nbase_url = \"{}\"\n\
         models = [\"m\"]\nlimits = {{ concurrency = 4 }}\n",
        dir.join("tuesday.jsonl"),
        mock.url("main")
    ));
    let url = format!("{}/v1/chat/completions", gateway.url());
    let body = json!({ "model": "m", "max_tokens": 50, "messages": [{ "role": "user", "content": "hi" }] });
    let body = body.to_string();
    let caller = || {
        for _ in 0..REQUESTS / CALLERS {
            assert_eq!(http::post(&url, &[], body.as_bytes()).status, 200);
        }
    };
    thread::scope(|scope| {
        (0..CALLERS).for_each(|_| drop(scope.spawn(caller)));
    });
    assert_eq!(gateway.terminate(), Some(0));
}

fn sim(dir: &Path, args: &[&str]) -> Value {
    let run = weir(dir, &[&["sim", "--json"], args].concat());
    assert!(run.status.success(), "{run:?}");
    serde_json::from_slice(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run:?}"))
}

#[test]
fn a_journal_is_replayed_with_any_policy() {
    let dir = tempfile::tempdir().expect("a folder");
    record(dir.path());
    let first = sim(dir.path(), &["--replay", "tuesday.jsonl"]);
    assert_eq!(first["about"], format!("{REQUESTS} requests of tuesday.jsonl"), "{first}");
    let run = &first["runs"][0];
    assert_eq!((&run["requests"], &run["done"]), (&json!(REQUESTS), &json!(REQUESTS)), "{first}");
    assert_eq!(run["demands"][0]["name"], "everybody m", "{first}");
    let again = sim(dir.path(), &["--replay", "tuesday.jsonl"]);
    assert_eq!(first, again, "the same bytes");
    let other = ["--replay", "tuesday.jsonl", "--policy", "limit=limit-fixed:{\"limit\":1}"];
    let other = sim(dir.path(), &other);
    assert_eq!(other["runs"][0]["done"], REQUESTS, "{other}");
    assert_ne!(other["runs"][0]["digest"], run["digest"], "one at once is another run");
}

#[test]
fn a_torn_line_is_skipped_and_counted_and_no_journal_is_told() {
    let dir = tempfile::tempdir().expect("a folder");
    record(dir.path());
    let file = dir.path().join("tuesday.jsonl");
    let whole = std::fs::read_to_string(&file).expect("a journal");
    std::fs::write(&file, format!("{whole}{{\"arrived\":{{\"at\":12")).expect("a file");
    let about = sim(dir.path(), &["--replay", "tuesday.jsonl"])["about"].clone();
    let words = format!("{REQUESTS} requests of tuesday.jsonl; lines that cannot be read: 1");
    assert_eq!(about, words);
    std::fs::write(&file, "hello\n").expect("a file");
    let run = weir(dir.path(), &["sim", "--replay", "tuesday.jsonl"]);
    assert_eq!(run.status.code(), Some(1), "{run:?}");
    assert!(text(&run.stderr).contains("no header of a journal"), "{run:?}");
}
