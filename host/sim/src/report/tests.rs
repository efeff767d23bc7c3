use weir_core::units::Micros;

use super::*;
use crate::record::{Attempt, CellSample, Fate, Names, Outcome, Request, Sample};
use crate::scenario::Scenario;

const SECOND: u64 = 1_000_000;

/// A made-up run: `tenants` of rising weight, a request of each in turn every 10 ms, every seventh refused, and an
/// upstream that takes 20, then 12.
fn record(tenants: &[&str], upstreams: &[&str], requests: u32, samples: u32) -> Record {
    let end = u64::from(requests) * SECOND / 100;
    let names = Names {
        upstreams: upstreams.iter().map(|name| (*name).to_owned()).collect(),
        models: upstreams.iter().map(|_| vec!["m".to_owned()]).collect(),
        tenants: tenants.iter().map(|name| (*name).to_owned()).collect(),
        weights: (1..).take(tenants.len()).collect(),
        demands: vec!["all".to_owned()],
        lanes: vec!["m".to_owned()],
        instances: 1,
    };
    let place = |number: u32, of: usize| u16::try_from(number as usize % of.max(1)).unwrap();
    let request = |number: u32| Request {
        demand: 0,
        tenant: place(number, tenants.len()),
        instance: 0,
        class: 1,
        depth: 0,
        parent: None,
        arrived: Micros(u64::from(number) * SECOND / 100),
        first_sent: Some(Micros(u64::from(number) * SECOND / 100 + u64::from(number % 97) * 9_000)),
        left: None,
        outcome: Outcome::Done,
        attempts: 1,
        waited: Micros::ZERO,
    };
    let attempt = |number: u32| Attempt {
        request: number,
        instance: 0,
        upstream: place(number, upstreams.len()),
        model: 0,
        number: 1,
        sent: request(number).arrived,
        accepted: None,
        ended: Some(request(number).arrived + Micros(SECOND)),
        fate: if number.is_multiple_of(7) { Fate::TooMany } else { Fate::Success },
        parked: Micros::ZERO,
        input: 100,
        output: 50 * u32::from(1 + place(number, tenants.len())),
        reserved: 50,
        settled: None,
        in_flight: 1,
        own_in_flight: 1,
        limit: 20,
        hidden: 20,
        told_wait: None,
    };
    let sample = |number: u32| {
        let late = number > samples / 2;
        let cell = CellSample {
            limit: if late { 13 } else { 21 },
            effective: if late { 13 } else { 21 },
            in_flight: if late { 11 } else { 18 } + number % 3,
            hidden: if late { 12 } else { 20 },
            ..CellSample::default()
        };
        let at = Micros(end * u64::from(number) / u64::from(samples.max(1)));
        Sample { at, cells: vec![cell; upstreams.len()], waiting: Vec::new() }
    };
    Record {
        names,
        seed: 7,
        duration: Micros(end),
        finished: Micros(end),
        requests: (0..requests).map(request).collect(),
        attempts: (0..requests).map(attempt).collect(),
        samples: (0..samples).map(sample).collect(),
        ..Record::default()
    }
}

fn plan() -> Plan {
    let text = include_str!("../../../../examples/scenarios/03-limit-falls.toml");
    let scenario = Scenario::parse(text, "03-limit-falls.toml").unwrap();
    scenario.cases[0].clone()
}

fn page(record: &Record) -> String {
    let mut report = Report::new("limit <falls>");
    report.run("limit-aimd & others", &plan(), record).unwrap();
    report.html()
}

#[test]
fn a_page_has_a_plot_for_each_question_and_needs_nothing_from_outside() {
    let html = page(&record(&["acme", "bolt"], &["main", "spare"], 2_000, 500));
    assert_eq!(html.matches("<svg ").count(), 5, "two upstreams, 429s, waits, shares");
    for outside in ["<script", "<link", "@import", "url(", "src=", "href="] {
        assert!(!html.contains(outside), "{outside}");
    }
    assert!(html.contains("<td>acme</td><td>1</td><td>1000</td>"), "a row for each tenant");
}

#[test]
fn names_are_text() {
    let evil = "<b>\"&'";
    let html = page(&record(&[evil, "bolt"], &["<script>x</script>"], 200, 50));
    assert!(html.contains("&lt;b&gt;&quot;&amp;&#39;"));
    assert!(html.contains("<title>limit &lt;falls&gt;</title>"));
    assert!(html.contains("<h2>limit-aimd &amp; others</h2>"));
    assert!(!html.contains("<b>") && !html.contains("<script>"));
}

#[test]
fn a_long_run_of_many_stays_small() {
    let tenants: Vec<String> = (0..50).map(|number| format!("tenant {number}")).collect();
    let tenants: Vec<&str> = tenants.iter().map(String::as_str).collect();
    let record = record(&tenants, &["a", "b", "c", "d", "e", "f", "g"], 10_000, 20_000);
    let mut report = Report::new("long");
    for number in 0..=MOST_RUNS {
        report.run(&format!("run {number}"), &plan(), &record).unwrap();
    }
    let html = report.html();
    assert!(html.len() < 2_000_000, "{} bytes", html.len());
    assert!(html.contains("1 more upstreams are not drawn."));
    assert!(html.contains("1 more runs are not drawn."));
    assert!(html.contains("and 42 more, who were served less"));
}

#[test]
fn a_run_in_which_nothing_happened_is_drawn() {
    let html = page(&record(&["acme"], &["main"], 0, 0));
    assert_eq!(html.matches("<svg ").count(), 4);
    let nobody = page(&Record::default());
    assert_eq!(nobody.matches("<svg ").count(), 3);
}

#[test]
fn the_same_record_gives_the_same_bytes() {
    let record = record(&["acme", "bolt"], &["main"], 3_000, 900);
    assert_eq!(page(&record), page(&record));
}

#[test]
fn levels_stand_with_their_worst_value() {
    let found = [(Some(0.9), false), (Some(0.98), true)];
    let found = (1..).zip(found).map(|(seed, (value, met))| {
        let cut = false;
        crate::check::Found { seed, value, met, cut }
    });
    let mut report = Report::new("levels");
    report.levels(vec![Row {
        scenario: "s".to_owned(),
        case: "c".to_owned(),
        level: "in-flight-share".to_owned(),
        bound: crate::measure::Bound::AtLeast(0.97),
        found: found.collect(),
    }]);
    let html = report.html();
    assert!(
        html.contains("<td>&gt;= 0.97</td><td>0.9</td><td>missed (1 of 2 seeds)</td>"),
        "{html}"
    );
}
