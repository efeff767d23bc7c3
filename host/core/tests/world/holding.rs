//! Held heads, and who may pass them.

use weir_core::config::{Config, Lane, Model};
use weir_core::ids::{AttemptId, CandidateId, ItemId, LaneId};
use weir_core::units::{Micros, Tokens};
use weir_core::{Arrival, Fallback, Input, Output};
use weir_sdk::schedule;

use crate::policies::Staged;
use crate::provider::Provider;
use crate::run::{World, arrival, config, slots, success};

/// Two models of one account; each has a lane. The account's windows are shared.
fn shared(concurrency: u32, output_tpm: Option<u64>) -> Config {
    let mut config = config(&[("a", slots(concurrency))], 1);
    config.upstreams[0].limits.output_tpm = output_tpm;
    let second = Model { name: "n".to_owned(), ..config.upstreams[0].models[0].clone() };
    config.upstreams[0].models.push(second);
    config.lanes.push(Lane { name: "n".to_owned(), candidates: vec![CandidateId(1)] });
    config
}

fn sized(item: u64, output: u64, lane: u32) -> Arrival {
    Arrival { max_output: Some(Tokens(output)), lane: LaneId(lane), ..arrival(item) }
}

fn admitted<P: weir_core::Policies>(world: &World<P>) -> Vec<u64> {
    let items = world.outputs.iter().filter_map(|output| match output {
        Output::Admit(admit) => Some(admit.item.0),
        _ => None,
    });
    items.collect()
}

#[test]
fn a_large_head_is_not_starved_by_small_ones_behind_it() {
    let mut world = World::new(shared(8, Some(1_000)), Fallback::new(), Vec::new());
    world.step(Input::Arrive(sized(1, 400, 0)));
    world.step(Input::Arrive(sized(2, 900, 0)));
    world.step(Input::Arrive(sized(3, 50, 0)));
    assert_eq!(admitted(&world), [1], "the head waits for its tokens, and is not passed");
    let view = world.core.view(world.now);
    assert!(view.lanes[0].held_until.is_some());
    world.run_until(Micros::from_secs(60));
    assert_eq!(admitted(&world), [1, 2, 3]);
}

#[test]
fn small_ones_of_another_lane_pass_within_the_allowance_and_no_further() {
    let mut world = World::new(shared(32, Some(1_000)), Fallback::new(), Vec::new());
    world.step(Input::Arrive(sized(1, 400, 0)));
    world.step(Input::Arrive(sized(2, 800, 0)));
    for item in 3..=8 {
        world.step(Input::Arrive(sized(item, 50, 1)));
    }
    // 15 % of 800 are 120 tokens: two of 50 pass, the third waits behind the head.
    assert_eq!(admitted(&world), [1, 3, 4]);
    world.run_until(Micros::from_secs(60));
    assert_eq!(admitted(&world)[3], 2, "then the head goes first");
}

#[test]
fn a_request_larger_than_the_window_goes_when_the_window_is_full() {
    let mut world = World::new(shared(8, Some(1_000)), Fallback::new(), Vec::new());
    world.step(Input::Arrive(sized(1, 3_000, 0)));
    assert_eq!(admitted(&world), [1], "into debt");
    world.step(Input::Arrive(sized(2, 10, 0)));
    world.step(Input::Ended { attempt: AttemptId(1), end: success(3_000) });
    assert_eq!(admitted(&world), [1], "the debt is paid first");
    world.run_until(Micros::from_secs(300));
    assert_eq!(admitted(&world), [1, 2]);
}

#[test]
fn a_held_head_that_is_cancelled_makes_way() {
    let mut world = World::new(shared(8, Some(1_000)), Fallback::new(), Vec::new());
    world.step(Input::Arrive(sized(1, 400, 0)));
    world.step(Input::Arrive(sized(2, 900, 0)));
    world.step(Input::Arrive(sized(3, 50, 0)));
    world.step(Input::Cancel { item: ItemId(2) });
    assert_eq!(admitted(&world), [1, 3]);
}

/// A schedule that offers the newest first: without the host's rule the oldest would wait for ever.
fn newest_first() -> World<Staged> {
    let staged = Staged { newest: Some(Vec::new()), ..Staged::default() };
    World::new(config(&[("a", slots(1))], 1), staged, vec![Provider::new(1, 4)])
}

#[test]
fn an_item_past_its_longest_wait_is_offered_first() {
    let mut world = newest_first();
    world.policies.longest_wait = Micros::from_secs(20);
    for item in 1..=200 {
        world.at(Micros::from_millis(item * 500), Input::Arrive(arrival(item)));
    }
    world.run_until(Micros::from_secs(60));
    let order = admitted(&world);
    let place = order.iter().position(|item| *item == 2).expect("the second was admitted");
    assert!(place > 5 && place < order.len() - 1, "{order:?}");
    let late = order.windows(2).filter(|pair| pair[1] < pair[0] / 2).count();
    assert!(late <= order.len() / 10 + 1, "{late} of {order:?}");
}

#[test]
fn a_returned_pick_is_told_with_what_it_lacks() {
    let staged = Staged { heard: Some(Vec::new()), ..Staged::default() };
    let mut world = World::new(shared(1, Some(1_000)), staged, Vec::new());
    world.step(Input::Arrive(sized(1, 400, 0)));
    world.step(Input::Arrive(sized(2, 900, 0)));
    world.step(Input::Arrive(sized(3, 900, 0)));
    world.step(Input::Ended { attempt: AttemptId(1), end: success(400) });
    world.run_until(Micros::from_secs(60));
    let heard = world.policies.heard.take().unwrap_or_default();
    let about: Vec<_> = heard.iter().filter_map(about_item_2).collect();
    assert_eq!(about, ["item", "returned output held", "started"]);
}

#[test]
fn where_there_is_nothing_to_choose_the_schedule_hears_of_starts_alone() {
    let staged = Staged { heard: Some(Vec::new()), ..Staged::default() };
    let mut world = World::new(shared(2, None), staged, Vec::new());
    for item in 1..=4 {
        world.step(Input::Arrive(sized(item, 100, 0)));
    }
    world.run_until(Micros::from_secs(1));
    let heard = world.policies.heard.take().unwrap_or_default();
    let of = |event: &schedule::Event| match event {
        schedule::Event::Item(item) => Some(("item", item.id)),
        schedule::Event::Started(started) => Some(("started", started.item)),
        _ => None,
    };
    let heard: Vec<_> = heard.iter().filter_map(of).collect();
    assert_eq!(heard, [("started", 1), ("started", 2), ("item", 3), ("item", 4)]);
}

fn about_item_2(event: &schedule::Event) -> Option<&'static str> {
    match event {
        schedule::Event::Item(item) if item.id == 2 => Some("item"),
        schedule::Event::Started(started) if started.item == 2 => Some("started"),
        schedule::Event::Returned(back) if back.item == 2 => {
            let output = back.blocked == weir_sdk::codes::blocked::OUTPUT && back.held;
            Some(if output { "returned output held" } else { "returned otherwise" })
        }
        _ => None,
    }
}
