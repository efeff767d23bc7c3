//! Everything at once: refusals, failures, cancels, policies that fault, lie and are renewed.

use std::cell::RefCell;

use proptest::prelude::*;
use weir_core::config::{Config, Lane};
use weir_core::ids::{CandidateId, ItemId, LaneId, TenantId};
use weir_core::trace::{Call, Divergence, Lines, Recorder, Standbys, replay};
use weir_core::units::Micros;
use weir_core::{Arrival, Core, Input, Output, Policies, Slot};

use crate::policies::{Aimd, Mischief, Staged};
use crate::provider::Provider;
use crate::run::{World, arrival, config, slots};

fn crowded(seed: u64) -> Config {
    let mut config = config(&[("a", slots(6)), ("b", slots(3))], 2);
    config.seed = seed;
    config.line.max_items = 150;
    config.line.max_sessions = 4;
    config.tenants[1].limits.concurrency = Some(3);
    config.upstreams[0].models[0].limits.tpm = Some(20_000);
    config.upstreams[1].limits.rpm = Some(120);
    config.lanes.push(Lane { name: "only-b".to_owned(), candidates: vec![CandidateId(1)] });
    config
}

fn providers(seed: u64) -> Vec<Provider> {
    let (mut a, mut b) = (Provider::new(4, seed), Provider::new(2, seed ^ 1));
    (a.faults, b.faults) = ((60, 40), (100, 0));
    b.hint = Some("1");
    vec![a, b]
}

fn staged(seed: u64, one_in: u64) -> Staged {
    Staged {
        aimd: Some(Aimd::default()),
        mischief: Some(Mischief::new(seed, one_in)),
        ..Staged::default()
    }
}

fn request(draws: &mut Provider, item: u64, at: Micros) -> Arrival {
    let (kind, size) = (draws.draw(), draws.draw());
    let patience = Micros::from_millis(2_000 + draws.draw() % 60_000);
    Arrival {
        tenant: TenantId((kind % 2) as u32),
        lane: LaneId(((kind >> 8) % 2) as u32),
        session: format!("s{}", (kind >> 16) % 9),
        task: format!("k{}", (kind >> 24) % 5),
        class: Some(((kind >> 32) % 4) as u8),
        parent: ((kind >> 40) % 5 == 0).then(|| ItemId(item.saturating_sub(1 + size % 7))),
        prompt_bytes: size % 9_000,
        deadline: Some(at.plus(patience)),
        ..arrival(item)
    }
}

/// Fills a world's agenda with 400 requests, of which one in five is cancelled, and two hand-overs.
fn crowd(world: &mut World<Staged>, seed: u64) {
    let mut draws = Provider::new(0, seed.wrapping_add(99));
    let mut at = Micros::ZERO;
    for item in 1..=400 {
        at = at.plus(Micros(draws.draw() % 200_000));
        let request = request(&mut draws, item, at);
        world.at(at, Input::Arrive(request));
        if draws.draw().is_multiple_of(5) {
            let later = at.plus(Micros(draws.draw() % 3_000_000));
            world.at(later, Input::Cancel { item: ItemId(item) });
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_item_leaves_once_and_every_sum_is_zero_at_the_end(seed: u64, one_in in 2_u64..40) {
        let mut world = World::new(crowded(seed), staged(seed, one_in), providers(seed));
        crowd(&mut world, seed);
        for second in 1..40 {
            world.run_until(Micros::from_secs(second));
            if second % 4 == 0 {
                world.policies.renew();
            }
        }
        world.run_until(Micros::from_secs(400));
        world.assert_empty();
    }

    #[test]
    fn the_same_trace_gives_the_same_outputs(seed: u64) {
        let (trace, outputs) = recorded(seed);
        let replayed = replay(trace.as_slice()).expect("the same outputs");
        prop_assert!(replayed.outputs == outputs);
    }
}

fn recorded(seed: u64) -> (Vec<u8>, Vec<Output>) {
    record(seed, &mut staged(seed, 6), |policies, round| {
        if round.is_multiple_of(40) {
            policies.renew();
        }
    })
}

/// Records a short crowd by hand: arrivals, and ends in order.
pub(crate) fn record<P: Policies>(
    seed: u64,
    policies: &mut P,
    mut before_round: impl FnMut(&mut P, u64),
) -> (Vec<u8>, Vec<Output>) {
    let config = crowded(seed);
    let mut core = Core::new(config.clone()).expect("sound");
    let mut lines = Lines::new(Vec::new());
    let standbys = RefCell::new(Standbys::default());
    let (mut out, mut draws) = (Vec::new(), Provider::new(1, seed));
    Recorder::new(policies, &mut lines, &standbys).begin(&config);
    let mut flying = Vec::new();
    for round in 1..=150_u64 {
        let now = Micros::from_millis(round * 50);
        let input = match flying.pop() {
            Some(attempt) if !round.is_multiple_of(3) => {
                let end = draws.take(now, attempt).end;
                draws.leave(attempt);
                Input::Ended { attempt, end }
            }
            _ => Input::Arrive(request(&mut draws, round, now)),
        };
        before_round(policies, round);
        let mut recorder = Recorder::new(policies, &mut lines, &standbys);
        let before = out.len();
        recorder.perform(&mut core, Call::Apply { now, input }, &mut out);
        recorder.perform(&mut core, Call::Decide { now }, &mut out);
        recorder.perform(&mut core, Call::Maintain { now, slice: 8 }, &mut out);
        flying.extend(out[before..].iter().filter_map(|output| match output {
            Output::Admit(admit) => Some(admit.attempt),
            _ => None,
        }));
    }
    (lines.finish().expect("memory takes all"), out)
}

#[test]
fn a_schedule_that_swallows_items_starves_nobody() {
    let policies = Staged { mischief: Some(Mischief::new(11, 3)), ..Staged::default() };
    let mut world = World::new(config(&[("a", slots(4))], 1), policies, vec![Provider::new(4, 1)]);
    for item in 1..=60 {
        world.at(Micros(item), Input::Arrive(arrival(item)));
    }
    world.run_until(Micros::from_secs(200));
    world.assert_empty();
    let starved = world.count(|output| matches!(output, Output::Refuse { .. }));
    assert_eq!(starved, 0);
    assert!(world.policies.nonsense.iter().any(|(slot, _)| *slot == Slot::Schedule));
}

#[test]
fn a_changed_answer_is_found_at_its_call() {
    let (trace, _) = recorded(5);
    let text = String::from_utf8(trace).expect("JSON");
    let place = text.find("{\"answer\":{\"pick\"").expect("a pick");
    let line = text[..place].lines().count() + 1;
    let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
    lines[line - 1] = "{\"answer\":{\"told\":{\"Ok\":null}}}".to_owned();
    let error = replay(lines.join("\n").as_bytes()).expect_err("another answer");
    assert!(
        matches!(error, Divergence::Question { line: at, asked: "pick", .. } if at > line),
        "{error}"
    );
}
