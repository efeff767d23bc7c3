//! What each component imports and exports.
#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

use weir_shipped::{ALL, LIMIT_AIMD_NEXT, Shipped};
use wit_component::DecodedWasm;
use wit_parser::{Resolve, WorldItem, WorldKey};

/// The names of a component's imports and exports, each sorted.
fn surface(shipped: &Shipped) -> (Vec<String>, Vec<String>) {
    let decoded = wit_component::decode(shipped.wasm).unwrap();
    let DecodedWasm::Component(resolve, world) = decoded else { panic!("a WIT package") };
    let world = &resolve.worlds[world];
    (named(&resolve, &world.imports), named(&resolve, &world.exports))
}

fn named<'a>(
    resolve: &Resolve,
    items: impl IntoIterator<Item = (&'a WorldKey, &'a WorldItem)>,
) -> Vec<String> {
    let mut names: Vec<_> = items.into_iter().map(|(key, _)| resolve.name_world_key(key)).collect();
    names.sort();
    names
}

/// What the host links; a policy that imports more is refused at load.
fn allowed(import: &str) -> bool {
    let wasi = ["wasi:cli/", "wasi:io/error", "wasi:io/streams", "wasi:io/poll", "wasi:random/"];
    import.starts_with("weir:policy/") || wasi.iter().any(|prefix| import.starts_with(prefix))
}

#[test]
fn each_exports_lifecycle_and_its_own_interface_alone() {
    for shipped in ALL.iter().chain([&LIMIT_AIMD_NEXT]) {
        let own = format!("weir:policy/{}@0.1.0", shipped.slot);
        let mut expected = vec!["weir:policy/lifecycle@0.1.0".to_owned(), own];
        expected.sort();
        assert_eq!(surface(shipped).1, expected, "{}", shipped.name);
    }
}

#[test]
fn none_imports_more_than_the_host_links() {
    for shipped in ALL.iter().chain([&LIMIT_AIMD_NEXT]) {
        let (imports, _) = surface(shipped);
        let strangers: Vec<_> = imports.iter().filter(|import| !allowed(import)).collect();
        assert!(strangers.is_empty(), "{} imports {strangers:?}", shipped.name);
    }
}

#[test]
fn the_next_version_is_another_component_of_the_same_name() {
    let now = weir_shipped::find(LIMIT_AIMD_NEXT.name).unwrap();
    assert_ne!(now.version, LIMIT_AIMD_NEXT.version);
    assert_ne!(now.wasm, LIMIT_AIMD_NEXT.wasm);
}

#[test]
fn no_component_names_a_folder_of_this_machine() {
    let here = env!("CARGO_MANIFEST_DIR").trim_end_matches("/host/shipped").as_bytes();
    for shipped in ALL {
        let found = shipped.wasm.windows(here.len()).any(|window| window == here);
        assert!(!found, "{} holds the path of the workspace", shipped.name);
    }
}
