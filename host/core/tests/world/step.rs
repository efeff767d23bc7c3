//! Single rules of the step.

use weir_core::ids::{AttemptId, ItemId, TenantId};
use weir_core::units::{Micros, Tokens};
use weir_core::{Bound, Fallback, Input, Next, Output, Refusal};

use crate::provider::Provider;
use crate::run::{World, arrival, config, response, slots, success};

/// A world whose providers say nothing: tests end attempts by hand.
fn quiet(config: weir_core::Config) -> World<Fallback> {
    World::new(config, Fallback::new(), Vec::new())
}

fn admitted(world: &World<Fallback>) -> Vec<(u64, u64)> {
    let pairs = world.outputs.iter().filter_map(|output| match output {
        Output::Admit(admit) => Some((admit.item.0, admit.attempt.0)),
        _ => None,
    });
    pairs.collect()
}

fn refusals(world: &World<Fallback>) -> Vec<(u64, Refusal)> {
    let pairs = world.outputs.iter().filter_map(|output| match output {
        Output::Refuse { item, refusal } => Some((item.0, *refusal)),
        _ => None,
    });
    pairs.collect()
}

#[test]
fn a_request_is_admitted_and_ends_and_the_next_takes_its_slot() {
    let mut world = quiet(config(&[("a", slots(1))], 1));
    world.step(Input::Arrive(arrival(1)));
    world.step(Input::Arrive(arrival(2)));
    assert_eq!(admitted(&world), [(1, 1)]);
    world.step(Input::Ended { attempt: AttemptId(1), end: success(10) });
    assert_eq!(admitted(&world), [(1, 1), (2, 2)]);
    world.step(Input::Ended { attempt: AttemptId(2), end: success(10) });
    world.assert_empty();
}

#[test]
fn the_line_is_bounded_and_says_when_to_come_back() {
    let mut config = config(&[("a", slots(1))], 1);
    config.line.max_items = 2;
    let mut world = quiet(config);
    for item in 1..=4 {
        world.step(Input::Arrive(arrival(item)));
    }
    let refused = refusals(&world);
    assert_eq!(refused.len(), 1);
    assert!(matches!(refused[0], (4, Refusal::Full { retry_after }) if retry_after > Micros(0)));
}

#[test]
fn a_deadline_in_the_line_is_kept_to_the_microsecond() {
    let mut world = quiet(config(&[("a", slots(1))], 1));
    world.step(Input::Arrive(arrival(1)));
    let late = weir_core::Arrival { deadline: Some(Micros(5_000)), ..arrival(2) };
    world.step(Input::Arrive(late));
    assert_eq!(world.core.next_wake(), Some(Micros(5_000)));
    world.run_until(Micros(5_000));
    assert_eq!(refusals(&world), [(2, Refusal::Expired)]);
}

#[test]
fn a_cancelled_request_leaves_at_once_and_is_never_admitted() {
    let mut world = quiet(config(&[("a", slots(1))], 1));
    world.step(Input::Arrive(arrival(1)));
    world.step(Input::Arrive(arrival(2)));
    world.step(Input::Cancel { item: ItemId(2) });
    world.step(Input::Ended { attempt: AttemptId(1), end: success(10) });
    assert_eq!(admitted(&world), [(1, 1)]);
    world.assert_empty();
}

#[test]
fn a_refusal_before_work_is_flow_control_and_waits_for_the_hint() {
    let mut world = quiet(config(&[("a", slots(2))], 1));
    world.step(Input::Arrive(arrival(1)));
    world.step(Input::Ended { attempt: AttemptId(1), end: response(429, &[("retry-after", "3")]) });
    let again = world.outputs.iter().any(|output| {
        let hint = Micros::from_secs(3);
        matches!(output, Output::Ended { next: Next::Again { not_before }, settled, .. }
            if *not_before == hint && settled.output == Tokens(0))
    });
    assert!(again, "{:?}", world.outputs);
    world.run_until(Micros(2_999_999));
    assert_eq!(admitted(&world).len(), 1, "nothing is sent before the hint");
    world.run_until(Micros(3_000_001));
    assert_eq!(admitted(&world).len(), 2);
    assert_eq!(world.core.counters().flow_control, 1);
    assert_eq!(world.core.counters().retried, 0);
}

#[test]
fn a_closure_past_the_deadline_refuses_at_once() {
    let mut world = quiet(config(&[("a", slots(1))], 1));
    world.step(Input::Arrive(arrival(1)));
    let soon = Some(Micros::from_secs(2));
    world.step(Input::Arrive(weir_core::Arrival { deadline: soon, ..arrival(2) }));
    world
        .step(Input::Ended { attempt: AttemptId(1), end: response(429, &[("retry-after", "30")]) });
    let refused = refusals(&world);
    assert!(
        matches!(refused[..], [(2, Refusal::NotUntil { retry_after, .. })]
            if retry_after == Micros::from_secs(30)),
        "{refused:?}"
    );
}

#[test]
fn content_that_was_sent_is_never_tried_again() {
    let mut world = quiet(config(&[("a", slots(1))], 1));
    world.step(Input::Arrive(arrival(1)));
    let end = weir_core::End { sent: weir_core::Sent::Content, ..response(500, &[]) };
    world.step(Input::Ended { attempt: AttemptId(1), end });
    let gave_up = world.count(|output| {
        matches!(output, Output::Ended { next: Next::GiveUp(up), .. } if up.why == Bound::AlreadySent)
    });
    assert_eq!(gave_up, 1);
    world.assert_empty();
}

#[test]
fn a_failure_is_retried_after_the_policy_wait_and_charges_the_budget() {
    let mut world = quiet(config(&[("a", slots(1))], 1));
    world.step(Input::Arrive(arrival(1)));
    world.step(Input::Ended { attempt: AttemptId(1), end: response(500, &[]) });
    world.run_until(Micros::from_millis(199));
    assert_eq!(admitted(&world).len(), 1);
    world.run_until(Micros::from_millis(200));
    assert_eq!(admitted(&world).len(), 2);
    assert_eq!(world.core.counters().retried, 1);
}

#[test]
fn a_tenants_own_cap_holds_up_nobody_else() {
    let mut config = config(&[("a", slots(4))], 2);
    config.tenants[0].limits.concurrency = Some(1);
    let mut world = quiet(config);
    for item in 1..=3 {
        world.step(Input::Arrive(arrival(item)));
    }
    let other = weir_core::Arrival { tenant: TenantId(1), ..arrival(4) };
    world.step(Input::Arrive(other));
    assert_eq!(admitted(&world), [(1, 1), (4, 2)]);
    world.step(Input::Ended { attempt: AttemptId(1), end: success(5) });
    assert_eq!(admitted(&world), [(1, 1), (4, 2), (2, 3)]);
}

#[test]
fn a_parent_that_yields_lets_its_child_in_and_comes_back_ahead_of_new_roots() {
    let mut world = quiet(config(&[("a", slots(1))], 1));
    world.step(Input::Arrive(arrival(1)));
    world.step(Input::Yield { attempt: AttemptId(1) });
    let child = weir_core::Arrival { parent: Some(ItemId(1)), ..arrival(2) };
    world.step(Input::Arrive(child));
    assert_eq!(admitted(&world), [(1, 1), (2, 2)]);
    world.step(Input::Arrive(arrival(3)));
    world.step(Input::Resume { item: ItemId(1) });
    world.step(Input::Ended { attempt: AttemptId(2), end: success(5) });
    assert_eq!(admitted(&world), [(1, 1), (2, 2), (1, 1)], "the parent goes on first");
    world.step(Input::Ended { attempt: AttemptId(1), end: success(5) });
    assert_eq!(admitted(&world).last(), Some(&(3, 3)));
}

#[test]
fn a_child_whose_parents_hold_every_slot_is_refused_at_once() {
    let mut world = quiet(config(&[("a", slots(1))], 1));
    world.step(Input::Arrive(arrival(1)));
    let child = weir_core::Arrival { parent: Some(ItemId(1)), ..arrival(2) };
    world.step(Input::Arrive(child));
    assert_eq!(refusals(&world), [(2, Refusal::Deadlock)]);
}

#[test]
fn a_changed_configuration_refuses_only_those_whose_lane_is_gone() {
    let mut world = quiet(config(&[("a", slots(1))], 1));
    for item in 1..=3 {
        world.step(Input::Arrive(arrival(item)));
    }
    let mut wider = config(&[("a", slots(1)), ("b", slots(1))], 1);
    world.step(Input::Configure(wider.clone()));
    assert_eq!(admitted(&world), [(1, 1), (2, 2)], "the new upstream takes one");
    wider.lanes[0].name = "other".to_owned();
    world.step(Input::Configure(wider));
    assert_eq!(refusals(&world), [(3, Refusal::NoCandidate)]);
    world.step(Input::Ended { attempt: AttemptId(1), end: success(5) });
    world.step(Input::Ended { attempt: AttemptId(2), end: success(5) });
    world.assert_empty();
}

#[test]
fn two_upstreams_serve_a_lane_by_load() {
    let providers = vec![Provider::new(8, 1), Provider::new(8, 2)];
    let config = config(&[("a", slots(4)), ("b", slots(4))], 1);
    let mut world = World::new(config, Fallback::new(), providers);
    for item in 1..=200 {
        world.at(Micros(item), Input::Arrive(arrival(item)));
    }
    world.run_until(Micros::from_secs(590));
    world.assert_empty();
    assert_eq!(world.core.counters().admitted, 200);
    assert!(world.providers.iter().all(|provider| provider.peak == 4));
}
