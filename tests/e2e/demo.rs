//! `weir demo --json`: what it found, not how long it took.

use serde_json::Value;

use crate::support::{root, text, weir};

/// The upstreams and how many requests each really serves at once.
const HIDDEN: [(&str, u64); 2] = [("openai-mock", 6), ("anthropic-mock", 3)];
const START_LIMIT: u64 = 8;

#[test]
fn every_governed_agent_finishes_and_a_policy_is_replaced_under_way() {
    let run = weir(root(), &["demo", "--json"]);
    let printed = text(&run.stdout);
    let report: Value = serde_json::from_str(&printed).expect("one object and nothing else");
    assert_eq!(run.status.code(), Some(0), "{}\n{printed}", text(&run.stderr));

    let number = |key: &str| report[key].as_u64().expect(key);
    assert_eq!((number("agents"), number("finished")), (30, 30));
    assert_eq!((number("agent_429"), number("lost"), number("swaps")), (0, 0, 1));
    assert_eq!(number("requests"), 120);
    percentiles(&report["latency_ms"]);
    percentiles(&report["ungoverned"]["latency_ms"]);
    ungoverned(&report);
    limits(&report["limit_changes"]);
    policies(&report["policies"]);
}

/// Without a governor most agents give up, and the providers refuse far more.
fn ungoverned(report: &Value) {
    let number = |key: &str| report["ungoverned"][key].as_u64().expect(key);
    assert_eq!(number("finished") + number("failed"), 30);
    assert!(number("failed") >= 10, "{report}");
    let (without, with) = (number("upstream_429"), report["upstream_429"].as_u64().expect("429s"));
    assert!(without > 2 * with, "{without} refusals without a governor, {with} with one");
}

fn percentiles(latency: &Value) {
    let [p50, p90, p99] = ["p50", "p90", "p99"].map(|key| latency[key].as_u64().expect(key));
    assert!(0 < p50 && p50 <= p90 && p90 <= p99, "{latency}");
}

/// Each upstream's limit is cut from the start below it, and climbs again.
fn limits(changes: &Value) {
    let changes = changes.as_array().expect("a list");
    for (upstream, hidden) in HIDDEN {
        let of_it = changes.iter().filter(|change| change["upstream"] == upstream);
        let of_it: Vec<(u64, &str)> = of_it
            .map(|change| {
                let limit = change["limit"].as_u64().expect("a limit");
                (limit, change["reason"].as_str().expect("a reason"))
            })
            .collect();
        let has = |reason| of_it.iter().any(|(_, its)| *its == reason);
        assert!(has("rate_limited") && has("recovered"), "{upstream}: {of_it:?}");
        assert_eq!(of_it[0], (START_LIMIT * 3 / 4, "rate_limited"), "{upstream}");
        let least = of_it.iter().map(|(limit, _)| *limit).min().expect("a change");
        assert!(least <= hidden, "{upstream} serves {hidden}: {of_it:?}");
    }
}

/// The policies at the end: the limit policy's other build among them.
fn policies(policies: &Value) {
    let policies = policies.as_array().expect("a list");
    let at = |slot: &str| policies.iter().find(|policy| policy["slot"] == slot).expect(slot);
    assert_eq!(
        (&at("limit")["name"], &at("limit")["version"]),
        (&"limit-aimd".into(), &"0.2.0".into())
    );
    assert_eq!(at("schedule")["name"], "schedule-drr");
    for policy in policies {
        assert!(policy["digest"].as_str().is_some_and(|digest| digest.len() >= 64), "{policy}");
    }
}
