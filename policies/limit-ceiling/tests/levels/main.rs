//! The levels that the policy is held to, in a closed loop with a provider of a hidden limit.
//!
//! Service times are lognormal with a mean of 2 s and a sigma of 0.8 unless a test says otherwise; a refusal
//! takes 50 ms and its request returns to the line. Each level is met with the defaults, for five seeds, with
//! headers that come early and with ones that come at the end.

mod chance;
mod host;
mod log;
mod provider;
mod world;

use limit_ceiling::Ceiling;
use weir_sdk::{Micros, native};

use self::log::Moment;
use self::provider::{Headers, Provider};
use self::world::{Demand, World};

const SEEDS: [u64; 5] = [1, 2, 3, 4, 5];
const START: u32 = 8;

/// A loop for each seed and kind of headers.
fn each(provider: &Provider, mut check: impl FnMut(&mut World, &str)) {
    for seed in SEEDS {
        for headers in [Headers::Early, Headers::Late] {
            let provider = Provider { headers, ..provider.clone() };
            let name = format!("L {}, seed {seed}, {headers:?} headers", provider.level);
            let mut world = World::new(seed, policy(""), START, provider);
            check(&mut world, &name);
        }
    }
}

#[expect(clippy::panic, reason = "a test has no better use for bad settings")]
fn policy(settings: &str) -> Box<dyn native::Limit> {
    native::limit::<Ceiling>(settings, 0).unwrap_or_else(|why| panic!("{why}"))
}

#[track_caller]
fn at_least(value: f64, level: f64, what: &str) {
    println!("{value:9.4} >= {level:9.4}  {what}");
    assert!(value >= level, "{value} is below {level}: {what}");
}

#[track_caller]
fn at_most(value: f64, level: f64, what: &str) {
    println!("{value:9.4} <= {level:9.4}  {what}");
    assert!(value <= level, "{value} is above {level}: {what}");
}

/// An endless line, from a second on, for so long.
fn busy(world: &mut World, seconds: u64) {
    world.demand(Demand::Endless);
    world.run(seconds);
}

#[test]
fn it_uses_an_unknown_limit_and_is_seldom_refused() {
    for level in [10, 20, 50, 200] {
        each(&Provider::new(level), |world, name| {
            busy(world, 1_200);
            let running = world.log.mean_running(300..1_200) / f64::from(level);
            at_least(running, 0.97, &format!("of the limit at work: {name}"));
            let most = if level >= 50 { 0.002 } else { 0.01 };
            at_most(world.log.refused(300..1_200), most, &format!("refused: {name}"));
        });
    }
}

#[test]
fn with_long_requests_it_is_refused_twice_a_minute() {
    for (level, mean) in [(10, 8.0), (10, 20.0), (50, 8.0), (200, 20.0)] {
        let provider = Provider { service: (mean, 0.8), ..Provider::new(level) };
        each(&provider, |world, name| {
            busy(world, 2_400);
            let name = format!("mean {mean} s, {name}");
            let running = world.log.mean_running(600..2_400) / f64::from(level);
            at_least(running, 0.97, &format!("of the limit at work: {name}"));
            let refusals = world.log.count(Moment::Refused, 600..2_400) as f64 / 30.0;
            at_most(refusals, 2.5, &format!("refusals a minute: {name}"));
        });
    }
}

#[test]
fn a_cold_start_takes_a_few_service_times() {
    for level in [10, 20, 50, 200] {
        each(&Provider::new(level), |world, name| {
            busy(world, 30);
            let reached = world.log.until_running(0.9 * f64::from(level), 0);
            at_most(reached / 2.0, 15.0, &format!("service times to 0.9 L: {name}"));
            at_most(world.log.refused(0..30), 0.02, &format!("refused in 30 s: {name}"));
        });
    }
}

#[test]
fn a_capacity_that_falls_costs_few_refusals() {
    each(&Provider::new(100), |world, name| {
        busy(world, 300);
        world.provider.level = 30;
        world.run(60);
        at_most(world.log.refused(300..360), 0.06, &format!("refused in a minute: {name}"));
    });
}

#[test]
fn a_capacity_that_rises_is_found() {
    each(&Provider::new(30), |world, name| {
        busy(world, 300);
        world.provider.level = 100;
        world.run(60);
        let reached = world.log.until_running(90.0, 300);
        at_most(reached, 50.0, &format!("seconds to 90: {name}"));
    });
}

#[test]
fn little_load_never_raises_the_limit_and_a_burst_is_met() {
    for level in [20, 50, 200] {
        each(&Provider::new(level), |world, name| {
            busy(world, 120);
            world.demand(Demand::Rate(0.1 * f64::from(level) / 2.0));
            world.run(30);
            let before = world.limit();
            world.run(600);
            let grown = world.log.top_limit(150..750);
            at_most(f64::from(grown), f64::from(before), &format!("limit: {name}"));
            world.demand(Demand::Endless);
            world.run(60);
            let reached = world.log.until_running(0.9 * f64::from(level), 750) / 2.0;
            at_most(reached, 8.0, &format!("service times to 0.9 L: {name}"));
            at_most(world.log.refused(750..810), 0.02, &format!("refused: {name}"));
        });
    }
}

#[test]
fn a_burst_on_a_limit_that_was_never_filled_is_met() {
    each(&Provider::new(50), |world, name| {
        world.demand(Demand::Rate(0.5));
        world.run(600);
        at_most(f64::from(world.limit()), f64::from(START), &format!("limit: {name}"));
        busy(world, 60);
        let reached = world.log.until_running(45.0, 600) / 2.0;
        at_most(reached, 8.0, &format!("service times to 0.9 L: {name}"));
        at_most(world.log.refused(600..660), 0.02, &format!("refused: {name}"));
    });
}

#[test]
fn wild_latency_and_single_time_outs_leave_it_alone() {
    let patience = Micros::from_secs(120);
    let wild = Provider { service: (8.0, 1.0), lost: 0.002, patience, ..Provider::new(10_000) };
    for seed in SEEDS {
        for headers in [Headers::Early, Headers::Late] {
            let provider = Provider { headers, ..wild.clone() };
            let mut world = World::new(seed, policy(r#"{"most": 200}"#), START, provider);
            busy(&mut world, 1_200);
            let name = format!("mean limit: seed {seed}, {headers:?} headers");
            at_least(world.log.mean_limit(300..1_200), 190.0, &name);
        }
    }
}

#[test]
fn a_dead_provider_is_left_alone_and_comes_back() {
    for level in [10, 20, 50, 200] {
        let provider = Provider { patience: Micros::from_secs(10), ..Provider::new(level) };
        each(&provider, |world, name| {
            busy(world, 300);
            world.provider.dead = true;
            world.run(20);
            at_most(f64::from(world.limit()), 1.0, &format!("limit after two time-outs: {name}"));
            world.run(280);
            let probes = world.log.count(Moment::Started, 330..600) as f64;
            at_most(probes, 270.0 / 20.0, &format!("probes: {name}"));
            at_least(probes, 8.0, &format!("probes: {name}"));
            world.provider.dead = false;
            world.run(120);
            let reached = world.log.until_running(0.9 * f64::from(level), 600) / 2.0;
            at_most(reached, 30.0, &format!("service times to 0.9 L: {name}"));
        });
    }
}

#[test]
fn a_long_retry_after_closes_and_opens_by_a_ramp_to_the_old_limit() {
    for level in [10, 20, 50, 200] {
        each(&Provider::new(level), |world, name| {
            busy(world, 300);
            let before = world.limit();
            world.provider.shut = Micros::from_secs(330);
            world.demand(Demand::Nothing);
            world.queue(1_000);
            world.run(29);
            let early = world.log.count(Moment::Started, 301..330) as f64;
            at_most(early, 0.0, &format!("sent early: {name}"));
            world.run(60);
            let second = f64::from(world.log.top_running(330..331));
            let share = (f64::from(before) / 10.0).max(1.0);
            at_most(second, share, &format!("at work in the first second: {name}"));
            let reached = world.log.until_running(0.9 * f64::from(before), 330) / 2.0;
            at_most(reached, 10.0, &format!("service times to 0.9 of the limit: {name}"));
        });
    }
}
