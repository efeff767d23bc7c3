//! The ledger: every cell, and what is taken from it.
//!
//! It answers whether a claim fits, takes a whole claim or nothing, corrects itself by what providers say,
//! and closes the cell that a refusal is about and nothing beside it. It calls no policy and says no event;
//! whoever drives it does.
//!
//! Rules that always hold, checked by [`Ledger::check_invariants`]:
//!
//! - What attempts hold of a cell sums to what the cell says is held. When nothing is in flight it is zero.
//! - A bucket never holds more than its capacity. It may owe: debt is kept until refill has paid it.
//! - At a commit, slots in flight are at most the effective limit.
//! - A closure only lengthens, until an operator or a later success clears it.
//! - A cell's id is never reused. A cell that configuration drops is retired; what is held of it is still
//!   given back to it.

use weir_sdk::limit;
use weir_sdk::types::{Demand, Verdict};

use crate::budget::{Crossing, Left};
use crate::cell::{Cell, Dimension, Scope};
use crate::claim::{Claim, Growth, Held, Room, Short, Usage};
use crate::config::Config;
use crate::ids::{CandidateId, CellId, TenantId};
use crate::input::Facts;
use crate::output::Settled;
use crate::slots::{Change, Nonsense, SlotCell};
use crate::units::{Micros, NanoDollars, Tokens};

/// All cells. See the module's text.
#[derive(Debug)]
pub struct Ledger {}

/// What a new configuration did to cells of slots that a limit policy governs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reconfigured {
    /// Accounts that are new: ask the limit policy to open them.
    pub opened: Vec<CellId>,
    /// Every cell that is gone, governed or not: tell the policies to forget it.
    pub retired: Vec<CellId>,
}

/// The cell that a verdict is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// Which cell.
    pub cell: CellId,
    /// Whose it is.
    pub scope: Scope,
    /// What of it.
    pub dimension: Dimension,
    /// The provider said whose limit it is; otherwise the narrowest is taken.
    pub known: bool,
}

/// What a verdict closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frozen {
    /// What the verdict is about.
    pub target: Target,
    /// The cell admits nothing before this; `None` when the verdict closes nothing: it names no time and
    /// its kind is one that the limit policy answers.
    pub until: Option<Micros>,
    /// The closure is later than it was.
    pub lengthened: bool,
}

/// An invariant that does not hold: a defect of this program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Broken {
    /// Claims in flight and the cell's own count differ.
    #[error("cell {cell}: {what} is {found}, expected {expected}")]
    Sum {
        /// Which.
        cell: CellId,
        /// Which number.
        what: &'static str,
        /// What it is.
        found: i128,
        /// What it should be (at most, for a bound).
        expected: i128,
    },
}

impl Ledger {
    /// The cells of a configuration.
    #[must_use]
    pub fn new(now: Micros, config: &Config) -> Self {
        todo!()
    }

    /// Goes over to a new configuration. Cells are matched by the names of upstream, model and tenant and
    /// by dimension; those that stay keep levels, debts, closures and what is held.
    pub fn configure(&mut self, now: Micros, config: &Config) -> Reconfigured {
        todo!()
    }

    // --- What there is -----------------------------------------------------------------------------

    /// How many candidates the configuration has; their ids are `0..candidates()`.
    #[must_use]
    pub fn candidates(&self) -> u32 {
        todo!()
    }

    /// The account's cell of slots for a candidate. `None` for a candidate that is not configured.
    #[must_use]
    pub fn slots_of(&self, candidate: CandidateId) -> Option<CellId> {
        todo!()
    }

    /// Every account's cell of slots, in the order of upstreams.
    pub fn slot_cells(&self) -> impl Iterator<Item = CellId> + '_ {
        std::iter::empty()
    }

    /// A cell, retired ones included.
    #[must_use]
    pub fn cell(&self, id: CellId) -> Option<&Cell> {
        todo!()
    }

    /// The upstream and model of a cell, for events: empty words where it has none.
    #[must_use]
    pub fn names(&self, id: CellId) -> (&str, &str) {
        todo!()
    }

    /// Both candidates draw on at least one common cell of a provider, so their lanes share a group.
    #[must_use]
    pub fn share(&self, a: CandidateId, b: CandidateId) -> bool {
        todo!()
    }

    // --- Admission ---------------------------------------------------------------------------------

    /// What tokens cost at a candidate. Cached tokens are part of `input`.
    #[must_use]
    pub fn price(
        &self,
        candidate: CandidateId,
        input: Tokens,
        cached: Tokens,
        output: Tokens,
    ) -> NanoDollars {
        todo!()
    }

    /// The claim of one attempt. `demand.cost` is set from the candidate's price. `None` for a candidate or
    /// tenant that is not configured.
    #[must_use]
    pub fn claim(
        &self,
        candidate: CandidateId,
        tenant: TenantId,
        demand: &Demand,
        size_class: u8,
    ) -> Option<Claim> {
        todo!()
    }

    /// Whether a claim fits now.
    ///
    /// # Errors
    /// What is short, and when it could fit.
    pub fn check(&self, now: Micros, claim: &Claim) -> Result<(), Short> {
        todo!()
    }

    /// Takes a whole claim.
    ///
    /// # Errors
    /// It does not fit; nothing was taken. A budget that is short is reported by [`Self::crossings`].
    pub fn commit(&mut self, now: Micros, claim: Claim) -> Result<Held, Short> {
        todo!()
    }

    /// What is free for an attempt of this tenant at this candidate.
    #[must_use]
    pub fn room(&self, now: Micros, candidate: CandidateId, tenant: TenantId) -> Room {
        todo!()
    }

    /// What is free at this candidate, whoever asks.
    #[must_use]
    pub fn room_of_any(&self, now: Micros, candidate: CandidateId) -> Room {
        todo!()
    }

    // --- In flight ---------------------------------------------------------------------------------

    /// The provider took the attempt up: it has counted it, and its headers correct the buckets.
    pub fn accepted(&mut self, now: Micros, held: &mut Held, facts: &Facts) {
        todo!()
    }

    /// Output has passed the reservation. Reserves up to `max(256 tokens, 25 %)` beyond `output`; windows go
    /// into debt for it, only a hard budget stops it.
    pub fn grow(&mut self, now: Micros, held: &mut Held, output: Tokens) -> Growth {
        todo!()
    }

    /// A parent waits for its children: gives its slots back, and keeps the rest.
    pub fn park(&mut self, now: Micros, held: &mut Held) {
        todo!()
    }

    /// A parked parent goes on: takes its slots again.
    ///
    /// # Errors
    /// No slot is free; it stays parked.
    pub fn unpark(&mut self, now: Micros, held: &mut Held) -> Result<(), Short> {
        todo!()
    }

    /// The attempt ended: gives its slots back, corrects every bucket and budget by the difference between
    /// what was reserved and what was used, and believes the provider's headers.
    pub fn settle(&mut self, now: Micros, held: Held, usage: Usage, facts: &Facts) -> Settled {
        todo!()
    }

    // --- Limits ------------------------------------------------------------------------------------

    /// How a cell of slots stands, for the limit policy. `None` when it is not an account's cell of slots.
    #[must_use]
    pub fn view(&self, now: Micros, cell: CellId) -> Option<limit::Cell> {
        todo!()
    }

    /// What the limit policy opens a cell with: the inherited or configured start.
    #[must_use]
    pub fn opening(&self, cell: CellId) -> Option<limit::Opening> {
        todo!()
    }

    /// Takes a limit policy's answer over. The change is that of the effective limit, when there is one.
    ///
    /// # Errors
    /// The answer makes no sense; nothing of it was taken over.
    pub fn apply(
        &mut self,
        now: Micros,
        cell: CellId,
        answer: &limit::Answer,
    ) -> Result<Option<Change>, Nonsense> {
        todo!()
    }

    /// The effective limit changed by itself (a ramp went on or ended) since it was last told.
    pub fn drift(&mut self, now: Micros, cell: CellId) -> Option<Change> {
        todo!()
    }

    /// Sets how many requests wait for this cell's slots and for nothing else.
    pub fn set_slot_blocked(&mut self, cell: CellId, waiting: u32) {
        todo!()
    }

    /// The cells whose limit policy asked to be woken by now. Taken: each is answered once.
    pub fn due_wakes(&mut self, now: Micros) -> Vec<CellId> {
        todo!()
    }

    /// When something opens by itself next: a closure ends, a ramp goes on, a policy's wake is due.
    #[must_use]
    pub fn next_open(&self, now: Micros) -> Option<Micros> {
        todo!()
    }

    // --- Closures ----------------------------------------------------------------------------------

    /// The cell that a verdict is about. `None` when it is about no cell: a bad request, a network failure.
    #[must_use]
    pub fn target(&self, candidate: CandidateId, verdict: &Verdict) -> Option<Target> {
        todo!()
    }

    /// Closes the cell that a verdict is about. See [`Frozen`].
    pub fn freeze(
        &mut self,
        now: Micros,
        candidate: CandidateId,
        verdict: &Verdict,
    ) -> Option<Frozen> {
        todo!()
    }

    /// Closes a cell until then. Of two closures the later holds. Answers whether it became later.
    pub fn close(&mut self, now: Micros, cell: CellId, until: Micros) -> bool {
        todo!()
    }

    /// The cell admits nothing before this.
    #[must_use]
    pub fn closed_until(&self, now: Micros, cell: CellId) -> Option<Micros> {
        todo!()
    }

    /// The operator opens every cell of an upstream. Answers the cells that were closed.
    pub fn reopen(&mut self, now: Micros, upstream: &str) -> Vec<CellId> {
        todo!()
    }

    /// An attempt succeeded: clears closures of its cells that began before it was admitted, and goes on
    /// with their ramps.
    pub fn succeeded(&mut self, now: Micros, held: &Held) {
        todo!()
    }

    /// An attempt was refused for load: holds the ramp of the cell that the verdict is about.
    pub fn refused(&mut self, now: Micros, cell: CellId) {
        todo!()
    }

    // --- Budgets -----------------------------------------------------------------------------------

    /// Thresholds of tenants' budgets passed since the last call, each once a period.
    pub fn crossings(&mut self) -> Vec<Crossing> {
        todo!()
    }

    /// Share of a tenant's tightest budget that is spent, in thousandths; 0 when it has none.
    #[must_use]
    pub fn budget_spent(&self, now: Micros, tenant: TenantId) -> u16 {
        todo!()
    }

    /// What is left of a tenant's budget.
    #[must_use]
    pub fn budget_left(&self, now: Micros, tenant: TenantId) -> Left {
        todo!()
    }

    /// The tenant's budget is past its soft threshold: sheddable work is to be refused.
    #[must_use]
    pub fn past_soft(&self, now: Micros, tenant: TenantId) -> bool {
        todo!()
    }

    /// A request of this tenant entered: deposits into the candidate's retry budget.
    pub fn retry_deposit(&mut self, now: Micros, candidate: CandidateId, tenant: TenantId) {
        todo!()
    }

    /// Retries that the budget of this candidate's account still allows this tenant now.
    #[must_use]
    pub fn retries_left(&self, now: Micros, candidate: CandidateId, tenant: TenantId) -> u32 {
        todo!()
    }

    /// Charges one retry, when it is scheduled. `false`: the budget is spent, nothing was charged.
    pub fn retry_charge(&mut self, now: Micros, candidate: CandidateId, tenant: TenantId) -> bool {
        todo!()
    }

    /// Checks every rule of the module's text that one look can check.
    ///
    /// # Errors
    /// The first that does not hold.
    pub fn check_invariants(&self) -> Result<(), Broken> {
        todo!()
    }
}

impl Held {
    /// The attempt as limit policies are told it.
    #[must_use]
    pub fn attempt(&self, input: Tokens, output: Tokens) -> limit::Attempt {
        todo!()
    }

    /// The claim it took.
    #[must_use]
    pub fn claim(&self) -> &Claim {
        &self.claim
    }

    /// The account's cell of slots.
    #[must_use]
    pub fn slots(&self) -> CellId {
        self.slots
    }

    /// Output tokens that are reserved.
    #[must_use]
    pub fn output_reserved(&self) -> Tokens {
        Tokens(self.claim.demand.output)
    }
}
