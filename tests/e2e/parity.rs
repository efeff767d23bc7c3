//! The same arrivals, live and simulated, are admitted in the same order.
//!
//! A gateway governs a real provider over real sockets and writes its journal. The simulator replays the journal with the
//! same components. Who goes next is compared: by tenant, since which of a tenant's equal requests goes first is
//! told by microseconds of its arrival.

use std::time::Duration;

use weir_core::Slot;
use weir_core::units::Micros;
use weir_sim::record::Record;
use weir_sim::scenario::{Choice, Chosen};
use weir_sim::{Deciders, Journal, Workshop};

use crate::support::{Gateway, Mock, http, until};

/// Three at once, 150 ms each.
const PROVIDER: &str = r#"
seed = 1

[[provider]]
name = "main"
kind = "openai"
models = ["m"]
limits = { concurrency = 3 }
latency = { mean_ms = 150.0, sigma = 0.0 }
output = { mean = 10.0, sigma = 0.0 }
"#;

/// Name, which is the key as well; the key's hash; weight.
const TENANTS: [(&str, &str, u32); 3] = [
    ("one", "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed", 1),
    ("two", "3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3", 1),
    ("four", "04efaf080f5a3e74e1c29d1ca6a48569382cbbcd324e8d59d2b83ef21c039f00", 2),
];
const EACH: usize = 16;
/// Between two arrivals; all have come before the first answer has.
const APART: Duration = Duration::from_millis(3);

fn settings(mock: &Mock, journal: &str) -> String {
    let mut text = format!(
        "[[upstream]]\nname = \"main\"\nkind = \"openai\"\nbase_url = \"{}\"\nmodels = [\"m\"]\n\
         limits = {{ concurrency = 3 }}\n\n[policies]\nlimit = {{ use = \"limit-fixed\" }}\n\n\
         [journal]\npath = \"{journal}\"\n",
        mock.url("main")
    );
    for (name, hash, weight) in TENANTS {
        text += "\n[[tenant]]\n";
        text += &format!("name = \"{name}\"\nkey_sha256 = \"{hash}\"\nweight = {weight}\n");
    }
    text
}

/// Sends all requests, tenant after tenant in turn, and waits for the answers.
fn send(gateway: &Gateway) {
    let url = format!("{}/v1/chat/completions", gateway.url());
    let body =
        br#"{"model": "m", "max_tokens": 10, "messages": [{"role": "user", "content": "hello"}]}"#;
    std::thread::scope(|scope| {
        for _ in 0..EACH {
            for (name, ..) in TENANTS {
                let bearer = format!("Bearer {name}");
                let url = &url;
                scope.spawn(move || {
                    let response = http::post(url, &[("authorization", &bearer)], body);
                    assert_eq!(response.status, 200, "{response:?}");
                });
                #[expect(
                    clippy::disallowed_methods,
                    reason = "arrivals are spaced, nothing is waited for"
                )]
                std::thread::sleep(APART);
            }
        }
    });
}

/// The tenants in the order of their admissions, live.
fn live(journal: &Journal) -> Vec<usize> {
    let sent = |seen: &weir_sim::journal::Seen| {
        let answer = seen.answer.as_ref().expect("every request was answered");
        (answer.at.minus(answer.latency), seen.arrived.tenant.0 as usize)
    };
    let mut order: Vec<(Micros, usize)> = journal.requests.iter().map(sent).collect();
    order.sort_unstable();
    order.into_iter().map(|(_, tenant)| tenant).collect()
}

/// The tenants in the order of their admissions, simulated.
fn simulated(record: &Record) -> Vec<usize> {
    let sent = |attempt: &weir_sim::record::Attempt| {
        (attempt.sent, record.requests[attempt.request as usize].tenant.into())
    };
    let mut order: Vec<(Micros, usize)> = record.attempts.iter().map(sent).collect();
    order.sort_unstable();
    order.into_iter().map(|(_, tenant)| tenant).collect()
}

/// How many of each tenant are among the first.
fn counts(order: &[usize], first: usize) -> [i64; 3] {
    let mut counts = [0; 3];
    order.iter().take(first).for_each(|tenant| counts[*tenant] += 1);
    counts
}

#[test]
fn the_same_arrivals_are_admitted_in_the_same_order_live_and_simulated() {
    let mock = Mock::start(PROVIDER);
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("journal.jsonl");
    let gateway = Gateway::start(&settings(&mock, &path.display().to_string()));
    send(&gateway);
    until("all is settled", Duration::from_secs(10), || {
        gateway.metric("weir_inflight_requests") == 0.0
    });
    assert_eq!(gateway.terminate(), Some(0));
    let journal = Journal::load(&path).expect("a journal");
    assert_eq!((journal.requests.len(), journal.skipped, journal.lost), (EACH * 3, 0, 0));

    let mut plan = journal.plan();
    let fixed = Chosen::Shipped("limit-fixed".to_owned());
    plan.policies.insert(Slot::Limit, Choice { policy: fixed, settings: String::new() });
    let workshop = Workshop::new().expect("an engine");
    let record = weir_sim::run(&plan, plan.seed, Deciders::Wasm(&workshop), &mut |_| {});
    let record = record.expect("a run");

    let (live, simulated) = (live(&journal), simulated(&record));
    assert_eq!(live.len(), simulated.len());
    let apart = |first: usize| {
        let (a, b) = (counts(&live, first), counts(&simulated, first));
        a.iter().zip(b).map(|(a, b)| (a - b).abs()).max().unwrap_or_default()
    };
    let worst = (1..=live.len()).map(apart).max().unwrap_or_default();
    let same = live.iter().zip(&simulated).filter(|(a, b)| a == b).count();
    println!("{same} of {} admissions at the same place, counts at most {worst} apart", live.len());
    assert!(worst <= 1, "live {live:?}\nsimulated {simulated:?}");
}
