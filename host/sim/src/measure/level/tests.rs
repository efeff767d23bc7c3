use super::*;
use crate::scenario::Scenario;

fn levels(pass: &str) -> Result<Vec<Level>, LevelError> {
    let text = format!(
        r#"
        duration = "10m"
        warm_up = "1m"
        [[upstream]]
        name = "main"
        kind = "openai"
        [upstream.provider]
        service = {{ mean = "2s" }}
        [[demand]]
        name = "work"
        backlog = 1
        [[pass]]
        {pass}
        "#
    );
    let scenario = Scenario::parse(&text, "s.toml").unwrap();
    Level::all(&scenario.cases[0], &["alone"])
}

#[test]
fn a_level_says_what_it_is() {
    let pass = r#"
        measure = "completion"
        demand = "work"
        percentile = 99
        baseline = "alone"
        until = "5m"
        at_most = 1.15
    "#;
    let level = levels(pass).unwrap().remove(0);
    assert_eq!(level.to_string(), "completion work p99 until 5m / alone");
    assert_eq!(level.bound.to_string(), "<= 1.15");
    assert!(level.is_met(Some(1.15)) && !level.is_met(Some(1.16)) && !level.is_met(None));
    assert!(!level.is_met(Some(f64::INFINITY)), "what is never reached meets nothing");
}

#[test]
fn a_table_that_is_no_level_is_refused_with_words() {
    let cases = [
        ("measure = \"in-flight-sahre\"\nat_least = 1", "did you mean `in-flight-share`?"),
        ("measure = \"makespan\"\ndemnad = \"work\"\nat_most = 1", "did you mean `demand`?"),
        ("measure = \"makespan\"", "`makespan` needs one of `at_least` and `at_most`"),
        ("measure = \"makespan\"\nat_least = 1\nat_most = 1", "needs one of"),
        ("at_least = 1", "missing key `measure`"),
        ("measure = \"makespan\"\ndemand = \"wrok\"\nat_most = 1", "did you mean `work`?"),
        ("measure = \"makespan\"\nbaseline = \"aloen\"\nat_most = 1", "did you mean `alone`?"),
        ("measure = \"makespan\"\nuntil = \"30s\"\nat_most = 1", "has no time to be taken from"),
        ("measure = \"makespan\"\nfrom = \"soon\"\nat_most = 1", "\"soon\" is not a time"),
        ("measure = \"wait\"\npercentile = 101\nat_most = 1", "101 is not a percentile"),
    ];
    for (pass, words) in cases {
        let told = levels(pass).unwrap_err().to_string();
        assert!(told.starts_with("pass[0]: "), "{told}");
        assert!(told.contains(words), "{pass}\n  told: {told}");
    }
}
