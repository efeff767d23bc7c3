//! Whole runs with policies compiled natively.

use crate::record::{Fate, Outcome, Record};
use crate::scenario::Scenario;
use crate::{Deciders, run};

const HEAD: &str = r#"
duration = "5m"
drain = "10m"
[line]
default_deadline = "1h"
"#;

const MAIN: &str = r#"
[[upstream]]
name = "main"
kind = "openai"
limits = { concurrency = 8 }
[upstream.provider]
concurrency = 20
service = { mean = "2s", sigma = 0.8 }
"#;

/// Runs a text to its end; every run must add up.
fn ran(text: &str, seed: u64) -> Record {
    let scenario = Scenario::parse(text, "t.toml").unwrap();
    let record = run(&scenario.cases[0], seed, Deciders::Native, &mut |_| {}).unwrap();
    assert_eq!(record.sums.unsound, Vec::<String>::new());
    record
}

fn count(record: &Record, outcome: Outcome) -> usize {
    record.requests.iter().filter(|request| request.outcome == outcome).count()
}

/// Nothing is left: every request left and every attempt ended.
fn assert_empty(record: &Record) {
    assert_eq!((record.sums.in_flight, record.sums.waiting), (0, 0));
    assert_eq!(count(record, Outcome::Open), 0);
    assert!(record.attempts.iter().all(|attempt| attempt.ended.is_some()));
}

#[test]
fn one_seed_gives_the_same_bytes_and_another_does_not() {
    let text =
        format!("{HEAD}{MAIN}[[demand]]\nname = \"work\"\nopen = {{ rate = 5 }}\ncancel = 0.1");
    let first = ran(&text, 1);
    assert!(first.requests.len() > 1_300);
    assert_eq!(first.digest(), ran(&text, 1).digest());
    assert_ne!(first.digest(), ran(&text, 2).digest());
}

#[test]
fn open_arrivals_are_served_and_the_run_ends_when_nothing_is_left() {
    let record = ran(&format!("{HEAD}{MAIN}[[demand]]\nname = \"work\"\nopen = {{ rate = 3 }}"), 3);
    assert_empty(&record);
    assert_eq!(count(&record, Outcome::Done), record.requests.len());
    assert!(record.finished.0 < 400_000_000, "{:?}", record.finished);
    assert!(record.attempts.iter().all(|attempt| attempt.in_flight <= 21));
    let refused = record.attempts.iter().filter(|a| a.fate == Fate::TooMany).count();
    let sent_twice = record.requests.iter().filter(|request| request.attempts > 1).count();
    assert!(refused >= sent_twice);
}

#[test]
fn agents_wait_for_their_answers() {
    let demand = "[[demand]]\nname = \"work\"\nagents = { count = 4, think = { mean = \"1s\" } }";
    let record = ran(&format!("{HEAD}{MAIN}{demand}"), 4);
    assert_empty(&record);
    assert!(record.attempts.iter().all(|attempt| attempt.own_in_flight <= 4));
    let mut inside = 0_i32;
    let mut changes: Vec<_> = record.requests.iter().map(|r| (r.arrived, 1)).collect();
    changes.extend(record.requests.iter().filter_map(|r| Some((r.left?, -1))));
    changes.sort_unstable();
    for (_, change) in changes {
        inside += change;
        assert!(inside <= 4);
    }
}

#[test]
fn callers_who_go_away_leave_nothing_behind() {
    let demand = "[[demand]]\nname = \"work\"\nopen = { rate = 20 }\ncancel = 0.5\n\
                  [[tenant]]\nname = \"all\"\nquota = { tokens = 1000000000, period = \"1d\" }";
    let record = ran(&format!("{HEAD}{MAIN}{demand}"), 5);
    assert_empty(&record);
    let book = &record.books[0];
    assert_eq!((book.admitted, book.in_flight), (record.attempts.len() as u64, 0));
    let settled: u64 = record.attempts.iter().map(|attempt| attempt.settled.unwrap()).sum();
    let quota = book.quotas[0].unwrap();
    assert_eq!(quota.tokens - quota.unspent, settled, "the core's own budget says the same");
    assert_eq!(settled, record.sums.input.plus(record.sums.output).0);
    let gone = count(&record, Outcome::Cancelled);
    assert!(gone > record.requests.len() / 4, "{gone}");
    assert!(record.attempts.iter().any(|attempt| attempt.fate == Fate::Cancelled));
}

#[test]
fn a_parent_parks_while_its_children_run() {
    let trees = r#"
[[demand]]
name = "parent"
agents = { count = 6 }
most = 60
children = { of = ["child"], least = 2, most = 4 }
[[demand]]
name = "child"
"#;
    let record = ran(&format!("{HEAD}{MAIN}{trees}"), 6);
    assert_empty(&record);
    assert_eq!(count(&record, Outcome::Done), record.requests.len());
    let parents: Vec<_> = record.requests.iter().filter(|r| r.parent.is_none()).collect();
    assert_eq!(parents.len(), 60);
    assert!(record.requests.iter().filter(|r| r.parent.is_some()).all(|child| child.depth == 1));
    let children = record.requests.len() - 60;
    assert!((120..=240).contains(&children), "{children}");
    let parked = record.attempts.iter().filter(|attempt| attempt.parked.0 > 0).count();
    assert!(parked >= 60, "{parked}");
    for child in record.requests.iter().filter(|request| request.parent.is_some()) {
        let parent = &record.requests[child.parent.unwrap() as usize];
        assert!(child.arrived >= parent.arrived && child.left <= parent.left);
    }
}

#[test]
fn the_fan_out_policy_is_asked_and_nothing_is_left_over() {
    let trees = r#"
[[demand]]
name = "parent"
backlog = 4
[demand.children]
of = ["child"]
least = 6
budget = { tokens = 9000, reserve = 1000 }
[[demand]]
name = "child"
"#;
    let record = ran(&format!("{HEAD}{MAIN}{trees}"), 7);
    assert_empty(&record);
    assert!(
        record.happened.iter().any(|one| matches!(one.what, crate::record::What::Fanout { .. }))
    );
    assert_eq!(record.requests.iter().filter(|r| r.parent.is_none()).count(), 4);
}

#[test]
fn a_dead_provider_times_out_and_comes_back() {
    let main = MAIN.replace(
        "[upstream.provider]",
        "timeouts = { headers = \"10s\", total = \"60s\" }\n[upstream.provider]\n\
         fault = [{ from = \"60s\", for = \"60s\", what = \"hang\" }]",
    );
    let demand = "[[demand]]\nname = \"work\"\nagents = { count = 30 }";
    let record = ran(&format!("{HEAD}{main}{demand}"), 8);
    let timed_out: Vec<_> =
        record.attempts.iter().filter(|attempt| attempt.fate == Fate::TimedOut).collect();
    assert!(!timed_out.is_empty());
    assert!(timed_out.iter().all(|a| a.ended.unwrap().minus(a.sent).0 == 10_000_000));
    let late = record.attempts.iter().filter(|a| a.sent.0 > 200_000_000);
    assert!(late.filter(|attempt| attempt.fate == Fate::Success).count() > 100);
}

#[test]
fn a_newer_update_takes_the_place_of_one_that_waits() {
    let text = format!(
        "{HEAD}{}[[demand]]\nname = \"update\"\nopen = {{ rate = 20 }}\nsessions = 2\nmerge = true\n\
         then = \"last\"\n[[demand]]\nname = \"last\"",
        MAIN.replace("concurrency = 8", "concurrency = 1")
            .replace("concurrency = 20", "concurrency = 1"),
    );
    let record = ran(&text, 9);
    assert_empty(&record);
    assert!(count(&record, Outcome::Merged) > 1_000);
    let updates = record.requests.iter().filter(|r| r.demand == 0 && r.outcome == Outcome::Done);
    let last = record.requests.iter().filter(|request| request.demand == 1).count();
    assert_eq!(updates.count(), last, "each that was answered is followed by one");
}

#[test]
fn deadlines_and_long_streams_end_as_they_should() {
    let main = MAIN.replace("service", "token_rate = 50.0\nservice");
    let demand = "[[demand]]\nname = \"work\"\nopen = { rate = 1 }\ndeadline = \"5s\"\n\
                  output = { mean = 600, sigma = 0.5 }\ndeclares = 0.2";
    let record = ran(&format!("{HEAD}{main}{demand}"), 10);
    assert_empty(&record);
    let bound = |request: &&crate::record::Request| {
        request.left.unwrap().minus(request.arrived).0 <= 5_000_000
    };
    assert!(record.requests.iter().all(|request| bound(&request)));
    assert!(record.attempts.iter().any(|attempt| attempt.fate == Fate::Cancelled));
}

#[test]
fn hosts_share_an_account_and_a_dead_ones_slots_come_back() {
    let text = format!(
        "{HEAD}{}[[demand]]\nname = \"work\"\nagents = {{ count = 400 }}\n[instances]\ncount = 4\n\
         kill = [{{ at = \"150s\", instance = 3 }}]",
        MAIN.replace("concurrency = 20", "concurrency = 100"),
    );
    let record = ran(&text, 11);
    let sums = |sample: &crate::record::Sample| sample.cells.iter().map(|c| c.limit).sum::<u32>();
    let at = |secs: usize| sums(&record.samples[secs]);
    assert!(at(140) >= 60, "{}", at(140));
    assert!(at(175) >= 60, "what the dead one had is leased to the others: {}", at(175));
    assert!(record.samples[175].cells[3].limit == 0);
    assert!(count(&record, Outcome::Lost) > 0);
    assert!(record.attempts.iter().filter(|a| a.fate == Fate::Lost).all(|a| a.instance == 3));
}
