//! The rounds of siblings.

use weir_sdk::schedule::Sharing;

use crate::account::Account;

/// The rounds that have passed. A flow's turn is the first round in which its deficit is above zero.
#[derive(Clone, Debug)]
pub struct Rounds {
    quantum: i64,
    round: u64,
}

impl Rounds {
    pub(crate) fn new(quantum: u32) -> Self {
        Self { quantum: quantum.into(), round: 0 }
    }
}

impl Sharing for Rounds {
    type Account = Account;

    fn join(&self) -> Account {
        Account::new(self.quantum, self.round)
    }

    fn weigh(&mut self, account: &mut Account, weight: u32) {
        account.set_grant(self.round, self.quantum.saturating_mul(weight.into()));
    }

    fn wait(&mut self, account: &mut Account, _least: Option<i64>) {
        account.set_active(self.round, true);
    }

    fn rest(&mut self, account: &mut Account) {
        account.set_active(self.round, false);
    }

    /// The rounds until then have passed.
    fn serve(&mut self, account: &mut Account) {
        self.round = self.round.max(account.eligible());
    }

    fn charge(&mut self, account: &mut Account, units: i64) -> bool {
        let had = account.deficit(self.round) > 0;
        account.charge(self.round, units);
        had && account.deficit(self.round) <= 0
    }

    fn turn(&self, account: &Account) -> i64 {
        i64::try_from(account.eligible()).unwrap_or(i64::MAX)
    }

    /// Its deficit, where that is not zero.
    fn standing(&self, account: &Account, _waits: bool) -> Option<i64> {
        Some(account.deficit(self.round)).filter(|deficit| *deficit != 0)
    }

    fn adopt(&mut self, account: &mut Account, deficit: i64) {
        account.charge(self.round, account.deficit(self.round).saturating_sub(deficit));
    }
}
