use std::convert::Infallible;

use weir_core::units::Micros;

use super::*;
use crate::record::Sums;

const FILE: &str = r#"
duration = "10m"
[[upstream]]
name = "main"
kind = "openai"
[upstream.provider]
service = { mean = "2s" }
[[demand]]
name = "work"
backlog = 1
[[case]]
name = "alone"
[[case]]
name = "crowded"
pass = [{ measure = "in-flight-at-end", baseline = "alone", at_most = 2 }]
[[case]]
name = "empty"
pass = [{ measure = "in-flight-at-end", at_most = 0 }]
"#;

/// A world in which as many are left in flight as the case has letters, times the seed for all but the baseline.
fn run(plan: &Plan, seed: u64) -> Result<Record, Infallible> {
    let factor = if plan.case == "alone" { 1 } else { seed };
    let sums = Sums { in_flight: plan.case.len() as u64 * factor, ..Sums::default() };
    Ok(Record { seed, sums, duration: Micros::from_secs(600), ..Record::default() })
}

fn rows(threads: usize) -> Vec<Row> {
    let scenarios = [Scenario::parse(FILE, "s.toml").unwrap()];
    let check = Check::new(&scenarios).unwrap();
    let Ok(rows) = check.run(&[1, 2], threads, &run);
    rows
}

#[test]
fn a_level_is_compared_under_the_same_seed_and_every_seed_counts() {
    let rows = rows(1);
    let values: Vec<Vec<Option<f64>>> =
        rows.iter().map(|row| row.found.iter().map(|found| found.value).collect()).collect();
    assert_eq!(values, [[Some(1.4), Some(2.8)], [Some(5.0), Some(10.0)]]);
    assert_eq!(rows.iter().map(Row::is_met).collect::<Vec<_>>(), [false, false]);
    assert_eq!(rows[0].worst(), Some(2.8));
}

#[test]
fn a_level_that_means_nothing_is_refused() {
    let told = |from: &str, to: &str| {
        assert!(FILE.contains(from));
        let scenarios = [Scenario::parse(&FILE.replace(from, to), "s.toml").unwrap()];
        Check::new(&scenarios).unwrap_err().to_string()
    };
    for level in ["nan", "inf", "-inf"] {
        let said = told("at_most = 2", &format!("at_most = {level}"));
        assert!(said.ends_with("is no level; write a finite number"), "{said}");
    }
    let own = told("baseline = \"alone\"", "baseline = \"crowded\"");
    assert!(own.contains("a case cannot be its own `baseline`"), "{own}");
    let empty = told("baseline = \"alone\"", "baseline = \"\"");
    assert!(empty.contains("no case is named ``"), "{empty}");
}

#[test]
fn threads_change_nothing() {
    assert_eq!(rows(1), rows(3));
}

#[test]
fn a_bad_level_is_told_with_its_case() {
    let text = FILE.replace("baseline = \"alone\"", "baseline = \"alnoe\"");
    let scenarios = [Scenario::parse(&text, "s.toml").unwrap()];
    let told = Check::new(&scenarios).unwrap_err().to_string();
    assert!(told.starts_with("scenario `s`, case `crowded`: pass[0]: no case"), "{told}");
}
