//! Claims: what fits, what is short, and how reservations are settled.

#[path = "support/ledger.rs"]
mod support;

use support::*;
use weir_core::budget::Threshold;
use weir_core::cell::{Dimension, Scope};
use weir_core::claim::{Growth, Never, Short, Usage};
use weir_core::ids::CandidateId;
use weir_core::ledger::Ledger;
use weir_core::units::{Micros, NanoDollars, Tokens};
use weir_core::{Blocked, Facts, Window};

fn held(ledger: &Ledger, scope: Scope, dimension: Dimension) -> u64 {
    let cells = ledger.cells().iter();
    let found = cells.filter(|cell| cell.scope() == scope && cell.dimension() == dimension);
    found.map(|cell| cell.held()).sum()
}

fn exact(input: u64, output: u64) -> Usage {
    Usage::Exact(weir_core::Usage {
        input_counted: Tokens(input),
        input: Tokens(input),
        cached: Tokens::ZERO,
        output: Tokens(output),
    })
}

#[test]
fn a_claim_that_is_short_of_one_cell_takes_nothing() {
    let mut ledger = Ledger::new(at(0), &config());
    let _first = commit(&mut ledger, at(0), (MAIN, OTHER), 10, 6_000).unwrap();
    let short = not_until(commit(&mut ledger, at(0), (MAIN, ACME), 10, 100));
    assert_eq!((short.blocked, short.until), (Blocked::Output, Some(at(1))));
    assert_eq!(held(&ledger, Scope::Tenant(0), Dimension::Slots), 0);
    assert_eq!(held(&ledger, Scope::Account(0), Dimension::Requests), 1);
    let _held =
        commit(&mut ledger, at(1), (MAIN, ACME), 10, 100).expect("fits at the time that was said");
}

#[test]
fn waiting_for_slots_alone_is_told_apart() {
    let mut ledger = Ledger::new(at(0), &config());
    let running: Vec<_> =
        (0..8).map(|_| commit(&mut ledger, at(0), (MAIN, OTHER), 10, 10).unwrap()).collect();
    let short = not_until(commit(&mut ledger, at(0), (MAIN, OTHER), 10, 10));
    assert_eq!(short.slots_alone(), ledger.slots_of(MAIN));
    assert_eq!((short.blocked, short.until), (Blocked::Slots, None));
    let both = not_until(commit(&mut ledger, at(0), (MAIN, OTHER), 70_000, 10));
    assert_eq!((both.slots_alone(), both.slots), (None, ledger.slots_of(MAIN)));
    assert_eq!(both.blocked, Blocked::Input, "the model's cell is narrower than the account's");
    assert_eq!(running.len(), 8);
}

#[test]
fn a_tenants_own_cap_is_not_the_accounts() {
    let mut ledger = Ledger::new(at(0), &config());
    let _running: Vec<_> =
        (0..4).map(|_| commit(&mut ledger, at(0), (MAIN, ACME), 10, 10).unwrap()).collect();
    let short = not_until(commit(&mut ledger, at(0), (MAIN, ACME), 10, 10));
    assert_eq!((short.scope, short.slots_alone()), (Scope::Tenant(0), None));
    let _held = commit(&mut ledger, at(0), (MAIN, OTHER), 10, 10).expect("others go on");
}

#[test]
fn a_cap_of_zero_can_never_fit() {
    let mut config = config();
    config.tenants[0].limits.concurrency = Some(0);
    let mut ledger = Ledger::new(at(0), &config);
    let never = commit(&mut ledger, at(0), (MAIN, ACME), 10, 10);
    assert!(matches!(never, Err(Short::Never(Never { blocked: Blocked::Slots, capacity: 0, .. }))));
}

#[test]
fn settles_by_the_difference_and_prices_cached_input() {
    let mut ledger = Ledger::new(at(0), &config());
    let held = commit(&mut ledger, at(0), (MAIN, ACME), 60_000, 100).unwrap();
    let usage = weir_core::Usage {
        input_counted: Tokens(10_000),
        input: Tokens(50_000),
        cached: Tokens(40_000),
        output: Tokens(50),
    };
    let settled = ledger.settle(at(0), held, Usage::Exact(usage), &Facts::default());
    assert_eq!(settled.cost, NanoDollars(10_000_000 + 4_000_000 + 200_000));
    let room = ledger.room(at(0), MAIN, ACME).unwrap();
    assert_eq!(room.input, Tokens(39_950), "the tenant counts all input: 90,000 less 50,050");
    assert_eq!(ledger.room_of_any(at(0), MAIN).unwrap().input, Tokens(50_000));
    assert_eq!(ledger.budget_left(at(0), ACME).tokens, Some(Tokens(49_950)));
}

#[test]
fn refused_work_is_given_back_but_for_the_request_that_the_provider_counted() {
    let mut ledger = Ledger::new(at(0), &config());
    let held = commit(&mut ledger, at(0), (MAIN, ACME), 60_000, 100).unwrap();
    ledger.settle(at(0), held, Usage::Refused, &Facts::default());
    let room = ledger.room_of_any(at(0), MAIN).unwrap();
    assert_eq!((room.requests, room.input), (599, Tokens::MAX), "a full bucket takes any size");
    let held = commit(&mut ledger, at(0), (MAIN, ACME), 60_000, 100).unwrap();
    ledger.settle(at(0), held, Usage::Unsent, &Facts::default());
    assert_eq!(ledger.room_of_any(at(0), MAIN).unwrap().requests, 599);
    assert_eq!(ledger.budget_spent(at(0), ACME), 0);
}

#[test]
fn unknown_usage_keeps_the_reservation() {
    let mut ledger = Ledger::new(at(0), &config());
    let held = commit(&mut ledger, at(0), (MAIN, ACME), 1_000, 500).unwrap();
    let unknown = Usage::Unknown { output_seen: Tokens(700) };
    let settled = ledger.settle(at(0), held, unknown, &Facts::default());
    assert_eq!((settled.input, settled.output, settled.exact), (Tokens(1_000), Tokens(700), false));
    assert_eq!(ledger.budget_left(at(0), ACME).tokens, Some(Tokens(98_300)));
}

#[test]
fn streams_grow_into_debt_and_only_a_budget_cuts_them() {
    let mut ledger = Ledger::new(at(0), &config());
    let mut held = commit(&mut ledger, at(0), (MAIN, ACME), 100, 6_000).unwrap();
    assert_eq!(ledger.grow(at(0), &mut held, Tokens(8_000)), Growth::Reserved(Tokens(10_000)));
    let short = not_until(commit(&mut ledger, at(0), (MAIN, OTHER), 1, 1));
    assert!(short.until > Some(at(40)), "4,000 tokens of debt at 100 a second: {short:?}");
    assert_eq!(ledger.grow(at(0), &mut held, Tokens(90_000)), Growth::Reserved(Tokens(90_000)));
    let cut = ledger.grow(at(600), &mut held, Tokens(99_950));
    assert_eq!(cut, Growth::Cut { retry_after: Some(at(3_000)) });
    let crossed = ledger.crossings();
    assert_eq!(crossed.len(), 1);
    assert_eq!((crossed[0].tenant, crossed[0].threshold), (ACME, Threshold::Hard));
    ledger.check_sums([&held]).unwrap();
    ledger.settle(at(600), held, exact(100, 90_000), &Facts::default());
    ledger.check_sums([]).unwrap();
    assert_eq!(ledger.crossings()[0].threshold, Threshold::Soft);
}

#[test]
fn a_spent_budget_says_when_it_comes_back_and_more_than_all_of_it_never_fits() {
    let mut ledger = Ledger::new(at(0), &config());
    let held = commit(&mut ledger, at(0), (CandidateId(2), ACME), 90_000, 0).unwrap();
    ledger.settle(at(0), held, exact(90_000, 0), &Facts::default());
    let short = not_until(commit(&mut ledger, at(90), (CandidateId(2), ACME), 20_000, 0));
    assert_eq!((short.blocked, short.until), (Blocked::Budget, Some(at(3_600))));
    let never = commit(&mut ledger, at(90), (CandidateId(2), ACME), 200_000, 0);
    let Err(Short::Never(Never { blocked, needs, capacity, .. })) = never else { panic!() };
    assert_eq!((blocked, needs, capacity), (Blocked::Budget, 200_000, 100_000));
    let _held =
        commit(&mut ledger, at(3_600), (CandidateId(2), ACME), 20_000, 0).expect("a new period");
}

#[test]
fn headers_are_believed_less_what_is_on_its_way() {
    let mut ledger = Ledger::new(at(0), &config());
    let spare = CandidateId(2);
    let mut first = commit(&mut ledger, at(0), (spare, OTHER), 10, 10).unwrap();
    let window = Window { limit: Some(100), remaining: Some(99), reset: None };
    let facts = Facts { requests: Some(window), concurrency: Some(3), ..Facts::default() };
    ledger.accepted(at(0), &mut first, &facts);
    assert_eq!(ledger.room_of_any(at(0), spare).unwrap().requests, 99);
    let _second = commit(&mut ledger, at(0), (spare, OTHER), 10, 10).unwrap();
    let mut third = commit(&mut ledger, at(0), (spare, OTHER), 10, 10).unwrap();
    let facts = Facts { requests: Some(Window { remaining: Some(98), ..window }), ..facts };
    ledger.accepted(at(0), &mut third, &facts);
    let room = ledger.room_of_any(at(0), spare).unwrap();
    assert_eq!(room.requests, 97, "the second was sent and is not counted yet");
    assert_eq!(room.slots, 0, "three at once are stated");
    ledger.check_invariants().unwrap();
}

#[test]
fn a_parked_parent_gives_its_slot_and_takes_it_again() {
    let mut ledger = Ledger::new(at(0), &config());
    let mut parent = commit(&mut ledger, at(0), (MAIN, ACME), 10, 10).unwrap();
    ledger.park(at(0), &mut parent);
    assert_eq!(ledger.room(at(0), MAIN, ACME).unwrap().slots, 4);
    let children: Vec<_> =
        (0..4).map(|_| commit(&mut ledger, at(0), (MAIN, ACME), 10, 10).unwrap()).collect();
    assert!(not_until(ledger.unpark(at(0), &mut parent)).slots.is_some());
    ledger.check_sums(children.iter().chain([&parent])).unwrap();
    for child in children {
        ledger.settle(at(1), child, exact(10, 10), &Facts::default());
    }
    ledger.unpark(at(1), &mut parent).unwrap();
    ledger.settle(at(1), parent, exact(10, 10), &Facts::default());
    ledger.check_sums([]).unwrap();
}

#[test]
fn slots_kept_for_descendants_are_not_given_away() {
    let mut ledger = Ledger::new(at(0), &config());
    let root = claim(&ledger, (MAIN, OTHER), 10, 10).keeping(7);
    let _root = ledger.commit(at(0), root.clone()).unwrap();
    assert!(not_until(ledger.commit(at(0), root)).slots_alone().is_some());
    let _held =
        commit(&mut ledger, at(0), (MAIN, OTHER), 10, 10).expect("deeper ones keep fewer free");
}

#[test]
fn retries_are_charged_to_the_candidate_and_shared_among_tenants() {
    let mut ledger = Ledger::new(at(0), &config());
    (0..100).for_each(|_| ledger.retry_deposit(at(0), MAIN));
    assert_eq!(ledger.retries_left(at(0), MAIN, ACME), 60, "half of 20 and a reserve of 100");
    while ledger.retry_charge(at(0), MAIN, ACME) {}
    assert_eq!(ledger.retries_left(at(0), MAIN, ACME), 0);
    assert_eq!(ledger.retries_left(at(0), MAIN, OTHER), 60);
    assert_eq!(ledger.retries_left(at(0), LARGE, ACME), 50, "another model's is its own");
    assert_eq!(ledger.retries_left(at(0), CandidateId(2), ACME), 50, "another account's as well");
}

#[test]
fn a_reload_keeps_what_was_deposited_and_charged() {
    let mut ledger = Ledger::new(at(0), &config());
    (0..100).for_each(|_| ledger.retry_deposit(at(0), MAIN));
    assert!(ledger.retry_charge(at(0), MAIN, ACME));
    let mut next = config();
    next.retries.reserve_per_second = 1.0;
    ledger.configure(at(1), &next);
    assert_eq!(ledger.retries_left(at(1), MAIN, ACME), 14, "half of 20 and 10, less one");
    assert_eq!(ledger.retries_left(at(10), MAIN, ACME), 5, "the rest is ten seconds old");
}

#[test]
fn a_reload_keeps_what_stays_and_retires_the_rest() {
    let mut ledger = Ledger::new(at(0), &config());
    let held = commit(&mut ledger, at(0), (MAIN, ACME), 70_000, 10).unwrap();
    let slots = ledger.slots_of(MAIN);
    let mut next = config();
    next.upstreams.swap(0, 1);
    next.tenants.swap(0, 1);
    next.upstreams[1].models.remove(1);
    let changes = ledger.configure(at(0), &next);
    assert!(changes.opened.is_empty() && changes.retired.len() == 2, "{changes:?}");
    assert_eq!(ledger.slots_of(CandidateId(1)), slots);
    let short = not_until(commit(&mut ledger, at(0), (CandidateId(1), ACME), 1, 1));
    assert_eq!(short.until, Some(Micros(10_001_000)), "10,000 tokens of debt stay");
    next.upstreams.remove(1);
    let retired = ledger.configure(at(0), &next).retired;
    assert!(slots.is_some_and(|slots| retired.contains(&slots)));
    ledger.settle(at(1), held, exact(10, 10), &Facts::default());
    ledger.check_sums([]).unwrap();
    ledger.check_invariants().unwrap();
}
