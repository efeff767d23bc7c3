use std::fmt::Write;

use weir_core::journal::Left;
use weir_core::units::Tokens;

use super::*;
use crate::record::Outcome;
use crate::{Deciders, Scenario, run};

const SCENARIO: &str = r#"
duration = "1m"
[[upstream]]
name = "main"
kind = "openai"
models = ["m"]
limits = { concurrency = 2 }
provider.service = { mean = "5s" }
[[tenant]]
name = "idle"
[[tenant]]
name = "acme"
[[demand]]
name = "work"
backlog = 1
"#;

fn header() -> Line {
    let mut config = Scenario::parse(SCENARIO, "s.toml").unwrap().cases.remove(0).core;
    config.tenants.reverse();
    let (version, program) = (VERSION, "0.0.0".to_owned());
    Line::Header(Box::new(Header { version, program, wall_ms: 0, at: Micros::ZERO, config }))
}

/// A request of `acme`, which is the first tenant of the journal and the second of the scenario.
fn arrived(item: u64, at_s: u64) -> Line {
    Line::Arrived(Box::new(Arrived {
        at: Micros::from_secs(at_s),
        item: ItemId(item),
        tenant: weir_core::ids::TenantId(0),
        session: item % 2,
        task: 0,
        parent: None,
        lane: weir_core::ids::LaneId(0),
        class: Some(1),
        deadline: None,
        prompt_bytes: 400,
        body_bytes: 500,
        max_output: Some(Tokens(300)),
        prefix: vec![7, item],
        idempotent: true,
    }))
}

fn ended(item: u64, verdict: &str, at_s: u64, latency_s: u64) -> Line {
    Line::Ended(Ended {
        at: Micros::from_secs(at_s),
        item: ItemId(item),
        attempt: weir_core::ids::AttemptId(item),
        candidate: weir_core::ids::CandidateId(0),
        number: 1,
        waited: Micros::ZERO,
        verdict: verdict.to_owned(),
        latency: Micros::from_secs(latency_s),
        first_content: None,
        input: Tokens(90),
        cached: Tokens(0),
        output: Tokens(20 * item),
        exact: true,
        last: true,
    })
}

fn text(lines: &[Line]) -> String {
    lines.iter().fold(String::new(), |mut text, line| {
        writeln!(text, "{}", serde_json::to_string(line).unwrap()).unwrap();
        text
    })
}

/// Four requests from second 100 on: two answered, one refused and then left, one whose caller left.
fn lines() -> Vec<Line> {
    let (item, at) = (ItemId(3), Micros::from_secs(107));
    vec![
        header(),
        arrived(1, 100),
        ended(1, "success", 104, 4),
        arrived(2, 102),
        arrived(3, 103),
        ended(3, "request_window", 104, 1),
        Line::Left(Left { at, item, why: "cancelled".to_owned() }),
        arrived(4, 110),
        ended(4, "success", 112, 2),
        ended(9, "success", 113, 2),
        Line::Lost { lines: 2 },
    ]
}

fn read(text: &str) -> Result<Journal, JournalError> {
    Journal::read(text.as_bytes())
}

#[test]
fn a_cut_or_strange_line_is_skipped_and_counted() {
    let whole = text(&lines());
    let torn = format!("{whole}{{\"unheard\":1}}\n\n{}", &text(&[arrived(5, 120)])[..40]);
    let journal = read(&torn).unwrap();
    assert_eq!((journal.skipped, journal.lost, journal.requests.len()), (3, 2, 4));
    assert_eq!(journal.requests, read(&whole).unwrap().requests);
}

#[test]
fn what_is_no_journal_is_refused_with_words() {
    let refused = |text: &str| read(text).unwrap_err().to_string();
    for text in ["", "hello\n", &text(&[arrived(1, 1)])] {
        assert!(refused(text).starts_with("the first line is no header of a journal"), "{text}");
    }
    let later = text(&[header()]).replacen("\"version\":1", "\"version\":2", 1);
    let words = "the journal is of version 2, and this program reads version 1";
    assert_eq!(refused(&later), words);
    let empty = "the journal has no request; 1 of its lines cannot be read";
    assert_eq!(refused(&format!("{}x", text(&[header()]))), empty);
}

#[test]
fn a_header_that_serves_nobody_is_refused() {
    let Line::Header(mut header) = header() else { panic!("a header") };
    header.config.upstreams.clear();
    let error = read(&text(&[Line::Header(header), arrived(1, 1)])).unwrap_err();
    assert!(matches!(error, JournalError::Nobody), "{error}");
}

#[test]
fn requests_of_nobody_and_to_nowhere_are_counted() {
    let mut strange = arrived(7, 111);
    let Line::Arrived(line) = &mut strange else { panic!("an arrival") };
    line.tenant = weir_core::ids::TenantId(9);
    let journal = read(&(text(&lines()) + &text(&[strange]))).unwrap();
    assert_eq!((journal.stray, journal.skipped, journal.requests.len()), (1, 0, 4));
}

#[test]
fn a_second_run_in_one_file_is_refused_by_its_line() {
    let twice = text(&lines()).repeat(2);
    let told = read(&twice).unwrap_err().to_string();
    assert!(told.starts_with("line 12 of the journal begins another run"), "{told}");
    let Line::Header(mut later) = header() else { panic!("a header") };
    later.at = Micros::from_secs(115);
    let rotated = text(&lines()) + &text(&[Line::Header(later), arrived(5, 120)]);
    assert_eq!(read(&rotated).unwrap().requests.len(), 5);
}

#[test]
fn requests_come_at_their_times_with_their_sizes() {
    let plan = read(&text(&lines())).unwrap().plan();
    let recorded = &plan.demands[0].recorded;
    let second = |at| Micros::from_secs(at);
    let times: Vec<_> = recorded.iter().map(|one| one.at).collect();
    assert_eq!(times, [second(0), second(2), second(3), second(10)]);
    assert_eq!(plan.duration, second(11));
    // What was never answered is like the mean of what was.
    let sizes: Vec<_> = recorded.iter().map(|one| (one.output, one.service)).collect();
    let mean = (50, Some(second(3)));
    assert_eq!(sizes, [(20, Some(second(4))), mean, mean, (80, Some(second(2)))]);
    let patience: Vec<_> = recorded.iter().map(|one| one.patience).collect();
    assert_eq!(patience, [None, None, Some(second(4)), None]);
    assert_eq!(plan.providers[0].concurrency, Some(2));
    assert_eq!(plan.demands[0].name, "acme m class 1");
}

#[test]
fn a_journal_runs_as_it_was_recorded() {
    let plan = read(&text(&lines())).unwrap().plan();
    let record = run(&plan, 1, Deciders::Native, &mut |_| {}).unwrap();
    let times: Vec<_> = record
        .requests
        .iter()
        .map(|one| (one.arrived.0 / 1_000_000, one.left.unwrap().0 / 1_000_000, one.outcome))
        .collect();
    // Two slots: the first is in flight until 4 and the second until 5; the caller of the third leaves at 7.
    let done = |arrived, left| (arrived, left, Outcome::Done);
    assert_eq!(times, [done(0, 4), done(2, 5), (3, 7, Outcome::Cancelled), done(10, 12)]);
    let again = run(&plan, 1, Deciders::Native, &mut |_| {}).unwrap();
    assert_eq!(record.digest(), again.digest());
}

#[test]
fn in_a_scenario_its_providers_say_how_long_it_takes_and_names_are_found() {
    let journal = read(&text(&lines())).unwrap();
    let world = Scenario::parse(SCENARIO, "s.toml").unwrap().cases.remove(0);
    let plan = journal.plan_in(&world).unwrap();
    assert_eq!(plan.demands.len(), 1);
    assert_eq!(plan.demands[0].tenant, weir_core::ids::TenantId(1));
    let record = run(&plan, 1, Deciders::Native, &mut |_| {}).unwrap();
    assert_eq!(record.requests[0].left, Some(Micros::from_secs(5)));
    let mut other = world;
    other.core.tenants[1].name = "bolt".to_owned();
    let words = "the journal has a tenant `acme` that the scenario lacks; it has: idle, bolt";
    assert_eq!(journal.plan_in(&other).unwrap_err().to_string(), words);
}
