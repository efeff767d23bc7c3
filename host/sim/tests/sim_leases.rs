//! What learns for all hosts that share an account is no host's own.

#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

use weir_core::Slot;
use weir_core::units::Micros;
use weir_sim::record::What;
use weir_sim::scenario::{Choice, Chosen};
use weir_sim::{Deciders, Plan, Record, Scenario, Workshop, run};

const TEXT: &str = r#"
duration = "2m"
drain = "5m"

[[upstream]]
name = "main"
kind = "openai"
limits = { concurrency = 9 }
[upstream.provider]
concurrency = 30
service = { mean = "1s", sigma = 0.5 }

[[demand]]
name = "work"
agents = { count = 60 }

[instances]
count = 3
"#;

const DEATH: Micros = Micros::from_secs(20);

/// Three hosts, of which one dies, and what else is written.
fn plan(dies: u32, besides: &str) -> Plan {
    let kill = format!("kill = [{{ at = \"20s\", instance = {dies} }}]\n{besides}");
    Scenario::parse(&format!("{TEXT}{kill}"), "t.toml").unwrap().cases.remove(0)
}

/// The plan with a limit policy that misbehaves.
fn hostile(dies: u32, settings: &str) -> (Plan, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hostile.wasm");
    std::fs::write(&path, weir_guests::HOSTILE).unwrap();
    let mut plan = plan(dies, "");
    let choice = Choice { policy: Chosen::File(path), settings: settings.to_owned() };
    plan.policies.insert(Slot::Limit, choice);
    (plan, folder)
}

fn ran(plan: &Plan) -> Record {
    let workshop = Workshop::new().unwrap();
    let record = run(plan, 1, Deciders::Wasm(&workshop), &mut |_| {}).unwrap();
    assert_eq!(record.sums.unsound, Vec::<String>::new());
    record
}

/// Faults of the limit policy that are told after the death.
fn faults(record: &Record) -> usize {
    let late = record.happened.iter().filter(|one| one.at > DEATH);
    late.filter(|one| matches!(one.what, What::PolicyFault { slot: Slot::Limit, .. })).count()
}

#[test]
fn faults_of_what_learns_are_told_and_counted_whoever_has_died() {
    for dies in [0, 2] {
        let (plan, _folder) = hostile(dies, r#"{"on":"ended","do":"panic"}"#);
        let record = ran(&plan);
        assert!(faults(&record) > 0, "with host {dies} dead");
        let fallbacks = record.sums.fallbacks.get(&Slot::Limit).copied().unwrap_or(0);
        assert!(fallbacks > 1_000, "no answer to any of the attempts' ends: {fallbacks}");
    }
}

#[test]
fn an_answer_without_sense_is_the_learners_fault() {
    let (plan, _folder) = hostile(0, r#"{"on":"ended","do":"nonsense"}"#);
    let record = ran(&plan);
    let first = record.happened.iter().filter(|one| one.at < Micros::from_secs(60));
    let faults = first.filter(|one| matches!(one.what, What::PolicyFault { .. }));
    assert_eq!(faults.count(), 3, "it rests then, and no host's own policy is blamed");
    assert!(record.sums.fallbacks.contains_key(&Slot::Limit));
}

#[test]
fn what_learns_does_what_is_due_whoever_has_died() {
    // A state that is too large to be taken, every ten seconds: each host's own policy fails with it, and the learner.
    let told = [0, 2].map(|dies| {
        let (plan, _folder) = hostile(dies, r#"{"on":"save","do":"panic"}"#);
        faults(&ran(&plan))
    });
    assert!(told[0] > 0 && told[0] == told[1], "{told:?}");
}

#[test]
fn what_learns_is_swapped_once_and_says_so_whoever_has_died() {
    let swap = "[[swap]]\nat = \"40s\"\nslot = \"limit\"\nuse = \"limit-fixed\"\n\
                settings = { limit = 4 }\n";
    for dies in [0, 2] {
        let record = ran(&plan(dies, swap));
        let swapped = record.happened.iter().filter(
            |one| matches!(&one.what, What::PolicySwapped { name, .. } if name == "limit-fixed"),
        );
        assert_eq!(swapped.count(), 3, "two hosts that live, and the learner");
        let late = record.attempts.iter().filter(|it| it.sent > Micros::from_secs(60));
        assert!(late.into_iter().all(|attempt| attempt.in_flight <= 4));
    }
}
