//! Another configuration while requests wait and run, and what the operator opens.

use weir_core::ids::{AttemptId, CandidateId, ItemId};
use weir_core::units::Micros;
use weir_core::{Arrival, Fallback, Input, Refusal};
use weir_sdk::schedule;

use crate::policies::Staged;
use crate::run::{World, arrival, config, response, slots, success};

/// What the schedule heard of candidates and lanes.
fn told(world: &mut World<Staged>) -> Vec<(&'static str, u32)> {
    world.run_until(world.now.plus(Micros::from_millis(100)));
    let heard = world.policies.heard.replace(Vec::new()).unwrap_or_default();
    let ids = heard.iter().filter_map(|event| match event {
        schedule::Event::Item(item) => Some(("lane", item.lane)),
        schedule::Event::Started(started) => Some(("candidate", started.candidate)),
        _ => None,
    });
    ids.collect()
}

#[test]
fn ids_that_policies_know_keep_their_meaning_when_places_change() {
    let mut before = config(&[("a", slots(1)), ("b", slots(1))], 1);
    before.lanes.push(weir_core::config::Lane {
        name: "only-b".to_owned(),
        candidates: vec![CandidateId(1)],
    });
    let staged = Staged { heard: Some(Vec::new()), ..Staged::default() };
    let mut world = World::new(before.clone(), staged, Vec::new());
    world.step(Input::Arrive(arrival(1)));
    world.step(Input::Arrive(arrival(2)));
    world.step(Input::Arrive(arrival(3)));
    assert_eq!(told(&mut world), [("candidate", 0), ("candidate", 1), ("lane", 0)]);
    let mut after = before;
    after.upstreams.reverse();
    after.lanes.reverse();
    after.lanes[0].candidates = vec![CandidateId(0)];
    world.step(Input::Configure(after.clone()));
    let lane = weir_core::ids::LaneId(1);
    world.step(Input::Arrive(Arrival { lane, ..arrival(4) }));
    world.step(Input::Ended { attempt: AttemptId(2), end: success(5) });
    // What was handed over before the change is offered anew after it.
    let heard = told(&mut world);
    assert_eq!(heard.last(), Some(&("candidate", 1)), "a is full, so b takes it: {heard:?}");
    assert!(heard.iter().all(|(what, id)| *what == "candidate" || *id == 0), "{heard:?}");
    assert_eq!(world.admitted(0)[2].candidate, CandidateId(0), "b stands first now");
    for attempt in [1, 3, 4] {
        world.step(Input::Ended { attempt: AttemptId(attempt), end: success(5) });
    }
    told(&mut world);
    after.lanes[1].name = "new".to_owned();
    after.upstreams[1].name = "c".to_owned();
    world.step(Input::Configure(after));
    for item in 5..=7 {
        world.step(Input::Arrive(Arrival { lane, ..arrival(item) }));
    }
    let fresh = told(&mut world);
    assert!(fresh.contains(&("lane", 2)) && fresh.contains(&("candidate", 2)), "{fresh:?}");
    assert!(!fresh.contains(&("lane", 0)) && !fresh.contains(&("candidate", 0)), "{fresh:?}");
}

#[test]
fn an_operator_opens_what_a_hint_closed() {
    let mut world = World::new(config(&[("a", slots(1))], 1), Fallback::new(), Vec::new());
    world.step(Input::Arrive(arrival(1)));
    let end = response(429, &[("retry-after", "300")]);
    world.step(Input::Ended { attempt: AttemptId(1), end });
    world.run_until(Micros::from_secs(10));
    assert_eq!(world.admitted(0).len(), 1, "closed for five minutes");
    world.step(Input::Reopen { upstream: "a".to_owned() });
    assert_eq!(world.admitted(0).len(), 2);
    assert_eq!(world.core.view(world.now).upstreams[0].closed_until, None);
}

#[test]
fn a_full_line_counts_no_idle_time_as_waiting() {
    let mut config = config(&[("a", slots(1))], 1);
    config.line.max_items = 1;
    let mut world = World::new(config, Fallback::new(), Vec::new());
    world.now = Micros::from_secs(7_200);
    for item in 1..=3 {
        world.step(Input::Arrive(arrival(item)));
    }
    assert_eq!(world.refused(), [(3, Refusal::Full { retry_after: Micros::SECOND })]);
}

#[test]
fn what_a_tenants_cap_keeps_back_in_a_closed_lane_holds_up_no_other_lane() {
    let mut config = config(&[("a", slots(4)), ("b", slots(4))], 1);
    config.tenants[0].limits.concurrency = Some(1);
    config.lanes[0].candidates = vec![CandidateId(0)];
    config
        .lanes
        .push(weir_core::config::Lane { name: "b".to_owned(), candidates: vec![CandidateId(1)] });
    let mut world = World::new(config, Fallback::new(), Vec::new());
    world.step(Input::Arrive(arrival(1)));
    world.step(Input::Arrive(arrival(2)));
    world.step(Input::Arrive(Arrival { lane: weir_core::ids::LaneId(1), ..arrival(3) }));
    assert_eq!(world.admitted(0).len(), 1);
    let end = response(429, &[("retry-after", "100")]);
    world.step(Input::Ended { attempt: AttemptId(1), end });
    let second = world.admitted(0).get(1).map(|admit| admit.item);
    assert_eq!(second, Some(ItemId(3)), "a is closed, b is not");
}

#[test]
fn a_grandchild_is_refused_when_its_line_of_parents_holds_every_slot() {
    let mut world = World::new(config(&[("a", slots(3))], 1), Fallback::new(), Vec::new());
    for item in 1..=4 {
        let parent = (item > 1).then(|| ItemId(item - 1));
        world.step(Input::Arrive(Arrival { parent, ..arrival(item) }));
    }
    assert_eq!(world.admitted(0).len(), 3);
    assert_eq!(world.refused(), [(4, Refusal::Deadlock)]);
    world.step(Input::Yield { attempt: AttemptId(3) });
    world.step(Input::Arrive(Arrival { parent: Some(ItemId(3)), ..arrival(5) }));
    assert_eq!(world.admitted(0).len(), 4, "one that yields makes room for its child");
}

#[test]
fn one_callers_deep_tree_keeps_no_more_slots_from_roots_than_is_configured() {
    let mut config = config(&[("a", slots(8))], 1);
    config.line.max_nesting = 2;
    let mut world = World::new(config, Fallback::new(), Vec::new());
    for item in 1..=6 {
        let parent = (item > 1).then(|| ItemId(item - 1));
        world.step(Input::Arrive(Arrival { parent, ..arrival(item) }));
    }
    world.step(Input::Arrive(arrival(7)));
    assert_eq!(world.admitted(0).len(), 6, "a root leaves two slots for the deeper ones");
    world.step(Input::Ended { attempt: AttemptId(1), end: success(5) });
    assert_eq!(world.admitted(0).len(), 7, "and no more than two, though five levels stand");
}
