//! Patience for a preferred candidate, and answers to fan-outs that must not be believed.

use weir_core::ids::{AttemptId, CandidateId};
use weir_core::units::Micros;
use weir_core::{Arrival, Core, Fallback, Input};
use weir_sdk::testing::{child, tree};

use crate::policies::{Mischief, Staged};
use crate::run::{World, arrival, config, response, slots, success};

/// Two upstreams of one slot; the first is preferred, with patience.
fn patient(patience: Micros) -> World<Staged> {
    let staged = Staged { prefers: Some((0, patience)), ..Staged::default() };
    World::new(config(&[("a", slots(1)), ("b", slots(1))], 1), staged, Vec::new())
}

fn candidates(world: &World<Staged>) -> Vec<(u64, u32)> {
    world.admitted(0).iter().map(|admit| (admit.item.0, admit.candidate.0)).collect()
}

#[test]
fn a_request_waits_for_the_preferred_candidate_as_long_as_its_patience() {
    let mut world = patient(Micros::from_secs(2));
    world.step(Input::Arrive(arrival(1)));
    world.step(Input::Arrive(arrival(2)));
    world.run_until(Micros(1_999_999));
    assert_eq!(candidates(&world), [(1, 0)]);
    world.run_until(Micros(2_000_000));
    assert_eq!(candidates(&world), [(1, 0), (2, 1)], "then the next takes it");
}

#[test]
fn a_slot_that_comes_back_in_time_is_taken() {
    let mut world = patient(Micros::from_secs(2));
    world.step(Input::Arrive(arrival(1)));
    world.step(Input::Arrive(arrival(2)));
    world.run_until(Micros::from_secs(1));
    world.step(Input::Ended { attempt: AttemptId(1), end: success(5) });
    assert_eq!(candidates(&world), [(1, 0), (2, 0)]);
}

#[test]
fn nobody_waits_for_a_candidate_that_opens_after_the_deadline() {
    let mut world = patient(Micros::from_secs(5));
    world.step(Input::Arrive(arrival(1)));
    let end = weir_core::End {
        sent: weir_core::Sent::Content,
        ..response(429, &[("retry-after", "300")])
    };
    world.step(Input::Ended { attempt: AttemptId(1), end });
    let deadline = Some(Micros::from_secs(10));
    world.step(Input::Arrive(Arrival { deadline, ..arrival(2) }));
    assert_eq!(world.admitted(0)[1].candidate, CandidateId(1));
    assert_eq!(world.refused(), []);
}

#[test]
fn a_fan_out_never_passes_the_wish_the_budget_or_the_family() {
    let mut core = Core::new(config(&[("a", slots(4))], 1)).expect("sound");
    let tree = weir_sdk::fanout::Tree { budget_left: 10_000, reserve: 4_000, ..tree() };
    let mut good = Fallback::new();
    let plan = core.fanout(Micros(1), tree, 3, &[child(5)], &mut good);
    assert!(plan.start <= 3 && u64::from(plan.start) * plan.budget_each <= 6_000, "{plan:?}");
    let mut liar = Staged { mischief: Some(Mischief::new(1, 1)), ..Staged::default() };
    let answered = core.fanout(Micros(2), tree, 3, &[child(5)], &mut liar);
    assert_eq!(answered, plan, "the fallback answers in its stead");
    assert_eq!(liar.nonsense.len(), 1);
    assert_eq!(core.counters().fallbacks[&weir_core::Slot::Fanout], 1);
}
