//! From admission to settlement.

use super::Ledger;
use super::admit::cost;
use super::configure::counted;
use crate::budget::Spent;
use crate::cell::{Dimension, Scope};
use crate::claim::{Growth, Held, Part, Short, Usage};
use crate::input::{self, Facts};
use crate::output::Settled;
use crate::units::{Micros, NanoDollars, Tokens};

/// The least that a reservation grows by.
const LEAST_STEP: u64 = 256;

/// What an attempt used, as its cells count it.
struct Used {
    /// Counts against a provider's request windows.
    requests: u64,
    /// A start counts against the limit policy's pace.
    paced: u64,
    /// Counts against a provider's input windows.
    counted: u64,
    /// Counts against the tenant's windows and budget.
    input: u64,
    output: u64,
    cost: u64,
}

impl Ledger {
    /// The provider took the attempt up: its numbers show it from now on, and its headers correct the
    /// buckets. Output is the exception: providers count it while it is produced.
    pub fn accepted(&mut self, now: Micros, held: &mut Held, facts: &Facts) {
        self.reveal(held, |dimension| dimension != Dimension::Output);
        held.accepted = true;
        self.believe(now, held.claim.model, held.slots, facts);
    }

    /// Output has passed the reservation. Reserves `max(256 tokens, 25 %)` beyond `output`, or only
    /// `output` when the budget has no more; windows go into debt for it.
    pub fn grow(&mut self, now: Micros, held: &mut Held, output: Tokens) -> Growth {
        let output = Tokens(counted(output.0));
        if output <= held.output_reserved() {
            return Growth::Reserved(held.output_reserved());
        }
        let step = Tokens(LEAST_STEP.max(output.0 / 4));
        let wanted = Tokens(counted(output.plus(step).0));
        let retry_after = match self.budget_allows(now, held, wanted) {
            Ok(()) => return self.grow_to(now, held, wanted),
            Err(_) => match self.budget_allows(now, held, output) {
                Ok(()) => return self.grow_to(now, held, output),
                Err(retry_after) => retry_after,
            },
        };
        self.note_hard(now, held.claim());
        Growth::Cut { retry_after: retry_after.map(|at| at.minus(now)) }
    }

    /// A parent waits for its children: gives its slots back, and keeps the rest.
    pub fn park(&mut self, now: Micros, held: &mut Held) {
        if held.parked {
            return;
        }
        held.parked = true;
        for part in held.claim.parts.clone() {
            if self.dimension(part.cell) == Dimension::Slots {
                self.at(part.cell).settle(now, part.amount, 0, held.claim.size_class);
            }
        }
    }

    /// A parked parent goes on: takes its slots again.
    ///
    /// # Errors
    /// No slot is free, or the cell is closed; it stays parked.
    pub fn unpark(&mut self, now: Micros, held: &mut Held) -> Result<(), Short> {
        if !held.parked {
            return Ok(());
        }
        self.check_parts(now, &held.claim, |dimension| dimension == Dimension::Slots)?;
        held.parked = false;
        for part in held.claim.parts.clone() {
            if self.dimension(part.cell) == Dimension::Slots {
                self.at(part.cell).take(now, part.amount, held.claim.size_class);
            }
        }
        Ok(())
    }

    /// The attempt ended: gives its slots back, and corrects every bucket and budget by the difference
    /// between what was reserved and what was used. Headers are believed when they were not by
    /// [`Self::accepted`]: at the end of a stream they are old.
    pub fn settle(&mut self, now: Micros, held: Held, usage: Usage, facts: &Facts) -> Settled {
        let (used, settled) = reckon(&held, usage);
        let accepted = held.accepted;
        self.reveal(&held, |dimension| !accepted || dimension == Dimension::Output);
        for part in &held.claim.parts {
            let (scope, dimension) = {
                let cell = &self.cells[part.cell.0 as usize];
                (cell.scope, cell.dimension)
            };
            if dimension == Dimension::Slots && held.parked {
                continue;
            }
            let used = used.of(scope, dimension);
            self.at(part.cell).settle(now, part.amount, used, held.claim.size_class);
        }
        if !accepted {
            self.believe(now, held.claim.model, held.slots, facts);
        }
        self.note_spent(now, &held.claim);
        settled
    }

    /// What is held in those dimensions is in the provider's numbers now.
    fn reveal(&mut self, held: &Held, which: impl Fn(Dimension) -> bool) {
        for part in &held.claim.parts {
            let cell = self.at(part.cell);
            if cell.is_counted() && which(cell.dimension) {
                cell.seen(part.amount);
            }
        }
    }

    /// Whether the tenant's budget has what more output takes; when it comes back if not.
    fn budget_allows(
        &self,
        now: Micros,
        held: &Held,
        output: Tokens,
    ) -> Result<(), Option<Micros>> {
        for part in &held.claim.parts {
            let cell = &self.cells[part.cell.0 as usize];
            let Some(budget) = cell.budget() else { continue };
            let more = grown(held, cell.dimension, output);
            match budget.check(now, more) {
                Ok(()) => {}
                Err(Spent::Never | Spent::Reserved) => return Err(budget.renews(now)),
                Err(Spent::Until(at)) => return Err(at),
            }
        }
        Ok(())
    }

    fn grow_to(&mut self, now: Micros, held: &mut Held, output: Tokens) -> Growth {
        for at in 0..held.claim.parts.len() {
            let Part { cell, amount } = held.claim.parts[at];
            let dimension = self.dimension(cell);
            let more = grown(held, dimension, output);
            if more == 0 {
                continue;
            }
            held.claim.parts[at].amount = amount.saturating_add(more);
            let seen = held.accepted && dimension != Dimension::Output;
            let class = held.claim.size_class;
            let cell = self.at(cell);
            cell.take(now, more, class);
            if seen && cell.is_counted() {
                cell.seen(more);
            }
        }
        held.claim.demand.cost = held.cost_of(output).0;
        held.claim.demand.output = output.0;
        Growth::Reserved(output)
    }
}

impl Held {
    fn cost_of(&self, output: Tokens) -> NanoDollars {
        cost(&self.price, Tokens(self.claim.demand.input), Tokens::ZERO, output)
    }
}

/// What a reservation of so much output takes beyond the present one.
fn grown(held: &Held, dimension: Dimension, output: Tokens) -> u64 {
    let demand = &held.claim.demand;
    match dimension {
        Dimension::Slots | Dimension::Requests | Dimension::RequestRate | Dimension::Input => 0,
        Dimension::MoneyBudget => held.cost_of(output).0.saturating_sub(demand.cost),
        Dimension::Tokens | Dimension::Output | Dimension::TokenRate | Dimension::TokenBudget => {
            output.0.saturating_sub(demand.output)
        }
    }
}

impl Used {
    fn of(&self, scope: Scope, dimension: Dimension) -> u64 {
        let provider = scope.is_provider();
        let input = if provider { self.counted } else { self.input };
        match dimension {
            Dimension::Slots => 0,
            Dimension::Requests if provider => self.requests,
            Dimension::Requests | Dimension::RequestRate => self.paced,
            Dimension::Input => input,
            Dimension::Output => self.output,
            Dimension::Tokens | Dimension::TokenRate | Dimension::TokenBudget => {
                input.saturating_add(self.output)
            }
            Dimension::MoneyBudget => self.cost,
        }
    }
}

/// What an attempt used, for its cells and for its driver.
fn reckon(held: &Held, usage: Usage) -> (Used, Settled) {
    let demand = &held.claim.demand;
    let requests = u64::from(demand.requests);
    match usage {
        Usage::Exact(usage) => (exact(held, requests, &usage), settled(held, &usage, true)),
        Usage::Unknown { output_seen } => {
            let usage = input::Usage {
                input_counted: Tokens(demand.input),
                input: Tokens(demand.input),
                cached: Tokens::ZERO,
                output: Tokens(demand.output.max(counted(output_seen.0))),
            };
            (exact(held, requests, &usage), settled(held, &usage, false))
        }
        Usage::Refused => (nothing(requests), Settled { exact: true, ..Settled::default() }),
        Usage::Unsent => (nothing(0), Settled { exact: true, ..Settled::default() }),
    }
}

fn exact(held: &Held, requests: u64, usage: &input::Usage) -> Used {
    Used {
        requests,
        paced: requests,
        counted: counted(usage.input_counted.0),
        input: counted(usage.input.0),
        output: counted(usage.output.0),
        cost: cost(&held.price, usage.input, usage.cached, usage.output).0,
    }
}

fn settled(held: &Held, usage: &input::Usage, exact: bool) -> Settled {
    Settled {
        input: usage.input,
        cached: usage.cached,
        output: usage.output,
        cost: cost(&held.price, usage.input, usage.cached, usage.output),
        exact,
    }
}

/// Nothing but the requests that a provider counted.
fn nothing(requests: u64) -> Used {
    Used { requests, paced: 0, counted: 0, input: 0, output: 0, cost: 0 }
}
