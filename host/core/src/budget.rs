//! What a tenant may spend in a period.

use crate::ids::TenantId;
use crate::units::{Micros, NanoDollars, Tokens};

/// A threshold that a tenant's budget passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crossing {
    /// Whose.
    pub tenant: TenantId,
    /// Which threshold.
    pub threshold: Threshold,
    /// What is left.
    pub left: Left,
}

/// Which threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threshold {
    /// The soft share is spent.
    Soft,
    /// It is spent, or too little is left for a request that came.
    Hard,
}

/// What is left of a tenant's budget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Left {
    /// Tokens, when they are limited.
    pub tokens: Option<Tokens>,
    /// Money, when it is limited.
    pub cost: Option<NanoDollars>,
    /// When the budget comes back, from now; `None` when it never does or there is none.
    pub renews: Option<Micros>,
}

/// One dimension of a tenant's quota. What is reserved counts as gone until it is settled.
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    total: u64,
    /// Spent in the period that `index` numbers.
    spent: u64,
    /// Held by attempts in flight, whatever period they began in.
    reserved: u64,
    /// Zero when it never comes back.
    period: Micros,
    index: u64,
    /// Thousandths.
    soft: u16,
}

/// Why a budget does not allow an amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spent {
    /// It is more than the whole.
    Never,
    /// It is not spent, but attempts in flight have reserved it: most will give some back.
    Reserved,
    /// It may fit when the budget comes back; `None` when it never does.
    Until(Option<Micros>),
}

impl Budget {
    /// Nothing spent.
    pub(crate) fn new(total: u64, period: Micros, soft: u16) -> Self {
        Self { total, spent: 0, reserved: 0, period, index: 0, soft }
    }

    /// Other bounds; what is spent and reserved stays.
    pub(crate) fn configure(&mut self, now: Micros, total: u64, period: Micros, soft: u16) {
        self.roll(now);
        (self.total, self.period, self.soft) = (total, period, soft);
        self.index = self.number(now);
    }

    /// The whole.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// What attempts in flight hold of it.
    pub(crate) fn reserved(&self) -> u64 {
        self.reserved
    }

    /// Neither spent nor reserved.
    pub(crate) fn free(&self, now: Micros) -> u64 {
        self.total.saturating_sub(self.spent(now)).saturating_sub(self.reserved)
    }

    /// Not spent; what is reserved is not spent yet.
    pub(crate) fn unspent(&self, now: Micros) -> u64 {
        self.total.saturating_sub(self.spent(now))
    }

    /// Whether so much is free.
    pub(crate) fn check(&self, now: Micros, amount: u64) -> Result<(), Spent> {
        if amount > self.total {
            return Err(Spent::Never);
        }
        if amount <= self.free(now) {
            Ok(())
        } else if amount <= self.unspent(now) {
            Err(Spent::Reserved)
        } else {
            Err(Spent::Until(self.renews(now)))
        }
    }

    /// Reserves so much.
    pub(crate) fn reserve(&mut self, amount: u64) {
        self.reserved = self.reserved.saturating_add(amount);
    }

    /// Turns a reservation into what was spent; the two may differ either way.
    pub(crate) fn settle(&mut self, now: Micros, reserved: u64, used: u64) {
        self.roll(now);
        self.reserved = self.reserved.saturating_sub(reserved);
        self.spent = self.spent.saturating_add(used);
    }

    /// When it comes back whole.
    pub(crate) fn renews(&self, now: Micros) -> Option<Micros> {
        let next = self.number(now).checked_add(1)?.checked_mul(self.period.0)?;
        (self.period.0 > 0).then_some(Micros(next))
    }

    /// The number of the period that runs.
    pub(crate) fn number(&self, now: Micros) -> u64 {
        now.0.checked_div(self.period.0).unwrap_or(0)
    }

    /// Thousandths spent; 1000 at most.
    pub(crate) fn share(&self, now: Micros) -> u16 {
        let spent = u128::from(self.spent(now).min(self.total));
        let share = (spent * 1_000).checked_div(u128::from(self.total)).unwrap_or(1_000);
        u16::try_from(share).unwrap_or(1_000)
    }

    /// The soft share is spent.
    pub(crate) fn past_soft(&self, now: Micros) -> bool {
        self.share(now) >= self.soft
    }

    /// All of it is spent.
    pub(crate) fn is_spent(&self, now: Micros) -> bool {
        self.spent(now) >= self.total
    }

    fn spent(&self, now: Micros) -> u64 {
        if self.number(now) == self.index { self.spent } else { 0 }
    }

    fn roll(&mut self, now: Micros) {
        self.spent = self.spent(now);
        self.index = self.number(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Micros = Micros::from_secs(3600);

    #[test]
    fn reserves_then_settles_either_way() {
        let mut budget = Budget::new(100, HOUR, 800);
        budget.reserve(60);
        assert_eq!(budget.check(Micros(1), 41), Err(Spent::Reserved));
        budget.settle(Micros(1), 60, 10);
        assert_eq!(budget.free(Micros(1)), 90);
        assert_eq!(budget.check(Micros(1), 91), Err(Spent::Until(Some(HOUR))));
        budget.reserve(50);
        budget.settle(Micros(1), 50, 75);
        assert_eq!((budget.free(Micros(1)), budget.past_soft(Micros(1))), (15, true));
    }

    #[test]
    fn comes_back_whole_and_keeps_what_is_reserved() {
        let mut budget = Budget::new(100, HOUR, 800);
        budget.reserve(30);
        budget.reserve(70);
        budget.settle(Micros(5), 70, 70);
        assert_eq!(budget.free(HOUR), 70);
        budget.settle(HOUR, 30, 20);
        assert_eq!(budget.free(HOUR), 80, "spent in the period of its settlement");
    }

    #[test]
    fn more_than_the_whole_never_fits_and_a_lifetime_never_renews() {
        let budget = Budget::new(10, Micros::ZERO, 1000);
        assert_eq!(budget.check(Micros(1), 11), Err(Spent::Never));
        assert_eq!(budget.renews(Micros(1)), None);
    }
}
