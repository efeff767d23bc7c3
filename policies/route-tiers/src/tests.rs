use weir_sdk::native;
use weir_sdk::testing::{candidate, request};

use super::*;

const SETTINGS: &str = r#"{
    "tiers": [{"name": "small", "candidates": ["*-mini"]},
              {"name": "middle", "candidates": ["*-medium", "b/*"]},
              {"name": "large", "candidates": ["a/*"]}],
    "rules": [{"class": 0, "tier": "large"}, {"class": 1, "tier": "middle"},
              {"class": 2, "tier": "small", "wait_ms": 5000, "dearer": 2.0}]
}"#;

/// Candidates 1 small, 2 and 3 middle, 4 large, 5 of no tier, with rising prices.
fn five() -> [Candidate; 5] {
    [1, 2, 3, 4, 5].map(|id| Candidate { cost_per_1k: 1_000 * u64::from(id), ..candidate(id) })
}

fn start(settings: &str) -> Box<dyn native::Route> {
    let mut policy = native::route::<Tiers>(settings, 0).unwrap();
    let names = ["a/gpt-mini", "a/gpt-medium", "b/gpt", "a/gpt", "c/gpt"];
    let named =
        |(id, name): (u64, &&str)| Named { kind: names::CANDIDATE, id, name: (*name).to_owned() };
    policy.names(&(1..).zip(&names).map(named).collect::<Vec<_>>());
    policy
}

fn order(settings: &str, class: u8, candidates: &[Candidate]) -> Vec<Choice> {
    start(settings).order(0, &Request { class, ..request(1) }, candidates, 0)
}

fn ids(order: &[Choice]) -> Vec<u32> {
    order.iter().map(|choice| choice.candidate).collect()
}

fn rule(rule: &str) -> String {
    format!(
        r#"{{"tiers": [{{"name": "small", "candidates": ["*-mini"]}}, {{"name": "rest", "candidates": ["*"]}}],
            "rules": [{{"class": 2, "tier": "small", {rule}}}]}}"#
    )
}

#[test]
fn each_class_goes_to_its_tier_first() {
    assert_eq!(order(SETTINGS, 0, &five())[0].candidate, 4);
    assert_eq!(order(SETTINGS, 1, &five())[0].candidate, 2);
    assert_eq!(order(SETTINGS, 2, &five())[0].candidate, 1);
}

#[test]
fn the_way_out_is_nearest_first_and_no_dearer_than_allowed() {
    // Large: 2 and 3 are one tier away, 1 two; 5 is dearer than 4.
    let large = order(SETTINGS, 0, &five());
    assert_eq!(ids(&large), [4, 2, 3, 1]);
    assert_eq!((large[0].reason, large[1].reason), (Place::Own as u16, Place::Other as u16));
    // Small at 1000 and twice as dear at most: 2 alone.
    assert_eq!(ids(&order(SETTINGS, 2, &five())), [1, 2]);
}

#[test]
fn a_bound_in_dollars_holds_as_well() {
    // 3000 billionths a thousand tokens are 0.003 dollars a million.
    let bounded = rule(r#""dearer": 100.0, "most_usd": 0.003"#);
    assert_eq!(ids(&order(&bounded, 2, &five())), [1, 2, 3]);
    assert_eq!(ids(&order(&rule(r#""dearer": 100.0"#), 2, &five())), [1, 2, 3, 4, 5]);
}

#[test]
fn without_one_of_the_tier_only_the_cheapest_is_left_or_what_dollars_allow() {
    let rest = &five()[1..];
    let cheapest = order(&rule(r#""dearer": 100.0"#), 2, rest);
    assert_eq!(ids(&cheapest), [2]);
    assert_eq!(cheapest[0].reason, Place::Cheapest as u16);
    assert_eq!(ids(&order(&rule(r#""most_usd": 0.003"#), 2, rest)), [2, 3]);
    assert_eq!(ids(&order(&rule(r#""most_usd": 0.000001"#), 2, rest)), [2]);
}

#[test]
fn strict_stays_in_the_tier_while_there_is_one() {
    assert_eq!(ids(&order(&rule(r#""strict": true, "dearer": 100.0"#), 2, &five())), [1]);
    assert_eq!(ids(&order(&rule(r#""strict": true"#), 2, &five()[1..])), [2]);
}

#[test]
fn within_a_tier_load_decides_and_the_last_has_the_patience() {
    let mut all = five();
    (all[1].in_flight, all[2].in_flight) = (5, 4);
    let order = order(SETTINGS, 1, &all);
    assert_eq!(ids(&order), [3, 2, 1]);
    let patience: Vec<_> = order.iter().map(|choice| choice.patience).collect();
    assert_eq!(patience, [0, 1_000_000, 0]);
}

#[test]
fn one_of_the_tier_that_fits_comes_before_a_less_loaded_one_that_does_not() {
    let mut all = five();
    all[1].fits = false;
    all[2].in_flight = 9;
    assert_eq!(ids(&order(SETTINGS, 1, &all))[..2], [3, 2]);
}

#[test]
fn what_fails_of_the_tier_comes_after_the_way_out() {
    for change in [|one: &mut Candidate| one.tries = 1, |one: &mut Candidate| one.success = 0.4] {
        let mut all = five();
        change(&mut all[0]);
        let order = order(SETTINGS, 2, &all);
        assert_eq!(ids(&order), [2, 1]);
        assert_eq!(order[1].reason, Place::Failing as u16);
        assert!(order.iter().all(|choice| choice.patience == 0), "{order:?}");
    }
}

#[test]
fn a_class_without_a_rule_goes_anywhere_and_equals_share() {
    let mut policy = start("");
    let mut first = |draw| policy.order(0, &request(1), &five(), draw)[0];
    assert_eq!([first(0).candidate, first(u64::MAX).candidate], [1, 5]);
    assert_eq!(first(0).reason, Place::Free as u16);
    assert_eq!(ids(&order(SETTINGS, 7, &five())).len(), 5);
}

#[test]
fn a_candidate_that_is_gone_has_no_tier() {
    let mut policy = start(SETTINGS);
    policy.forget(&[(names::CANDIDATE, 1)]);
    let order = policy.order(0, &Request { class: 2, ..request(1) }, &five(), 0);
    assert_eq!(order[0].reason, Place::Cheapest as u16);
}

#[test]
fn no_candidates_give_no_order() {
    assert!(order(SETTINGS, 0, &[]).is_empty());
    assert!(order("", 0, &[]).is_empty());
}

#[test]
fn settings_that_contradict_each_other_are_refused_with_words() {
    let refused = |settings: &str| native::route::<Tiers>(settings, 0).err().unwrap();
    let small = r#"{"name": "small", "candidates": ["*"]}"#;
    let cases = [
        (
            r#"{"rules": [{"class": 3, "tier": "small"}]}"#.to_owned(),
            "the rule for class 3 names tier `small`, which is not in `tiers`; they are: none",
        ),
        (format!(r#"{{"tiers": [{small}, {small}]}}"#), "two tiers are named `small`"),
        (
            format!(
                r#"{{"tiers": [{small}], "rules": [{{"class": 1, "tier": "small"}}, {{"class": 1, "tier": "small"}}]}}"#
            ),
            "two rules are for class 1",
        ),
        (
            r#"{"tiers": [{"candidates": ["*"]}]}"#.to_owned(),
            "setting `tiers` entry 0 has no `name`; give it one",
        ),
        (
            r#"{"tiers": [{"name": "x"}]}"#.to_owned(),
            "tier `x` has no `candidates`; list patterns of `upstream/model`, such as \"*mini\"",
        ),
        (
            r#"{"tiers": [{"name": "x", "candidates": [""]}]}"#.to_owned(),
            "tier `x` has an empty pattern; `*` matches all",
        ),
        (
            r#"{"rules": [{"class": 256}]}"#.to_owned(),
            "setting `rules` entry 0: setting `class` is 256; it must be at least 0 and at most 255",
        ),
    ];
    for (settings, words) in cases {
        assert_eq!(refused(&settings), words);
    }
}

#[test]
fn reasons_have_words() {
    let policy = start("");
    assert!((1..=5).all(|reason| policy.explain(reason) != "unknown"));
    assert_eq!(policy.explain(99), "unknown");
}
