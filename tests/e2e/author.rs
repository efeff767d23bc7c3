//! The loop of a policy's author: a new project, its tests, its component, and what a host finds it to be.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::support::{text, weir};

/// The slots beside `limit`, which has a test of its own.
const OTHERS: [&str; 6] = ["priority", "schedule", "classify", "retry", "route", "fanout"];

/// Runs `weir policy` in a folder, with no network for the compiler and a target folder that is kept between
/// runs: what comes from the registry is compiled once.
fn policy(dir: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_weir"));
    command.arg("policy").args(args).current_dir(dir).stdin(Stdio::null());
    command.env("CARGO_NET_OFFLINE", "true").env("CARGO_PROFILE_DEV_DEBUG", "false");
    command.env("CARGO_TARGET_DIR", concat!(env!("CARGO_TARGET_TMPDIR"), "/author"));
    command.output().expect("the binary runs")
}

/// The target folder is one test's at a time: what one compiles replaces what another links.
fn turn() -> fs::File {
    let file = fs::File::create(concat!(env!("CARGO_TARGET_TMPDIR"), "/author.lock"));
    let file = file.expect("a file");
    file.lock().expect("a lock");
    file
}

#[track_caller]
fn good(run: &Output) -> String {
    assert_eq!(run.status.code(), Some(0), "{}{}", text(&run.stdout), text(&run.stderr));
    text(&run.stdout)
}

/// Builds and checks: what the check says.
#[track_caller]
fn built(dir: &Path) -> Value {
    good(&policy(dir, &["build", "--out", "own.wasm"]));
    serde_json::from_str(&good(&policy(dir, &["check", "own.wasm", "--json"]))).expect("JSON")
}

#[test]
fn a_new_project_is_tested_compiled_and_found_good() {
    let _turn = turn();
    let dir = tempfile::tempdir().expect("a folder");
    let said = good(&policy(dir.path(), &["new", "limit-own", "--slot", "limit"]));
    assert!(
        said.starts_with("limit-own: a policy for `limit`, in limit-own/src/lib.rs\n"),
        "{said}"
    );
    let project = dir.path().join("limit-own");
    assert_eq!(good(&policy(&project, &["test"])), "all tests passed\n");
    let checked = built(&project);
    assert_eq!(checked["name"], "limit-own");
    assert_eq!(checked["version"], "0.1.0");
    assert_eq!(checked["slots"], serde_json::json!(["limit"]));
    assert_eq!(checked["settings_schema"]["properties"]["streak"]["default"], 8);
    let said = good(&policy(dir.path(), &["build", "limit-own", "--json"]));
    let said: Value = serde_json::from_str(&said).expect("JSON");
    assert_eq!(said["digest"], checked["digest"], "the same component, wherever it is put");
    let run = policy(&project, &["check", "own.wasm", "--settings", r#"{"streak": 0}"#]);
    assert_eq!(run.status.code(), Some(1));
    assert!(text(&run.stderr).contains("must be at least 1 and at most 1000"), "{run:?}");
}

/// One project, whose source becomes that of each slot in turn: the SDK is compiled once.
#[test]
fn each_slot_has_a_start_that_becomes_its_component() {
    let _turn = turn();
    let dir = tempfile::tempdir().expect("a folder");
    good(&policy(dir.path(), &["new", "any-own", "--slot", "limit"]));
    let project = dir.path().join("any-own");
    for slot in OTHERS {
        let name = format!("{slot}-own");
        good(&policy(dir.path(), &["new", &name, "--slot", slot]));
        fs::copy(dir.path().join(name).join("src/lib.rs"), project.join("src/lib.rs"))
            .expect("a source");
        assert_eq!(built(&project)["slots"], serde_json::json!([slot]));
    }
}

#[test]
fn a_project_that_fails_its_tests_or_does_not_compile_exits_with_1() {
    let _turn = turn();
    let dir = tempfile::tempdir().expect("a folder");
    good(&policy(dir.path(), &["new", "limit-bad", "--slot", "limit"]));
    let project = dir.path().join("limit-bad");
    let source = project.join("src/lib.rs");
    let halving = fs::read_to_string(&source).expect("a source");
    fs::write(&source, halving.replace("state.limit / 2", "state.limit / 3")).expect("a file");
    let run = policy(&project, &["test"]);
    assert_eq!(run.status.code(), Some(1));
    assert_eq!(text(&run.stdout), "there is a test that failed, see above\n");
    fs::write(&source, halving + "\nfn half(").expect("a file");
    let run = policy(&project, &["build"]);
    assert_eq!(run.status.code(), Some(1));
    assert!(text(&run.stderr).contains("weir: it does not compile"), "{run:?}");
    assert!(text(&run.stderr).contains("src/lib.rs"), "the compiler's own words: {run:?}");
}

#[test]
fn a_folder_that_is_there_stays_as_it_is() {
    let dir = tempfile::tempdir().expect("a folder");
    fs::create_dir(dir.path().join("limit-own")).expect("a folder");
    let run = policy(dir.path(), &["new", "limit-own", "--slot", "limit"]);
    assert_eq!(run.status.code(), Some(1));
    assert!(text(&run.stderr).contains("limit-own is there already"), "{run:?}");
    let inside = fs::read_dir(dir.path().join("limit-own")).expect("a folder").count();
    assert_eq!(inside, 0);
}

#[test]
fn a_bad_name_or_slot_is_wrong_use_and_writes_nothing() {
    let dir = tempfile::tempdir().expect("a folder");
    for (args, words) in [
        (["new", "../up", "--slot", "limit"], "does not begin with a lower-case letter"),
        (["new", "Limit", "--slot", "limit"], "`limit-mine`"),
        (["new", "limit-aimd", "--slot", "limit"], "weir ships a policy of that name"),
        (["new", "limit-own", "--slot", "limits"], "priority, schedule, limit, classify"),
    ] {
        let run = policy(dir.path(), &args);
        assert_eq!(run.status.code(), Some(2), "{args:?}");
        assert!(text(&run.stderr).contains(words), "{}", text(&run.stderr));
    }
    assert_eq!(fs::read_dir(dir.path()).expect("a folder").count(), 0);
}

#[test]
fn without_a_project_the_way_to_one_is_told() {
    let dir = tempfile::tempdir().expect("a folder");
    for command in ["build", "test"] {
        let run = policy(dir.path(), &[command, "."]);
        assert_eq!(run.status.code(), Some(1));
        assert!(text(&run.stderr).contains("`weir policy new NAME --slot SLOT`"), "{run:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_compiler_without_the_target_is_told_in_one_line() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = tempfile::tempdir().expect("a folder");
    let rustc = dir.path().join("rustc");
    fs::write(&rustc, "#!/bin/sh\necho /nowhere\n").expect("a file");
    fs::set_permissions(&rustc, fs::Permissions::from_mode(0o755)).expect("a program");
    fs::write(dir.path().join("Cargo.toml"), "").expect("a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_weir"));
    command.args(["policy", "build"]).current_dir(dir.path()).env("PATH", dir.path());
    let run = command.output().expect("the binary runs");
    assert_eq!(run.status.code(), Some(1));
    assert!(text(&run.stderr).contains("`rustup target add wasm32-wasip2`"), "{run:?}");
}

#[test]
fn a_shipped_policy_is_found_good_and_says_its_settings() {
    let dir = tempfile::tempdir().expect("a folder");
    let shipped = weir_shipped::find("limit-aimd").expect("it is shipped");
    fs::write(dir.path().join("a.wasm"), shipped.wasm).expect("a file");
    let said = good(&weir(dir.path(), &["policy", "check", "a.wasm"]));
    assert!(said.starts_with("limit-aimd 0.1.0: good\n"), "{said}");
    assert!(said.contains("factor = 0.75, 0.1 to 0.99: "), "{said}");
    assert!(said.contains("\n            wasi:io/streams@"), "each import has its line: {said}");
}

#[test]
fn what_is_no_policy_is_refused_with_the_way_to_mend_it() {
    let dir = tempfile::tempdir().expect("a folder");
    let shipped = weir_shipped::find("limit-aimd").expect("it is shipped").wasm;
    let cases: [(&[u8], &str); 4] = [
        (b"", "is not WebAssembly (0 bytes"),
        (b"#!/bin/sh\n", "is not WebAssembly"),
        (b"\0asm\x01\0\0\0", "is a core module, not a component"),
        (&shipped[..shipped.len() / 2], "is a damaged component"),
    ];
    for (bytes, words) in cases {
        fs::write(dir.path().join("bad.wasm"), bytes).expect("a file");
        let run = weir(dir.path(), &["policy", "check", "bad.wasm", "--json"]);
        assert_eq!(run.status.code(), Some(1));
        let said: Value = serde_json::from_slice(&run.stdout).expect("JSON");
        let error = said["error"].as_str().expect("words");
        assert!(error.starts_with(&format!("bad.wasm {words}")), "{error}");
    }
    for missing in ["gone.wasm", "."] {
        let run = weir(dir.path(), &["policy", "check", missing]);
        assert_eq!(run.status.code(), Some(1));
        assert!(text(&run.stderr).contains(&format!("cannot read {missing}")), "{run:?}");
    }
}
