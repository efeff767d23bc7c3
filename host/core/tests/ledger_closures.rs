//! Closures, ramps and the limit policy's answers.

#[path = "support/ledger.rs"]
mod support;

use support::*;
use weir_core::cell::{Dimension, Scope};
use weir_core::claim::Usage;
use weir_core::ids::CandidateId;
use weir_core::ledger::Ledger;
use weir_core::slots::Nonsense;
use weir_core::units::Micros;
use weir_core::{Blocked, Facts};
use weir_sdk::codes::{kind, reason, scope};
use weir_sdk::limit::Answer;

#[test]
fn a_token_window_closes_its_model_and_nothing_beside_it() {
    let mut ledger = Ledger::new(at(0), &config());
    let said = verdict(kind::INPUT_TOKEN_WINDOW, scope::MODEL, Some(at(20)));
    let frozen = ledger.freeze(at(0), MAIN, &said).unwrap();
    assert_eq!(frozen.target.scope, Scope::Model(0));
    assert_eq!((frozen.target.dimension, frozen.until), (Dimension::Input, Some(at(20))));
    assert!(frozen.target.known);
    let short = not_until(commit(&mut ledger, at(0), (MAIN, OTHER), 10, 10));
    assert_eq!((short.blocked, short.until), (Blocked::Closed, Some(at(20))));
    let _held =
        commit(&mut ledger, at(0), (LARGE, OTHER), 10, 10).expect("the other model goes on");
    assert_eq!(ledger.names(frozen.target.cell), ("main", "small"));
}

#[test]
fn each_kind_closes_its_own_cell() {
    let mut ledger = Ledger::new(at(0), &config());
    let mut target = |kind, scope| {
        let found = ledger.target(at(0), MAIN, &verdict(kind, scope, None))?;
        Some((found.scope, found.dimension, found.known))
    };
    let (account, model) = (Scope::Account(0), Scope::Model(0));
    for (kind, scope, expected) in [
        (kind::REQUEST_WINDOW, scope::UNKNOWN, Some((account, Dimension::Requests, false))),
        (kind::REQUEST_WINDOW, scope::MODEL, Some((model, Dimension::Requests, true))),
        (kind::OUTPUT_TOKEN_WINDOW, scope::UNKNOWN, Some((model, Dimension::Output, false))),
        (kind::TOKEN_WINDOW, scope::ACCOUNT, Some((account, Dimension::Tokens, true))),
        (kind::CONCURRENCY, scope::ACCOUNT, Some((account, Dimension::Slots, true))),
        (kind::OVERLOADED, scope::UNKNOWN, Some((account, Dimension::Slots, false))),
        (kind::BILLING, scope::ACCOUNT, Some((account, Dimension::Slots, true))),
        (kind::PRODUCT_QUOTA, scope::MODEL, Some((model, Dimension::Requests, true))),
        (kind::BAD_REQUEST, scope::UNKNOWN, None),
        (kind::REQUEST_WINDOW, scope::REQUEST, None),
        (kind::BUDGET, scope::TENANT, None),
        (kind::NETWORK, scope::UNKNOWN, None),
    ] {
        assert_eq!(target(kind, scope), expected, "{} of {}", kind::name(kind), scope::name(scope));
    }
}

#[test]
fn a_window_without_a_hint_backs_off_until_a_success() {
    let mut ledger = Ledger::new(at(0), &config());
    let said = verdict(kind::REQUEST_WINDOW, scope::ACCOUNT, None);
    let mut now = at(0);
    for expected in [1, 2, 4] {
        let until = ledger.freeze(now, MAIN, &said).unwrap().until.unwrap();
        assert_eq!(until, now.plus(at(expected)));
        now = until;
    }
    let held = commit(&mut ledger, now, (MAIN, OTHER), 10, 10).unwrap();
    ledger.succeeded(&held);
    ledger.settle(now, held, Usage::Unsent, &Facts::default());
    assert_eq!(ledger.freeze(now, MAIN, &said).unwrap().until, Some(now.plus(at(1))));
}

#[test]
fn slots_without_a_hint_are_left_to_the_policy() {
    let mut ledger = Ledger::new(at(0), &config());
    for code in [kind::CONCURRENCY, kind::OVERLOADED, kind::AUTH, kind::BILLING] {
        let frozen = ledger.freeze(at(0), MAIN, &verdict(code, scope::ACCOUNT, None)).unwrap();
        assert_eq!((frozen.until, frozen.lengthened), (None, false));
    }
}

#[test]
fn the_longest_closure_wins_and_then_the_limit_ramps() {
    let mut ledger = Ledger::new(at(0), &config());
    let slots = ledger.slots_of(MAIN).unwrap();
    let change = ledger.apply(at(0), slots, &answer(40)).unwrap().unwrap();
    assert_eq!((change.before, change.effective), (8, 40));
    assert_eq!(ledger.opening(slots).unwrap().start, 40, "the next policy inherits it");
    assert!(ledger.close(at(0), slots, at(30)));
    assert!(!ledger.close(at(1), slots, at(10)));
    let closed = Answer { closed_until: at(20).0, ..answer(40) };
    ledger.apply(at(1), slots, &closed).unwrap();
    assert_eq!(ledger.closed_until(at(29), slots), Some(at(30)));
    let limits: Vec<u32> = [29, 30, 31, 32, 33, 34]
        .map(|secs| ledger.view(at(secs), slots).unwrap().effective)
        .to_vec();
    assert_eq!(limits, [4, 4, 8, 16, 32, 40]);
    assert_eq!(ledger.next_open(at(30)), Some(at(31)));
    ledger.refused(Micros(31_500_000), slots);
    let held_back = ledger.view(at(32), slots).unwrap().effective;
    assert_eq!(held_back, 8, "a refusal holds the ramp for a step");
    let change = ledger.drift(at(40), slots).unwrap();
    assert_eq!((change.effective, change.reason), (40, reason::RECOVERED));
    assert_eq!(ledger.drift(at(40), slots), None);
    assert_eq!(ledger.next_open(at(40)), None);
}

#[test]
fn a_policy_says_what_a_closure_opens_with_after_the_verdict_has_closed_the_cell() {
    let mut ledger = Ledger::new(at(0), &config());
    let slots = ledger.slots_of(MAIN).unwrap();
    ledger.freeze(at(0), MAIN, &verdict(kind::CONCURRENCY, scope::ACCOUNT, Some(at(2)))).unwrap();
    assert_eq!(ledger.view(at(1), slots).unwrap().effective, 1);
    ledger.apply(at(1), slots, &Answer { reopen_with: 6, ..answer(6) }).unwrap();
    assert_eq!(ledger.view(at(2), slots).unwrap().effective, 6);
}

#[test]
fn a_window_comes_back_by_doubling_too() {
    let mut ledger = Ledger::new(at(0), &config());
    let spare = CandidateId(2);
    let slots = ledger.slots_of(spare).unwrap();
    ledger.apply(at(0), slots, &answer(100)).unwrap();
    let said = verdict(kind::REQUEST_WINDOW, scope::MODEL, Some(at(30)));
    ledger.freeze(at(0), spare, &said).unwrap();
    let mut starts = Vec::new();
    for secs in 29..36 {
        let mut count = 0;
        while let Ok(held) = commit(&mut ledger, at(secs), (spare, OTHER), 1, 1) {
            ledger.settle(at(secs), held, Usage::Unsent, &Facts::default());
            count += 1;
            if count == 200 {
                break;
            }
        }
        starts.push(count);
    }
    assert_eq!(starts, [0, 10, 20, 40, 80, 200, 200], "a tenth of the limit, then twice as many");
}

#[test]
fn a_success_admitted_before_the_closure_does_not_clear_it_and_an_operator_does() {
    let mut ledger = Ledger::new(at(0), &config());
    let held = commit(&mut ledger, at(0), (MAIN, OTHER), 10, 10).unwrap();
    let slots = held.slots();
    ledger.close(at(1), slots, at(60));
    ledger.succeeded(&held);
    assert_eq!(ledger.closed_until(at(2), slots), Some(at(60)));
    assert_eq!(ledger.reopen(at(2), "spare"), []);
    assert_eq!(ledger.reopen(at(2), "main"), [slots]);
    assert_eq!(ledger.view(at(2), slots).unwrap().effective, 8, "without a ramp");
    ledger.settle(at(2), held, Usage::Unsent, &Facts::default());
}

/// A policy says in each answer until when it wants a cell closed. Only news of it close.
#[test]
fn a_policy_that_repeats_itself_does_not_close_again_what_was_opened() {
    let mut ledger = Ledger::new(at(0), &config());
    let slots = ledger.slots_of(MAIN).unwrap();
    let closing = |secs| Answer { closed_until: at(secs).0, ..answer(8) };
    ledger.apply(at(0), slots, &closing(300)).unwrap();
    assert_eq!(ledger.closed_until(at(1), slots), Some(at(300)));
    assert_eq!(ledger.reopen(at(1), "main"), [slots]);
    ledger.apply(at(2), slots, &closing(300)).unwrap();
    assert_eq!(ledger.closed_until(at(2), slots), None);
    ledger.apply(at(3), slots, &closing(301)).unwrap();
    assert_eq!(ledger.closed_until(at(3), slots), Some(at(301)));
}

#[test]
fn answers_that_make_no_sense_change_nothing() {
    let mut ledger = Ledger::new(at(0), &config());
    let slots = ledger.slots_of(MAIN).unwrap();
    let month = at(31 * 24 * 3_600);
    for nonsense in [
        answer(1_000_001),
        Answer { caps: (0, 0, 0, u32::MAX), ..answer(3) },
        Answer { request_rate: Some(f64::NAN), ..answer(3) },
        Answer { token_rate: Some(0.0), ..answer(3) },
        Answer { request_rate: Some(f64::INFINITY), ..answer(3) },
        Answer { closed_until: month.0 + 1, ..answer(3) },
    ] {
        assert!(ledger.apply(at(0), slots, &nonsense).is_err(), "{nonsense:?}");
        assert_eq!(ledger.view(at(0), slots).unwrap().limit, 8);
    }
    let words = ledger.apply(at(0), slots, &answer(2_000_000)).unwrap_err().to_string();
    assert_eq!(words, "limit is 2000000; at most 1000000 makes sense");
    let no_cell = weir_core::ids::CellId(999);
    assert_eq!(ledger.apply(at(0), no_cell, &answer(1)), Err(Nonsense::NoSuchCell(no_cell)));
}

#[test]
fn size_classes_rates_marks_and_wakes_of_an_answer_hold() {
    let mut ledger = Ledger::new(at(0), &config());
    let slots = ledger.slots_of(MAIN).unwrap();
    let said =
        Answer { caps: (1, 0, 0, 0), request_rate: Some(2.0), wake: at(5).0, mark: 7, ..answer(8) };
    ledger.apply(at(0), slots, &said).unwrap();
    let held = commit(&mut ledger, at(0), (MAIN, OTHER), 10, 10).unwrap();
    assert_eq!((held.stamp().mark, held.stamp().in_flight, held.stamp().limit), (7, 1, 8));
    assert!(not_until(commit(&mut ledger, at(0), (MAIN, OTHER), 10, 10)).slots_alone().is_some());
    let long = ledger.claim(MAIN, OTHER, &demand(10, 10), 3).unwrap();
    let _second = ledger.commit(at(0), long.clone()).unwrap();
    let short = not_until(ledger.commit(at(0), long));
    assert_eq!((short.blocked, short.until), (Blocked::Requests, Some(Micros(500_000))));
    assert_eq!((ledger.next_open(at(0)), ledger.due_wakes(at(4))), (Some(at(5)), vec![]));
    assert_eq!((ledger.due_wakes(at(5)), ledger.due_wakes(at(5))), (vec![slots], vec![]));
    let view = ledger.view(Micros(900_000), slots).unwrap();
    assert_eq!((view.starts_1s, view.starts_60s, view.in_flight), (2, 2, 2));
    assert_eq!(ledger.view(at(2), slots).unwrap().starts_1s, 0);
}
