//! The worked script of the examples is a script.

use weir_mock::{Kind, Script};

#[test]
fn the_worked_script_parses() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/mock/providers.toml");
    let script = Script::parse(&std::fs::read_to_string(file).unwrap(), file).unwrap();
    let kinds: Vec<Kind> = script.providers.iter().map(|provider| provider.kind).collect();
    assert_eq!(kinds, [Kind::OpenAi, Kind::Anthropic, Kind::OpenAi]);
    assert_eq!(script.providers[0].limits.concurrency, Some(6));
    assert_eq!(script.providers[1].faults.len(), 3);
    assert_eq!(script.providers[2].faults.len(), 9);
}
