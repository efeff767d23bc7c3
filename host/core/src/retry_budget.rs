//! How many failures of a candidate, a model at an upstream, may be retried.
//!
//! The rule is Finagle's `RetryBudget`: each request deposits a share of a retry, deposits and charges expire
//! after a window, and a reserve lets retries happen when there is little traffic. With its numbers, a ratio of
//! 0.2 and a reserve of ten a second over ten seconds, an outage costs a fifth more attempts and the reserve.
//! A retry is charged when it is scheduled, not when it starts, so that failures in back-off count.
//!
//! Each candidate has its own, so that a model that fails does not spend what its neighbours need. One tenant
//! may use only a share of it when there are several, so that one bad key does not spend what all need.
//! Amounts are thousandths of a retry: a ratio is not rounded to one retry in a whole number of requests.

use crate::config;
use crate::ring::Ring;
use crate::units::Micros;

/// Thousandths of a retry.
const MILLI: u64 = 1_000;

/// Slots of the window; expiry is exact to a tenth of it.
const SLOTS: usize = 10;

/// The retry budget of one candidate. Tenants are told apart by a small number.
#[derive(Clone, Debug)]
pub(crate) struct RetryBudget {
    rules: Rules,
    deposits: Ring<SLOTS>,
    charges: Ring<SLOTS>,
    by_tenant: Vec<Ring<SLOTS>>,
}

/// The configuration in whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Rules {
    window: Micros,
    /// Thousandths of a retry for each request.
    deposit: u64,
    /// Thousandths of a retry that are always there in a window.
    reserve: u64,
    /// Thousandths that one of several tenants may use.
    share: u64,
}

impl RetryBudget {
    /// Nothing deposited yet.
    pub(crate) fn new(config: &config::RetryBudget) -> Self {
        let rules = Rules::new(config);
        let ring = Ring::new(rules.window);
        Self { rules, deposits: ring.clone(), charges: ring, by_tenant: Vec::new() }
    }

    /// Goes over to other rules. Another window starts anew; otherwise what happened still counts.
    pub(crate) fn configure(&mut self, config: &config::RetryBudget) {
        let rules = Rules::new(config);
        if rules.window == self.rules.window {
            self.rules = rules;
        } else {
            *self = Self::new(config);
        }
    }

    /// A request entered.
    pub(crate) fn deposit(&mut self, now: Micros) {
        self.deposits.add(now, self.rules.deposit);
    }

    /// Retries that this tenant may still schedule; `several` when it is not the only tenant.
    pub(crate) fn left(&self, now: Micros, tenant: usize, several: bool) -> u32 {
        let all = self.rules.reserve.saturating_add(self.deposits.total(now));
        let share = if several { all.saturating_mul(self.rules.share) / MILLI } else { all };
        let used = self.by_tenant.get(tenant).map_or(0, |ring| ring.total(now));
        let left = share.saturating_sub(used).min(all.saturating_sub(self.charges.total(now)));
        u32::try_from(left / MILLI).unwrap_or(u32::MAX)
    }

    /// Charges one retry. `false`: none is left, and nothing was charged.
    pub(crate) fn charge(&mut self, now: Micros, tenant: usize, several: bool) -> bool {
        if self.left(now, tenant, several) == 0 {
            return false;
        }
        if self.by_tenant.len() <= tenant {
            self.by_tenant.resize(tenant + 1, Ring::new(self.rules.window));
        }
        self.by_tenant[tenant].add(now, MILLI);
        self.charges.add(now, MILLI);
        true
    }
}

impl Rules {
    fn new(config: &config::RetryBudget) -> Self {
        Self {
            window: config.window,
            deposit: thousandths(config.ratio),
            reserve: (config.reserve_per_second.max(0.0) * config.window.as_secs_f64() * 1e3)
                as u64,
            share: thousandths(config.tenant_share),
        }
    }
}

fn thousandths(share: f64) -> u64 {
    (share.clamp(0.0, 1.0) * 1e3).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: config::RetryBudget = config::RetryBudget {
        ratio: 0.2,
        reserve_per_second: 1.0,
        window: Micros::from_secs(10),
        tenant_share: 0.5,
    };

    #[test]
    fn grows_with_requests_and_expires() {
        let mut budget = RetryBudget::new(&RULES);
        assert_eq!(budget.left(Micros(0), 0, false), 10);
        for _ in 0..50 {
            budget.deposit(Micros(0));
        }
        assert_eq!(budget.left(Micros(0), 0, false), 20);
        assert_eq!(budget.left(Micros::from_secs(10), 0, false), 10);
    }

    #[test]
    fn deposits_expire_a_slot_at_a_time() {
        let mut budget = RetryBudget::new(&RULES);
        for second in 0..10 {
            (0..5).for_each(|_| budget.deposit(Micros::from_secs(second)));
        }
        let left = |second| budget.left(Micros::from_secs(second), 0, false);
        assert_eq!([9, 10, 14, 18, 19].map(left), [20, 19, 15, 11, 10]);
    }

    #[test]
    fn a_ratio_is_what_it_says() {
        for (ratio, retries) in [(0.4, 40), (0.7, 70), (0.001, 0), (1.0, 100)] {
            let rules = config::RetryBudget { ratio, reserve_per_second: 0.0, ..RULES };
            let mut budget = RetryBudget::new(&rules);
            (0..100).for_each(|_| budget.deposit(Micros(0)));
            assert_eq!(budget.left(Micros(0), 0, false), retries, "{ratio}");
        }
    }

    #[test]
    fn a_minute_of_failures_costs_the_ratio_and_the_reserve() {
        let mut budget = RetryBudget::new(&config::RetryBudget::default());
        let (mut requests, mut retries) = (0, 0);
        for tick in 0..6_000 {
            let now = Micros::from_millis(tick * 10);
            requests += 1;
            budget.deposit(now);
            while budget.charge(now, 0, false) {
                retries += 1;
            }
        }
        let allowed = requests / 5 + 60 * 10;
        assert!((allowed * 9 / 10..=allowed + 100 + 200).contains(&retries), "{retries}");
    }

    #[test]
    fn is_never_overdrawn_and_one_tenant_leaves_the_rest() {
        let mut budget = RetryBudget::new(&RULES);
        let charged = (0..100).filter(|_| budget.charge(Micros(0), 3, true)).count();
        assert_eq!(charged, 5, "half of ten");
        let others = (0..100).filter(|_| budget.charge(Micros(0), 0, true)).count();
        assert_eq!(others, 5);
        assert!(!budget.charge(Micros(0), 1, true));
        assert_eq!(budget.left(Micros::from_secs(10), 3, true), 5, "charges expire");
    }
}
