//! A cell: one thing that can run out, a (scope, dimension).

mod closure;

use weir_sdk::types::Demand;

pub(crate) use self::closure::{Closure, Trickle, doubled};
use crate::bucket::Bucket;
use crate::budget::{Budget, Spent};
use crate::ids::CellId;
use crate::output::Blocked;
use crate::slots::{Cap, SlotCell};
use crate::units::Micros;

/// Whose a cell is. The numbers are the ledger's own: an upstream, model or tenant keeps its number for the
/// host's life, whatever its place in the configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// A tenant of this gateway, over all upstreams.
    Tenant(u32),
    /// One model at one upstream.
    Model(u32),
    /// A whole account at a provider.
    Account(u32),
}

impl Scope {
    /// A provider's, not a tenant's.
    #[must_use]
    pub const fn is_provider(self) -> bool {
        !matches!(self, Self::Tenant(_))
    }
}

/// What of it can run out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dimension {
    /// Attempts in flight.
    Slots,
    /// Requests in a window.
    Requests,
    /// Tokens in a window, input and output together.
    Tokens,
    /// Input tokens in a window.
    Input,
    /// Output tokens in a window.
    Output,
    /// Requests a second that the limit policy allows.
    RequestRate,
    /// Tokens a second that the limit policy allows.
    TokenRate,
    /// Tokens of a tenant's quota.
    TokenBudget,
    /// Money of a tenant's quota.
    MoneyBudget,
}

/// How many dimensions there are.
pub(crate) const DIMENSIONS: usize = Dimension::MoneyBudget as usize + 1;

impl Dimension {
    /// The word used in events and metrics.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Slots => "slots",
            Self::Requests => "requests",
            Self::Tokens => "tokens",
            Self::Input => "input",
            Self::Output => "output",
            Self::RequestRate => "request_rate",
            Self::TokenRate => "token_rate",
            Self::TokenBudget => "token_budget",
            Self::MoneyBudget => "money_budget",
        }
    }

    /// What a request lacks that does not fit.
    #[must_use]
    pub const fn blocked(self) -> Blocked {
        match self {
            Self::Slots => Blocked::Slots,
            Self::Requests | Self::RequestRate => Blocked::Requests,
            Self::Tokens | Self::TokenRate => Blocked::Tokens,
            Self::Input => Blocked::Input,
            Self::Output => Blocked::Output,
            Self::TokenBudget | Self::MoneyBudget => Blocked::Budget,
        }
    }

    /// How much a demand takes of it.
    #[must_use]
    pub fn amount(self, demand: &Demand) -> u64 {
        match self {
            Self::Slots => u64::from(demand.slots),
            Self::Requests | Self::RequestRate => u64::from(demand.requests),
            Self::Tokens | Self::TokenRate | Self::TokenBudget => {
                demand.input.saturating_add(demand.output)
            }
            Self::Input => demand.input,
            Self::Output => demand.output,
            Self::MoneyBudget => demand.cost,
        }
    }
}

/// One thing that can run out. Read it here; the ledger changes it.
#[derive(Debug)]
pub struct Cell {
    pub(crate) id: CellId,
    pub(crate) scope: Scope,
    pub(crate) dimension: Dimension,
    pub(crate) body: Body,
    pub(crate) closure: Closure,
    pub(crate) trickle: Option<Trickle>,
    /// What attempts in flight hold.
    pub(crate) held: u64,
    /// The part of it that the provider's numbers do not show yet.
    pub(crate) unseen: u64,
    pub(crate) retired: bool,
}

/// What a cell counts with.
#[derive(Debug)]
pub(crate) enum Body {
    Slots(Box<SlotCell>),
    Cap(Cap),
    Window(Bucket),
    Budget(Budget),
}

/// What a cell lacks for an amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lack {
    /// A release: of slots, or of a reservation.
    Release,
    /// Time; `None` when no time is known.
    Time(Blocked, Option<Micros>),
    /// Size; it holds so much at most.
    Size(u64),
}

impl Cell {
    /// An open, full cell.
    pub(crate) fn new(id: CellId, scope: Scope, dimension: Dimension, body: Body) -> Self {
        Self {
            id,
            scope,
            dimension,
            body,
            closure: Closure::default(),
            trickle: None,
            held: 0,
            unseen: 0,
            retired: false,
        }
    }

    /// Its name.
    #[must_use]
    pub fn id(&self) -> CellId {
        self.id
    }

    /// Whose it is.
    #[must_use]
    pub fn scope(&self) -> Scope {
        self.scope
    }

    /// What of it.
    #[must_use]
    pub fn dimension(&self) -> Dimension {
        self.dimension
    }

    /// What attempts in flight hold, in its own unit.
    #[must_use]
    pub fn held(&self) -> u64 {
        self.held
    }

    /// The configuration dropped it.
    #[must_use]
    pub fn is_retired(&self) -> bool {
        self.retired
    }

    /// The slots of an account.
    #[must_use]
    pub fn slots(&self) -> Option<&SlotCell> {
        match &self.body {
            Body::Slots(slots) => Some(slots),
            _ => None,
        }
    }

    /// The slots of an account, to change.
    pub(crate) fn slots_mut(&mut self) -> Option<&mut SlotCell> {
        match &mut self.body {
            Body::Slots(slots) => Some(slots),
            _ => None,
        }
    }

    /// The bucket of a window, to change.
    pub(crate) fn bucket_mut(&mut self) -> Option<&mut Bucket> {
        match &mut self.body {
            Body::Window(bucket) => Some(bucket),
            _ => None,
        }
    }

    /// The budget of a tenant.
    pub(crate) fn budget(&self) -> Option<&Budget> {
        match &self.body {
            Body::Budget(budget) => Some(budget),
            _ => None,
        }
    }

    /// What is missing for an amount, if anything.
    pub(crate) fn lack(&self, now: Micros, amount: u64, class: u8, spare: u32) -> Option<Lack> {
        let lack = match &self.body {
            Body::Slots(slots) => short_of(slots.free(now, class, spare), amount),
            Body::Cap(cap) if amount > u64::from(cap.limit) => {
                Some(Lack::Size(u64::from(cap.limit)))
            }
            Body::Cap(cap) => short_of(cap.free(), amount),
            Body::Window(bucket) => match bucket.until(now, amount) {
                None => Some(Lack::Size(bucket.capacity().unwrap_or(0))),
                Some(at) => (at > now).then_some(Lack::Time(self.dimension.blocked(), Some(at))),
            },
            Body::Budget(budget) => match budget.check(now, amount) {
                Ok(()) => None,
                Err(Spent::Never) => Some(Lack::Size(budget.total())),
                Err(Spent::Reserved) => Some(Lack::Release),
                Err(Spent::Until(at)) => Some(Lack::Time(Blocked::Budget, at)),
            },
        };
        self.lack_of_opening(now, lack)
    }

    /// What an attempt may take now; `u64::MAX` when nothing limits it.
    pub(crate) fn room(&self, now: Micros) -> u64 {
        if self.closed_until(now).is_some() {
            return 0;
        }
        match &self.body {
            Body::Slots(slots) => u64::from(slots.effective(now).saturating_sub(slots.in_flight())),
            Body::Cap(cap) => u64::from(cap.free()),
            Body::Window(bucket) => bucket.room(now),
            Body::Budget(budget) => budget.free(now),
        }
    }

    /// Closed until then, by a closure or because a window that comes back has had its step.
    pub(crate) fn closed_until(&self, now: Micros) -> Option<Micros> {
        let trickle = self.trickle.and_then(|trickle| trickle.full_until(now));
        self.closure.until(now).max(trickle)
    }

    /// Takes an amount that fits, or goes into debt.
    pub(crate) fn take(&mut self, now: Micros, amount: u64, class: u8) {
        self.held = self.held.saturating_add(amount);
        match &mut self.body {
            Body::Slots(slots) => slots.take(narrow(amount), class),
            Body::Cap(cap) => cap.in_flight = cap.in_flight.saturating_add(narrow(amount)),
            Body::Window(bucket) => bucket.take(now, amount),
            Body::Budget(budget) => budget.reserve(amount),
        }
        if self.is_counted() {
            self.unseen = self.unseen.saturating_add(amount);
        }
    }

    /// An admission passes through a window that comes back.
    pub(crate) fn admit(&mut self, now: Micros) {
        if self.trickle.is_some_and(|trickle| trickle.is_over(now)) {
            self.trickle = None;
        }
        if let Some(trickle) = &mut self.trickle {
            trickle.admit();
        }
    }

    /// Gives back what was reserved, less what was used.
    pub(crate) fn settle(&mut self, now: Micros, reserved: u64, used: u64, class: u8) {
        self.held = self.held.saturating_sub(reserved);
        match &mut self.body {
            Body::Slots(slots) => slots.give(narrow(reserved), class),
            Body::Cap(cap) => cap.in_flight = cap.in_flight.saturating_sub(narrow(reserved)),
            Body::Window(bucket) if used > reserved => bucket.take(now, used - reserved),
            Body::Window(bucket) => bucket.give(now, reserved - used),
            Body::Budget(budget) => budget.settle(now, reserved, used),
        }
    }

    /// The provider's numbers show so much more of what is held.
    pub(crate) fn seen(&mut self, amount: u64) {
        self.unseen = self.unseen.saturating_sub(amount);
    }

    /// A window that a provider counts and states.
    pub(crate) fn is_counted(&self) -> bool {
        let window = matches!(
            self.dimension,
            Dimension::Requests | Dimension::Tokens | Dimension::Input | Dimension::Output
        );
        window && self.scope.is_provider()
    }

    fn lack_of_opening(&self, now: Micros, lack: Option<Lack>) -> Option<Lack> {
        let closed = self.closed_until(now);
        match (lack, closed) {
            (lack, None) | (lack @ Some(Lack::Size(_) | Lack::Time(_, None)), _) => lack,
            (Some(Lack::Time(_, at)), closed) => Some(Lack::Time(Blocked::Closed, at.max(closed))),
            (None | Some(Lack::Release), closed) => Some(Lack::Time(Blocked::Closed, closed)),
        }
    }
}

fn short_of(free: u32, amount: u64) -> Option<Lack> {
    (u64::from(free) < amount).then_some(Lack::Release)
}

fn narrow(amount: u64) -> u32 {
    u32::try_from(amount).unwrap_or(u32::MAX)
}
