use super::*;
use crate::config::{Lane as LaneConfig, Limits, Model, Price, Tenant, Upstream};

fn config(lanes: &[&str], tenants: &[&str]) -> Config {
    let model = Model { name: "small".into(), limits: Limits::default(), price: Price::default() };
    Config {
        seed: 0,
        line: Default::default(),
        upstreams: vec![Upstream {
            name: "main".into(),
            kind: "openai".into(),
            limits: Limits::default(),
            base_weight: 1.0,
            models: vec![model],
        }],
        tenants: tenants
            .iter()
            .map(|name| Tenant {
                name: (*name).into(),
                weight: 1,
                limits: Limits::default(),
                quota: None,
            })
            .collect(),
        lanes: lanes
            .iter()
            .map(|name| LaneConfig { name: (*name).into(), candidates: vec![CandidateId(0)] })
            .collect(),
        retries: Default::default(),
        ramp: Default::default(),
    }
}

fn lesson(lane: u32, prompt_bytes: u64, input: u64, output: u64, size_class: u8) -> Lesson {
    let usage = Usage {
        input_counted: Tokens(input),
        input: Tokens(input),
        cached: Tokens::ZERO,
        output: Tokens(output),
    };
    Lesson {
        lane: LaneId(lane),
        tenant: TenantId(0),
        candidate: CandidateId(0),
        size_class,
        prompt_bytes,
        usage,
        first_content: Some(Micros::from_millis(200)),
        latency: Micros::from_millis(200 + 10 * output),
    }
}

#[test]
fn starts_with_four_bytes_a_token_and_all_that_is_allowed() {
    let estimator = Estimator::new(&config(&["small"], &["acme"]));
    let guess = estimator.estimate(LaneId(0), TenantId(0), 4_000, Some(Tokens(300)));
    assert_eq!((guess.input, guess.output), (Tokens(1_000), Tokens(300)));
    assert_eq!(guess.size_class, 1, "6.5 s at 50 tokens a second");
    let open = estimator.estimate(LaneId(0), TenantId(0), 4_000, None);
    assert_eq!(open.output, DEFAULT_OUTPUT);
}

#[test]
fn learns_ratio_output_and_speed() {
    let mut estimator = Estimator::new(&config(&["small"], &["acme", "other"]));
    for _ in 0..400 {
        let guess = estimator.estimate(LaneId(0), TenantId(0), 6_000, Some(Tokens(1_000)));
        estimator.learn(&lesson(0, 6_000, 2_000, 100, guess.size_class));
    }
    let guess = estimator.estimate(LaneId(0), TenantId(0), 6_000, Some(Tokens(1_000)));
    assert!((1_990..=2_010).contains(&guess.input.0), "{guess:?}");
    assert_eq!(guess.output, Tokens(103), "100 to the edge of its bucket");
    assert!(guess.expected < Micros::from_millis(1_300), "{guess:?}");
    assert!(guess.bound >= Micros::from_secs(10), "the bound is that of all that is allowed");
    let other = estimator.estimate(LaneId(0), TenantId(1), 6_000, None);
    assert_eq!(other.input, Tokens(1_500), "a ratio is one tenant's");
}

#[test]
fn keeps_what_it_learned_through_a_reload_by_name() {
    let mut estimator = Estimator::new(&config(&["small"], &["acme"]));
    (0..50).for_each(|_| estimator.learn(&lesson(0, 8_000, 1_000, 10, 0)));
    estimator.configure(&config(&["new", "small"], &["first", "acme"]));
    let kept = estimator.estimate(LaneId(1), TenantId(1), 8_000, Some(Tokens(50)));
    assert!(kept.input < Tokens(1_100) && kept.output == Tokens(10), "{kept:?}");
    let new = estimator.estimate(LaneId(0), TenantId(0), 8_000, Some(Tokens(50)));
    assert_eq!((new.input, new.output), (Tokens(2_000), Tokens(50)));
}
