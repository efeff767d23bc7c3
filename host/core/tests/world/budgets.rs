//! Budgets of tenants: nearly spent, spent, and spent while a stream runs.

use weir_core::config::{Config, Quota};
use weir_core::ids::{AttemptId, TenantId};
use weir_core::units::{Micros, Tokens};
use weir_core::{Arrival, End, Event, Fallback, Input, Next, Outcome, Output, Refusal, Slot};
use weir_native::Native;

use crate::run::{World, arrival, config, slots, success};

const HOUR: Micros = Micros::from_secs(3600);

/// Tenants with so many tokens each; periods of one hour, two hours and so on.
fn quotas(concurrency: u32, tokens: &[u64]) -> Config {
    let mut config = config(&[("a", slots(concurrency))], tokens.len());
    for (tenant, (tokens, hours)) in config.tenants.iter_mut().zip(tokens.iter().zip(1..)) {
        let (tokens, period) = (Some(Tokens(*tokens)), Micros(HOUR.0 * hours));
        tenant.quota = Some(Quota { tokens, cost: None, period, soft: 500 });
    }
    config
}

fn of(tenant: u32, item: u64) -> Arrival {
    Arrival { tenant: TenantId(tenant), ..arrival(item) }
}

#[test]
fn past_the_soft_share_waiting_and_new_work_is_shed_when_its_placement_says_so() {
    let soft = |slot| if slot == Slot::Priority { r#"{"soft": 500}"# } else { "" };
    let policies = Native::with(soft).expect("sound settings");
    let mut world = World::new(quotas(1, &[1_000, 1_000]), policies, Vec::new());
    for (tenant, item) in [(0, 1), (0, 2), (1, 3), (0, 4)] {
        world.step(Input::Arrive(of(tenant, item)));
    }
    world.step(Input::Ended { attempt: AttemptId(1), end: success(500) });
    world.step(Input::Arrive(of(0, 5)));
    let shed = Refusal::Shed { retry_after: HOUR };
    assert_eq!(world.refused(), [(2, shed), (4, shed), (5, shed)]);
    let going: Vec<_> = world.admitted(0).iter().map(|admit| admit.item.0).collect();
    assert_eq!(going, [1, 3], "the other tenant's request goes on");
    let soft = |output: &Output| {
        matches!(output, Output::Event(Event::BudgetSoft { tenant, tokens_left: Some(left), .. })
            if tenant == "t0" && *left == Tokens(400))
    };
    assert_eq!(world.count(soft), 1);
}

#[test]
fn each_tenant_is_refused_for_its_own_budget_alone() {
    let mut world = World::new(quotas(8, &[300, 550]), Fallback::new(), Vec::new());
    for (tenant, item) in [(0, 1), (0, 2), (1, 3), (1, 4), (1, 5)] {
        world.step(Input::Arrive(of(tenant, item)));
    }
    let going: Vec<_> = world.admitted(0).iter().map(|admit| admit.item.0).collect();
    assert_eq!(going, [1, 3, 4], "what is reserved may come back, so the others wait");
    world.step(Input::Ended { attempt: AttemptId(1), end: success(150) });
    let first = (2, Refusal::Budget { retry_after: Some(HOUR) });
    assert_eq!(world.refused(), [first], "250 of 300 are spent");
    world.step(Input::Ended { attempt: AttemptId(2), end: success(10) });
    let going: Vec<_> = world.admitted(0).iter().map(|admit| admit.item.0).collect();
    assert_eq!(going, [1, 3, 4, 5], "110 instead of 200 leave room for one more");
    world.step(Input::Ended { attempt: AttemptId(3), end: success(300) });
    world.step(Input::Ended { attempt: AttemptId(4), end: success(100) });
    world.step(Input::Arrive(of(1, 6)));
    let second = (6, Refusal::Budget { retry_after: Some(Micros(2 * HOUR.0)) });
    assert_eq!(world.refused(), [first, second]);
    world.now = HOUR;
    world.step(Input::Arrive(of(0, 7)));
    assert_eq!(world.admitted(0).last().map(|admit| admit.item.0), Some(7), "it came back");
}

#[test]
fn a_stream_grows_into_its_budget_and_is_cut_at_its_end() {
    let mut world = World::new(quotas(8, &[400]), Fallback::new(), Vec::new());
    world.step(Input::Arrive(arrival(1)));
    let attempt = AttemptId(1);
    world.step(Input::Grow { attempt, output: Tokens(150) });
    let cuts = |world: &World<Fallback>| world.count(|o| matches!(o, Output::Cut { .. }));
    assert_eq!(cuts(&world), 0, "100 of input and 150 of output are within 400");
    world.step(Input::Grow { attempt, output: Tokens(301) });
    let refusal = Refusal::Budget { retry_after: Some(HOUR) };
    assert!(world.outputs.contains(&Output::Cut { attempt, refusal }), "{:?}", world.outputs);
    let hard = |o: &Output| matches!(o, Output::Event(Event::BudgetHard { .. }));
    assert_eq!(world.count(hard), 1);
    let end = End { outcome: Outcome::Cut, usage: None, ..success(301) };
    world.step(Input::Ended { attempt, end });
    let settled = world.outputs.iter().find_map(|output| match output {
        Output::Ended { next: Next::Finished, settled, .. } => {
            Some((settled.output, settled.exact))
        }
        _ => None,
    });
    assert_eq!(settled, Some((Tokens(301), false)), "what was seen is paid");
    world.assert_empty();
}
