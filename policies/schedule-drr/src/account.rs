//! The deficit of one flow.

/// What a flow may still take, as of a round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// Units that a round gives it: quantum times weight.
    grant: i64,
    /// Its deficit when it was last settled; negative while it owes.
    deficit: i64,
    /// The round of that.
    settled: u64,
    /// It has something that waits.
    active: bool,
}

impl Account {
    pub(crate) fn new(grant: i64, round: u64) -> Self {
        Self { grant: grant.max(1), deficit: 0, settled: round, active: false }
    }

    /// Its deficit in a round. Credit never passes one grant, and an idle flow gains none.
    pub(crate) fn deficit(&self, round: u64) -> i64 {
        let rounds = round.saturating_sub(self.settled);
        if rounds == 0 {
            return self.deficit;
        }
        let given = self.grant.saturating_mul(i64::try_from(rounds).unwrap_or(i64::MAX));
        let most = if self.active { self.grant } else { 0 };
        self.deficit.saturating_add(given).min(most)
    }

    /// The first round in which its deficit is above zero.
    pub(crate) fn eligible(&self) -> u64 {
        if self.deficit > 0 {
            return self.settled;
        }
        let owed = self.deficit.unsigned_abs() + 1;
        self.settled.saturating_add(owed.div_ceil(self.grant.unsigned_abs()))
    }

    /// Takes units from it, or gives them back when negative.
    pub(crate) fn charge(&mut self, round: u64, units: i64) {
        self.settle(round);
        self.deficit = self.deficit.saturating_sub(units);
    }

    pub(crate) fn set_grant(&mut self, round: u64, grant: i64) {
        self.settle(round);
        self.grant = grant.max(1);
    }

    pub(crate) fn set_active(&mut self, round: u64, active: bool) {
        if self.active != active {
            self.settle(round);
            self.active = active;
        }
    }

    fn settle(&mut self, round: u64) {
        self.deficit = self.deficit(round);
        self.settled = self.settled.max(round);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debt_is_paid_by_rounds_and_credit_stops_at_a_grant() {
        let mut account = Account::new(100, 0);
        account.set_active(0, true);
        account.charge(0, 250);
        assert_eq!(account.eligible(), 3);
        assert_eq!([1, 2, 3, 4, 50].map(|round| account.deficit(round)), [-150, -50, 50, 100, 100]);
    }

    #[test]
    fn an_idle_flow_pays_its_debt_and_gains_nothing() {
        let mut account = Account::new(100, 0);
        account.charge(0, 250);
        assert_eq!([1, 3, 50].map(|round| account.deficit(round)), [-150, 0, 0]);
    }

    #[test]
    fn a_refund_makes_it_eligible_at_once() {
        let mut account = Account::new(100, 0);
        account.charge(0, 50);
        account.charge(0, -60);
        assert_eq!((account.deficit(0), account.eligible()), (10, 0));
    }

    #[test]
    fn the_largest_debt_does_not_overflow() {
        let mut account = Account::new(1, 0);
        account.charge(0, i64::MAX);
        account.charge(0, i64::MAX);
        assert!(account.eligible() > 1_000_000);
    }
}
