//! Files that are no policies, and what their authors are told.

use std::sync::Arc;

use weir_core::Slot;
use weir_policy::{Component, Engine, LARGEST, LoadError, Options, Pace, Prepared, Source};

use crate::support::engine;

fn refused(bytes: &[u8]) -> LoadError {
    match Component::load(&engine(Pace::Fuel), bytes, Source::BuiltIn) {
        Err(error) => error,
        Ok(component) => panic!("{} was taken", component.name),
    }
}

#[test]
fn no_wasm() {
    for bytes in [&b""[..], b"\0as", b"#!/bin/sh\necho hello\n", &[0xff; 4096]] {
        let error = refused(bytes);
        assert!(matches!(error, LoadError::NotWasm { .. }), "{error}");
        assert!(error.to_string().contains("--target wasm32-wasip2"), "{error}");
    }
}

#[test]
fn a_core_module() {
    let error = refused(b"\0asm\x01\0\0\0");
    assert!(matches!(error, LoadError::CoreModule), "{error}");
}

#[test]
fn a_component_that_was_cut_off() {
    let whole = weir_guests::HOSTILE;
    for length in [8, 100, whole.len() / 2, whole.len() - 1] {
        let error = refused(&whole[..length]);
        assert!(
            matches!(error, LoadError::Broken(_) | LoadError::NoLifecycle),
            "{length}: {error}"
        );
    }
}

#[test]
fn a_damaged_component() {
    let mut bytes = weir_guests::HOSTILE.to_vec();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 64].fill(0xff);
    assert!(matches!(refused(&bytes), LoadError::Broken(_)));
}

#[test]
fn too_large() {
    let error = refused(&vec![0; LARGEST + 1]);
    assert!(matches!(error, LoadError::TooLarge { .. }), "{error}");
}

#[test]
fn an_empty_component_is_no_policy() {
    let error = refused(b"\0asm\x0d\0\x01\0");
    assert!(matches!(error, LoadError::NoLifecycle), "{error}");
}

#[test]
fn files_and_the_network() {
    let error = refused(weir_guests::CALLER);
    let LoadError::Authority { imports } = &error else { panic!("{error}") };
    assert!(imports.iter().any(|name| name.starts_with("wasi:filesystem/")), "{imports:?}");
    assert!(imports.iter().any(|name| name.starts_with("wasi:sockets/")), "{imports:?}");
    assert!(error.to_string().contains("has no authority"), "{error}");
}

#[test]
fn sleep() {
    let error = refused(weir_guests::SLEEPER);
    assert!(matches!(error, LoadError::Import(_)), "{error}");
    assert!(error.to_string().contains("subscribe-"), "{error}");
}

#[test]
fn settings() {
    let engine = engine(Pace::Fuel);
    let component = Component::load(&engine, weir_guests::HOSTILE, Source::BuiltIn).unwrap();
    let refused = |settings: &str| {
        Prepared::new(Arc::clone(&component), Slot::Limit, settings.into()).err().unwrap()
    };
    let error = refused(r#"{"onn": "call"}"#);
    assert!(error.to_string().contains("unknown field `onn`"), "{error}");
    assert!(matches!(refused(r#"{"on": "start", "do": "panic"}"#), LoadError::Canary(_)));
    assert!(matches!(refused(r#"{"on": "start", "do": "spin"}"#), LoadError::Canary(_)));
}

#[test]
fn compiled_code_is_kept_where_a_directory_is_given() {
    let directory = tempfile::tempdir().unwrap();
    let cache = Some(directory.path().join("compiled"));
    for _ in 0..2 {
        let options = Options { pace: Pace::Fuel, cache: cache.clone(), seed: 7 };
        let engine = Engine::new(&options).unwrap();
        Component::load(&engine, weir_guests::HOSTILE, Source::BuiltIn).unwrap();
    }
    assert!(std::fs::read_dir(directory.path().join("compiled")).unwrap().next().is_some());
}
