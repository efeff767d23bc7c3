//! Whole runs with the policies as components.

#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

use weir_core::{Fault, Slot};
use weir_sim::record::{Outcome, What};
use weir_sim::scenario::{Choice, Chosen};
use weir_sim::{Deciders, Plan, Record, Scenario, Workshop, run};

const TEXT: &str = r#"
duration = "2m"
drain = "10m"

[[upstream]]
name = "main"
kind = "anthropic"
limits = { concurrency = 4 }
[upstream.provider]
concurrency = 12
service = { mean = "1s", sigma = 0.6 }
window = [{ counts = "requests", limit = 900 }]

[[upstream]]
name = "spare"
kind = "openai"
limits = { concurrency = 2 }
base_weight = 4.0
[upstream.provider]
concurrency = 3
service = { mean = "2s" }
fault = [{ what = "error", share = 0.02 }]

[[tenant]]
name = "a"
[[tenant]]
name = "b"
weight = 2

[[demand]]
name = "steady"
tenant = "a"
open = { rate = 8 }
cancel = 0.05
[[demand]]
name = "agents"
tenant = "b"
agents = { count = 12 }
sessions = 4
"#;

fn plan() -> Plan {
    Scenario::parse(TEXT, "t.toml").unwrap().cases.remove(0)
}

fn ran(workshop: &Workshop, plan: &Plan, seed: u64) -> Record {
    let record = run(plan, seed, Deciders::Wasm(workshop), &mut |_| {}).unwrap();
    assert_eq!(record.sums.unsound, Vec::<String>::new());
    assert_eq!((record.sums.in_flight, record.sums.waiting), (0, 0));
    assert!(record.requests.iter().all(|request| request.outcome != Outcome::Open));
    record
}

/// The plan with a policy that misbehaves in a slot.
fn with_hostile(slot: Slot, settings: &str) -> (Plan, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hostile.wasm");
    std::fs::write(&path, weir_guests::HOSTILE).unwrap();
    let mut plan = plan();
    let choice = Choice { policy: Chosen::File(path), settings: settings.to_owned() };
    plan.policies.insert(slot, choice);
    (plan, folder)
}

#[test]
fn one_seed_gives_the_same_bytes_and_another_does_not() {
    let (workshop, other) = (Workshop::new().unwrap(), Workshop::new().unwrap());
    let first = ran(&workshop, &plan(), 1);
    assert!(first.requests.len() > 1_000);
    assert_eq!(first.digest(), ran(&other, &plan(), 1).digest());
    assert_ne!(first.digest(), ran(&workshop, &plan(), 2).digest());
}

#[test]
fn components_decide_and_the_fallback_does_not() {
    let record = ran(&Workshop::new().unwrap(), &plan(), 1);
    assert!(record.sums.fallbacks.is_empty(), "{:?}", record.sums.fallbacks);
    assert!(record.happened.iter().all(|one| !matches!(one.what, What::PolicyFault { .. })));
}

#[test]
fn a_policy_that_traps_in_the_middle_costs_no_request_and_is_told() {
    let workshop = Workshop::new().unwrap();
    for (slot, settings) in [
        (Slot::Limit, r#"{"on":"ended","do":"panic"}"#),
        (Slot::Schedule, r#"{"on":"pick","do":"panic"}"#),
        (Slot::Priority, r#"{"on":"place","do":"panic"}"#),
    ] {
        let (plan, _folder) = with_hostile(slot, settings);
        let record = ran(&workshop, &plan, 1);
        let done = record.requests.iter().filter(|r| r.outcome == Outcome::Done).count();
        assert!(done > 500, "{slot}: {done}");
        assert!(record.sums.fallbacks.get(&slot).is_some_and(|answers| *answers > 0), "{slot}");
        let faults = record.happened.iter().filter_map(|one| match &one.what {
            What::PolicyFault { slot, fault, .. } => Some((*slot, *fault)),
            _ => None,
        });
        assert!(faults.into_iter().any(|told| told == (slot, Fault::Trap)), "{slot}");
    }
}

#[test]
fn a_policy_is_swapped_in_the_middle() {
    let mut plan = plan();
    let swap = "[[swap]]\nat = \"1m\"\nslot = \"limit\"\nuse = \"limit-fixed\"\nsettings = { limit = 2 }\n";
    plan.swaps = Scenario::parse(&format!("{TEXT}{swap}"), "t.toml").unwrap().cases.remove(0).swaps;
    let record = ran(&Workshop::new().unwrap(), &plan, 1);
    let swapped = record.happened.iter().find_map(|one| match &one.what {
        What::PolicySwapped { name, .. } if name == "limit-fixed" => Some(one.at),
        _ => None,
    });
    assert!(swapped.is_some_and(|at| (60_000_000..61_000_000).contains(&at.0)), "{swapped:?}");
    let late = record.attempts.iter().filter(|attempt| attempt.sent.0 > 75_000_000);
    assert!(late.into_iter().all(|attempt| attempt.own_in_flight <= 2));
}

#[test]
fn a_policy_that_cannot_be_used_is_told_before_the_run() {
    let workshop = Workshop::new().unwrap();
    let mut missing = plan();
    let file = Choice { policy: Chosen::File("nowhere.wasm".into()), settings: String::new() };
    missing.policies.insert(Slot::Limit, file);
    let told = workshop.check(&missing).unwrap_err().to_string();
    assert!(told.starts_with("cannot read the policy nowhere.wasm"), "{told}");
    let mut unfit = plan();
    let policy = Chosen::Shipped("limit-aimd".to_owned());
    unfit.policies.insert(Slot::Limit, Choice { policy, settings: r#"{"celing":1}"#.to_owned() });
    let told = workshop.check(&unfit).unwrap_err().to_string();
    assert!(told.contains("limit-aimd") && told.contains("celing"), "{told}");
    let odd = run(&unfit, 1, Deciders::Wasm(&workshop), &mut |_| {});
    assert!(odd.is_err());
}
