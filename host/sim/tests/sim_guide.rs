//! What the scenarios' README says is what the simulator does.

#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

use std::path::Path;

use weir_sim::check::Check;
use weir_sim::measure::Measure;
use weir_sim::{Deciders, Scenario, Workshop, run};

fn guide() -> String {
    let file = "../../examples/scenarios/README.md";
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap()
}

#[test]
fn every_measure_is_explained() {
    let wrong: toml::Table = toml::from_str("measure = 'none-such'").unwrap();
    let words = wrong.try_into::<Measure>().unwrap_err().to_string();
    let (_, known) = words.split_once("expected one of").unwrap();
    let names: Vec<&str> = known.split('`').filter(|word| word.contains('-')).collect();
    assert!(names.len() > 20, "{words}");
    let guide = guide();
    for name in names {
        assert!(guide.contains(&format!("`{name}`")), "{name} is not explained");
    }
}

#[test]
fn the_example_of_the_guide_runs_and_its_levels_are_met() {
    let guide = guide();
    let (_, rest) = guide.split_once("```toml\n").unwrap();
    let (text, _) = rest.split_once("```").unwrap();
    let scenarios = [Scenario::parse(text, "README.md").unwrap()];
    let check = Check::new(&scenarios).unwrap();
    let workshop = Workshop::new().unwrap();
    let rows =
        check.run(&[1], 1, &|plan, seed| run(plan, seed, Deciders::Wasm(&workshop), &mut |_| {}));
    let rows = rows.unwrap();
    assert!(!rows.is_empty());
    for row in rows {
        assert!(row.is_met(), "{} {}: {:?}", row.level, row.bound, row.worst());
    }
}
