//! What a file may say, and what it is told when it says something else.

use super::{Scenario, ScenarioError};

const GOOD: &str = r#"
duration = "10m"
warm_up = "150s"

[[upstream]]
name = "main"
kind = "openai"
limits = { concurrency = 8 }

[upstream.provider]
concurrency = 50
service = { mean = "2s", sigma = 0.8 }

[[demand]]
name = "work"
backlog = 100
"#;

/// The complaints about a good file in which one text stands for another.
fn told(from: &str, to: &str) -> String {
    assert!(GOOD.contains(from), "{from}");
    let text = GOOD.replace(from, to);
    match Scenario::parse(&text, "s.toml") {
        Ok(_) => "fine".to_owned(),
        Err(ScenarioError::Invalid(complaints)) => {
            complaints.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
        }
        Err(other) => other.to_string(),
    }
}

#[test]
fn a_bad_value_is_refused_with_its_place_and_how_to_mend_it() {
    let cases = [
        ("backlog = 100", "baklog = 100", "s.toml:16:1: demand[0].baklog: unknown key `baklog`"),
        ("backlog = 100", "baklog = 100", "did you mean `backlog`?"),
        (
            "backlog = 100",
            "open = { rate = -1 }",
            "demand[0].open.rate: -1 is not a number, 0 or more",
        ),
        ("backlog = 100", "open = { rate = nan }", "NaN is not a number, 0 or more"),
        ("backlog = 100", "open = { rate = 1e9 }", "more than 20000000 that a run can keep"),
        ("backlog = 100", "agents = { count = 100000 }", "more than 20000000 that a run can keep"),
        (
            "[[demand]]",
            "[policies]\nlimit = { use = \"none\", settings = { x = 1 } }\n[[demand]]",
            "fallback takes no settings",
        ),
        ("\"10m\"", "\"500d\"", "is not at most 400 days"),
        ("backlog = 100", "cancel = 1.5\nbacklog = 1", "1.5 is not a share from 0 to 1"),
        (
            "backlog = 100",
            "tenant = \"x\"\nbacklog = 1",
            "no tenant is named `x`; there are everybody",
        ),
        ("backlog = 100", "then = \"work\"\nbacklog = 1", "lead back to it"),
        ("backlog = 100", "", "nothing sends it"),
        ("backlog = 100", "from = \"20m\"\nbacklog = 1", "it ends before it begins"),
        ("backlog = 100", "merge = true\nbacklog = 1", "`merge` needs `sessions`"),
        ("concurrency = 50", "concurrency = 0", "a whole number above 0"),
        ("sigma = 0.8", "sigma = 9", "9 is not a spread from 0 to 3"),
        ("\"2s\"", "\"2 parsecs\"", "is not a span of time above 0"),
        ("\"150s\"", "\"10m\"", "it must be shorter than `duration`"),
        ("\"10m\"", "\"300d\"", "set a longer `sample`"),
        (
            "[[upstream]]",
            "[[tenant]]\nname = \"a\"\nweight = 0\n[[upstream]]",
            "a whole number above 0",
        ),
        (
            "[[demand]]",
            "[policies]\nlimit = { use = \"limit-amid\" }\n[[demand]]",
            "did you mean `limit-aimd`?",
        ),
        ("[[demand]]", "[instances]\ncount = 2\nterm = \"1s\"\n[[demand]]", "leases lapse"),
        (
            "[[demand]]",
            "[policies]\nlimit = { use = \"limit-aimd\", settings = { ceiling = 4 } }\n[[demand]]",
            "the limit starts at 8, above the policy's `ceiling` of 4",
        ),
    ];
    for (from, to, words) in cases {
        let told = told(from, to);
        assert!(told.contains(words), "{to}\n  told: {told}\n  not:  {words}");
    }
}

#[test]
fn all_that_is_wrong_is_told_at_once() {
    let told = told("backlog = 100", "tenant = \"x\"\nlane = \"y\"\nbacklog = 1");
    assert_eq!(told.lines().count(), 2, "{told}");
}

#[test]
fn cases_are_the_same_world_with_other_values() {
    let cases = r#"
[[case]]
name = "small"
set = { "upstream.main.provider.concurrency" = 10, "demand.0.backlog" = 7, duration = "5m" }
pass = [{ at_least = 1 }]

[[case]]
name = "as it is"
"#;
    let scenario = Scenario::parse(&format!("{GOOD}{cases}"), "a/limits.toml").unwrap();
    assert_eq!(scenario.name, "limits");
    let [small, plain] = scenario.cases.as_slice() else { panic!("two cases") };
    assert_eq!((small.case.as_str(), plain.case.as_str()), ("small", "as it is"));
    assert_eq!(small.providers[0].concurrency, Some(10));
    assert_eq!(plain.providers[0].concurrency, Some(50));
    assert_eq!((small.demands[0].bursts[0].1, plain.demands[0].bursts[0].1), (7, 100));
    assert_eq!((small.pass.len(), plain.pass.len()), (1, 0));
    assert!(small.duration < plain.duration);
}

#[test]
fn a_bad_value_of_a_case_is_refused_by_the_cases_name() {
    let case = |set: &str| format!("{GOOD}\n[[case]]\nname = \"odd\"\nset = {{ {set} }}\n");
    let sets = [
        ("\"upstream.main.provider.concurrency\" = 0", "a whole number above 0"),
        ("\"upstream.main.provider.concurency\" = 1", "did you mean `concurrency`?"),
        ("\"upstream.other.name\" = \"x\"", "`upstream` has no entry `other`"),
        ("\"duration.x\" = 1", "`duration` is no table"),
    ];
    for (set, words) in sets {
        let told = Scenario::parse(&case(set), "s.toml").unwrap_err().to_string();
        assert!(told.contains("s.toml:19:8: case `odd`:"), "{told}");
        assert!(told.contains(words), "{told}\n  not: {words}");
    }
}
