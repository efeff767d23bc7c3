//! Whatever happens in whatever order, what is taken is what is held.

#![allow(clippy::unwrap_used, reason = "a step that cannot be played fails the test")]

#[path = "support/ledger.rs"]
mod support;

use proptest::prelude::*;
use support::*;
use weir_core::claim::{Held, Short, Usage};
use weir_core::config::Config;
use weir_core::ids::{CandidateId, TenantId};
use weir_core::ledger::Ledger;
use weir_core::units::{Micros, Tokens};
use weir_core::{Facts, Window};
use weir_sdk::limit::Answer;

#[derive(Clone, Debug)]
enum Step {
    Pass(u64),
    Commit { candidate: u32, tenant: u32, input: u64, output: u64, class: u8, spare: u32 },
    Accept { which: usize, remaining: u64 },
    Grow { which: usize, output: u64 },
    Park(usize),
    Unpark(usize),
    Settle { which: usize, how: u8, input: u64, output: u64 },
    Close { which: u32, span: u64 },
    Answer { which: usize, limit: u32, cap: u32, rate: Option<f64> },
    Configure(u8),
}

fn step() -> impl Strategy<Value = Step> {
    let tokens = || prop_oneof![0_u64..500, 0_u64..50_000];
    prop_oneof![
        4 => (0_u64..20_000_000).prop_map(Step::Pass),
        12 => (0_u32..4, 0_u32..3, tokens(), tokens(), 0_u8..5, 0_u32..3).prop_map(
            |(candidate, tenant, input, output, class, spare)| {
                Step::Commit { candidate, tenant, input, output, class, spare }
            }
        ),
        3 => (any::<usize>(), tokens()).prop_map(|(which, remaining)| Step::Accept { which, remaining }),
        3 => (any::<usize>(), tokens()).prop_map(|(which, output)| Step::Grow { which, output }),
        1 => any::<usize>().prop_map(Step::Park),
        1 => any::<usize>().prop_map(Step::Unpark),
        9 => (any::<usize>(), 0_u8..4, tokens(), tokens())
            .prop_map(|(which, how, input, output)| Step::Settle { which, how, input, output }),
        1 => (0_u32..20, 0_u64..5_000_000).prop_map(|(which, span)| Step::Close { which, span }),
        2 => (any::<usize>(), 0_u32..20, 0_u32..4, prop::option::of(0.1_f64..50.0))
            .prop_map(|(which, limit, cap, rate)| Step::Answer { which, limit, cap, rate }),
        1 => (0_u8..4).prop_map(Step::Configure),
    ]
}

/// A few configurations that share some cells.
fn variant(number: u8) -> Config {
    let mut config = config();
    match number {
        1 => {
            config.upstreams.remove(0);
        }
        2 => {
            config.upstreams.swap(0, 1);
            config.tenants.swap(0, 1);
            config.upstreams[1].models[0].limits.input_tpm = Some(100);
        }
        3 => {
            config.tenants[0].limits = Default::default();
            config.tenants[0].quota = None;
            config.upstreams[0].models.remove(1);
        }
        _ => {}
    }
    config
}

/// The ledger, what is in flight, and the time.
struct World {
    ledger: Ledger,
    held: Vec<Held>,
    now: Micros,
}

impl World {
    fn new() -> Self {
        Self { ledger: Ledger::new(Micros(0), &config()), held: Vec::new(), now: Micros(0) }
    }

    fn closures(&self) -> Vec<Option<Micros>> {
        let ids = self.ledger.cells().iter().map(|cell| cell.id());
        ids.map(|id| self.ledger.closed_until(self.now, id)).collect()
    }

    fn play(&mut self, step: &Step) {
        let pick = |which: usize, len: usize| (len > 0).then(|| which % len);
        let (now, len) = (self.now, self.held.len());
        match *step {
            Step::Pass(span) => self.now = now.plus(Micros(span)),
            Step::Commit { candidate, tenant, input, output, class, spare } => {
                let who = (CandidateId(candidate), TenantId(tenant));
                let claim = self.ledger.claim(who.0, who.1, &demand(input, output), class);
                self.commit(claim.map(|claim| claim.keeping(spare)));
            }
            Step::Accept { which, remaining } => {
                let window = Window { limit: Some(5_000), remaining: Some(remaining), reset: None };
                let facts =
                    Facts { output: Some(window), tokens: Some(window), ..Facts::default() };
                if let Some(at) = pick(which, len).filter(|at| !self.held[*at].is_parked()) {
                    self.ledger.accepted(now, &mut self.held[at], &facts);
                }
            }
            Step::Grow { which, output } => {
                if let Some(at) = pick(which, len) {
                    self.ledger.grow(now, &mut self.held[at], Tokens(output));
                }
            }
            Step::Park(which) => {
                if let Some(at) = pick(which, len) {
                    self.ledger.park(now, &mut self.held[at]);
                }
            }
            Step::Unpark(which) => {
                if let Some(at) = pick(which, len) {
                    let _ = self.ledger.unpark(now, &mut self.held[at]);
                }
            }
            Step::Settle { which, how, input, output } => {
                if let Some(at) = pick(which, len) {
                    let held = self.held.swap_remove(at);
                    self.ledger.settle(now, held, usage(how, input, output), &Facts::default());
                }
            }
            Step::Close { which, span } => {
                let cell = weir_core::ids::CellId(which);
                self.ledger.close(now, cell, now.plus(Micros(span)));
            }
            Step::Answer { which, limit, cap, rate } => self.answer(which, limit, cap, rate),
            Step::Configure(number) => {
                self.ledger.configure(now, &variant(number));
            }
        }
    }

    /// Whatever is admitted stays within the effective limit, and a check says what a commit does.
    fn commit(&mut self, claim: Option<weir_core::claim::Claim>) {
        let Some(claim) = claim else { return };
        let checked = self.ledger.check(self.now, &claim);
        let held = self.ledger.commit(self.now, claim);
        assert_eq!(checked.is_ok(), held.is_ok());
        if let Ok(held) = held {
            let view = self.ledger.view(self.now, held.slots()).unwrap();
            assert!(view.in_flight <= view.effective, "{view:?}");
            assert_eq!(view.closed_until, 0);
            self.held.push(held);
        }
    }

    fn answer(&mut self, which: usize, limit: u32, cap: u32, rate: Option<f64>) {
        let cells: Vec<_> = self.ledger.slot_cells().collect();
        let said = Answer { caps: (cap, 0, 0, cap), request_rate: rate, ..answer(limit) };
        self.ledger.apply(self.now, cells[which % cells.len()], &said).unwrap();
    }
}

fn usage(how: u8, input: u64, output: u64) -> Usage {
    match how {
        0 => Usage::Exact(weir_core::Usage {
            input_counted: Tokens(input / 2),
            input: Tokens(input),
            cached: Tokens(input / 2),
            output: Tokens(output),
        }),
        1 => Usage::Unknown { output_seen: Tokens(output) },
        2 => Usage::Refused,
        _ => Usage::Unsent,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_taken_is_what_is_held(steps in prop::collection::vec(step(), 1..200)) {
        let mut world = World::new();
        for step in &steps {
            let before = world.closures();
            world.play(step);
            world.ledger.check_invariants().unwrap();
            world.ledger.check_sums(&world.held).unwrap();
            if !matches!(step, Step::Pass(_)) {
                let after = world.closures();
                prop_assert!(before.iter().zip(&after).all(|(before, after)| before <= after));
            }
        }
        for held in std::mem::take(&mut world.held) {
            world.ledger.settle(world.now, held, Usage::Refused, &Facts::default());
        }
        world.ledger.check_sums([]).unwrap();
        prop_assert!(world.ledger.cells().iter().all(|cell| cell.held() == 0));
    }

    /// The time that a shortage names is right when nothing else happens.
    #[test]
    fn what_is_short_fits_at_the_time_that_is_said(steps in prop::collection::vec(step(), 1..60)) {
        let mut world = World::new();
        steps.iter().for_each(|step| world.play(step));
        let Some(claim) = world.ledger.claim(MAIN, ACME, &demand(1_000, 100), 0) else {
            return Ok(());
        };
        let Err(Short::NotUntil(short)) = world.ledger.check(world.now, &claim)
        else {
            return Ok(());
        };
        if let Some(until) = short.until.filter(|_| short.slots.is_none()) {
            prop_assert!(until > world.now);
            let fits = match world.ledger.check(until, &claim) {
                Ok(()) => true,
                // A budget came back, and attempts in flight have reserved it.
                Err(Short::NotUntil(then)) => then.until.is_none() && then.slots.is_some(),
                Err(Short::Never(_)) => false,
            };
            prop_assert!(fits, "{short:?}");
        }
    }
}
