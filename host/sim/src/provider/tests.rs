//! What a provider takes, and what it refuses.

use super::*;
use crate::Scenario;

fn provider(more: &str) -> Provider {
    let text = format!(
        r#"
duration = "10m"
[[upstream]]
name = "main"
kind = "openai"
models = ["a", "b"]
[upstream.provider]
service = {{ mean = "2s" }}
{more}
[[demand]]
name = "work"
backlog = 1
"#
    );
    let scenario = Scenario::parse(&text, "p.toml").unwrap();
    Provider::new(&scenario.cases[0].providers[0], 0, 1)
}

const ASKED: Asked =
    Asked { model: 0, input: 100, output: 50, allowed: 80, luck: 0.0, service: None };

fn refusal(provider: &mut Provider, now: Micros, asked: Asked) -> Option<Refusal> {
    match provider.ask(now, asked).0 {
        Reply::Refuses { refusal, .. } => Some(refusal),
        _ => None,
    }
}

#[test]
fn one_more_than_it_takes_at_once_is_refused_until_one_leaves() {
    let mut provider = provider("concurrency = 2\nchange = [{ at = \"1m\", concurrency = 3 }]");
    let (reply, taken) = provider.ask(Micros::ZERO, ASKED);
    let (accepted, ended) = (Micros::from_millis(200), Micros::from_secs(2));
    assert_eq!(reply, Reply::Works { accepted, ended });
    assert_eq!(refusal(&mut provider, Micros::ZERO, ASKED), None);
    let many = Some(Refusal::TooMany { retry_after: None });
    assert_eq!(refusal(&mut provider, Micros::ZERO, ASKED), many);
    provider.leave(Micros::SECOND, taken, 50);
    assert_eq!(refusal(&mut provider, Micros::SECOND, ASKED), None);
    assert_eq!(refusal(&mut provider, Micros::SECOND, ASKED), many);
    assert_eq!(refusal(&mut provider, Micros::from_secs(60), ASKED), None, "it takes three now");
    assert_eq!(provider.in_flight(), 3);
}

#[test]
fn a_model_with_slots_of_its_own_leaves_the_others_alone() {
    let mut provider = provider("per_model = { a = 1 }");
    assert_eq!(refusal(&mut provider, Micros::ZERO, ASKED), None);
    assert!(refusal(&mut provider, Micros::ZERO, ASKED).is_some());
    assert_eq!(refusal(&mut provider, Micros::ZERO, Asked { model: 1, ..ASKED }), None);
}

#[test]
fn a_joint_window_counts_what_is_allowed_and_gives_back_what_was_not_made() {
    let mut provider = provider("window = [{ counts = \"tokens\", limit = 360 }]");
    let (_, taken) = provider.ask(Micros::ZERO, ASKED);
    assert_eq!(refusal(&mut provider, Micros::ZERO, ASKED), None);
    assert!(matches!(refusal(&mut provider, Micros::ZERO, ASKED), Some(Refusal::Window { .. })));
    assert_eq!(provider.facts(Micros::ZERO, 0).tokens.unwrap().remaining, Some(0));
    provider.leave(Micros::ZERO, taken, 50);
    assert_eq!(provider.facts(Micros::ZERO, 0).tokens.unwrap().remaining, Some(30));
}

#[test]
fn an_output_window_counts_what_is_made_and_can_be_overdrawn() {
    let mut provider = provider("window = [{ counts = \"output\", limit = 60, models = [\"a\"] }]");
    let (_, one) = provider.ask(Micros::ZERO, ASKED);
    let (_, two) = provider.ask(Micros::ZERO, ASKED);
    provider.leave(Micros::ZERO, one, 50);
    provider.leave(Micros::ZERO, two, 50);
    let Some(Refusal::Window { counts, wait, .. }) = refusal(&mut provider, Micros::ZERO, ASKED)
    else {
        panic!("it is overdrawn by 40")
    };
    assert_eq!((counts, wait.0 / 1_000_000), (Counted::Output, 41));
    assert_eq!(refusal(&mut provider, Micros::ZERO, Asked { model: 1, ..ASKED }), None);
}

#[test]
fn a_refused_request_takes_nothing() {
    let windows = "{ counts = \"requests\", limit = 9 }, { counts = \"input\", limit = 150 }";
    let mut provider = provider(&format!("window = [{windows}]"));
    assert_eq!(refusal(&mut provider, Micros::ZERO, ASKED), None);
    assert!(refusal(&mut provider, Micros::ZERO, ASKED).is_some(), "50 input tokens are left");
    assert_eq!(provider.facts(Micros::ZERO, 0).requests.unwrap().remaining, Some(8));
    assert_eq!(provider.in_flight(), 1);
}

#[test]
fn faults_strike_in_their_time() {
    let mut provider = provider(
        r#"fault = [
            { from = "10s", for = "10s", what = "throttle" },
            { from = "30s", for = "10s", what = "error", status = 502 },
            { from = "50s", for = "10s", what = "hang" },
            { from = "70s", for = "10s", what = "slow", factor = 3.0 },
        ]"#,
    );
    let mut at = |secs| provider.ask(Micros::from_secs(secs), ASKED).0;
    assert!(matches!(at(0), Reply::Works { .. }));
    let Reply::Refuses { refusal, fate, .. } = at(12) else { panic!("throttled") };
    assert_eq!(
        (refusal, fate),
        (Refusal::Throttle { wait: Micros::from_secs(8) }, Fate::Throttled)
    );
    assert!(matches!(at(35), Reply::Refuses { fate: Fate::Error, .. }));
    assert_eq!(at(55), Reply::Silent);
    assert!(matches!(at(75), Reply::Works { ended, .. } if ended == Micros::from_secs(6)));
}

#[test]
fn load_makes_it_slower_and_tokens_take_their_time() {
    let mut provider = provider("token_rate = 100.0\nload = { free = 1, slope = 0.5 }");
    let ended = |reply| match reply {
        Reply::Works { ended, .. } => ended,
        _ => panic!("it works"),
    };
    assert_eq!(ended(provider.ask(Micros::ZERO, ASKED).0), Micros::from_millis(2_500));
    assert_eq!(ended(provider.ask(Micros::ZERO, ASKED).0), Micros::from_millis(3_750));
}
