//! `weir sim`: scenarios in virtual time.

use std::path::Path;
use std::process::Output;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{text, weir};

/// A minute of thirty callers at a provider that takes eight at once.
const SCENARIO: &str = r#"
about = "Eight at once."
duration = "1m"
warm_up = "15s"

[[upstream]]
name = "main"
kind = "openai"
limits = { concurrency = 4 }

[upstream.provider]
concurrency = 8
service = { mean = "500ms", sigma = 0.5 }

[[demand]]
name = "work"
agents = { count = 30 }

[[pass]]
measure = "in-flight-share"
at_least = 0.2
"#;

/// A folder with that scenario, in which one text stands for another.
fn folder(from: &str, to: &str) -> TempDir {
    assert!(SCENARIO.contains(from), "{from}");
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("eight.toml"), SCENARIO.replace(from, to)).expect("a file");
    dir
}

fn sim(dir: &Path, args: &[&str]) -> Output {
    weir(dir, &[&["sim"], args].concat())
}

fn json(run: &Output) -> Value {
    serde_json::from_slice(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run:?}"))
}

#[test]
fn a_scenario_that_is_not_good_exits_with_1_and_says_where() {
    let cases = [
        ("agents = { count = 30 }", "agnets = { count = 30 }", "eight.toml:17:1: ", "`agents`?"),
        ("agents = { count = 30 }", "open = { rate = -3 }", "eight.toml:17:", "-3 is not a number"),
        ("in-flight-share", "in-flight-sahre", "pass[0]: ", "did you mean `in-flight-share`?"),
    ];
    for (from, to, place, words) in cases {
        let run = sim(folder(from, to).path(), &["eight.toml"]);
        assert_eq!(run.status.code(), Some(1), "{run:?}");
        let said = text(&run.stderr);
        assert!(said.contains(place) && said.contains(words), "{said}");
    }
    let run = sim(folder("8", "8").path(), &["gone.toml"]);
    assert_eq!(run.status.code(), Some(1));
    assert!(text(&run.stderr).contains("gone.toml"), "{run:?}");
}

#[test]
fn wrong_use_exits_with_2_and_says_what_is_right() {
    let dir = folder("8", "8");
    let cases: [(&[&str], &str); 4] = [
        (&["eight.toml", "--policy", "limit=limit-amid"], "no policy `limit-amid` for limit"),
        (&["eight.toml", "--policy", "limit=gone.wasm"], "no file `gone.wasm`"),
        (&["eight.toml", "--compare", "limit=limit-fixed"], "two policies or more"),
        (&["eight.toml", "--seed", "1", "--seeds", "2"], "cannot be used with"),
    ];
    for (args, words) in cases {
        let run = sim(dir.path(), args);
        assert_eq!(run.status.code(), Some(2), "{run:?}");
        assert!(text(&run.stderr).contains(words), "{run:?}");
    }
}

#[test]
fn a_seed_gives_the_same_bytes_and_another_gives_others() {
    let dir = folder("8", "8");
    let run = |seed: &str| sim(dir.path(), &["eight.toml", "--json", "--seed", seed]);
    let (first, again, other) = (run("7"), run("7"), run("8"));
    assert_eq!(first.status.code(), Some(0), "{first:?}");
    assert_eq!(first.stdout, again.stdout);
    let digest = |run: &Output| json(run)["runs"][0]["digest"].clone();
    assert_eq!(digest(&first), digest(&again));
    assert_ne!(digest(&first), digest(&other));
    assert!(json(&first)["runs"][0]["done"].as_u64() > Some(100), "{first:?}");
}

#[test]
fn a_run_is_told_in_words() {
    let run = sim(folder("8", "8").path(), &["eight.toml"]);
    let said = text(&run.stdout);
    assert!(said.starts_with("eight, seed 1\nrequests "), "{said}");
    for words in ["UPSTREAM", "main", "DEMAND", "work", "in-flight-share", "1 of 1 levels met"] {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert_eq!(text(&run.stderr), "", "no bar where there is no terminal");
}

#[test]
fn policies_are_put_side_by_side() {
    let dir = folder("8", "8");
    let compare = r#"limit=limit-fixed:{"limit": 2},limit-fixed:{"limit": 8}"#;
    let run = sim(dir.path(), &["eight.toml", "--seeds", "2", "--compare", compare]);
    assert_eq!(run.status.code(), Some(0), "{run:?}");
    let said = text(&run.stdout);
    let line = |start: &str| said.lines().find(|line| line.starts_with(start)).unwrap_or_default();
    let (two, eight) = (line(r#"limit-fixed:{"limit": 2}"#), line(r#"limit-fixed:{"limit": 8}"#));
    assert!(eight.matches('*').count() >= 4, "{said}");
    assert!(two.contains("0.00 %*"), "two at once are never refused: {said}");
    let run = sim(dir.path(), &["eight.toml", "--json", "--compare", compare]);
    let rows = &json(&run)["cases"][0]["rows"];
    assert_eq!(rows[1]["best"][0], true, "{rows}");
    assert_eq!(rows[0]["best"][0], false, "{rows}");
}

#[test]
fn levels_that_are_missed_exit_with_1() {
    let met = sim(folder("8", "8").path(), &["--check", "."]);
    assert_eq!(met.status.code(), Some(0), "{met:?}");
    assert!(text(&met.stdout).ends_with("1 of 1 levels met\n"), "{met:?}");
    let dir = folder("at_least = 0.2", "at_least = 1.2");
    let missed = sim(dir.path(), &["--check", "eight.toml", "--seeds", "2", "--json"]);
    assert_eq!(missed.status.code(), Some(1), "{missed:?}");
    let said = json(&missed);
    assert_eq!(said["ok"], false);
    let found = said["levels"][0]["found"].as_array().expect("a list");
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|found| found["met"] == false && found["value"].is_f64()), "{said}");
    let empty = tempfile::tempdir().expect("a folder");
    let run = sim(empty.path(), &["--check", "."]);
    assert_eq!(run.status.code(), Some(1));
    assert!(text(&run.stderr).contains("has no scenario"), "{run:?}");
}

#[test]
fn a_slot_without_a_policy_is_the_fallbacks() {
    let run = sim(folder("8", "8").path(), &["eight.toml", "--policy", "schedule=none", "--json"]);
    assert_eq!(run.status.code(), Some(0), "{run:?}");
    assert!(json(&run)["runs"][0]["done"].as_u64() > Some(100), "{run:?}");
}
