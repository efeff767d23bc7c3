//! The answers that the host always has.
//!
//! Class-FIFO, the current limit, the least loaded candidate, the status alone, a simple retry. They keep
//! requests flowing while a policy is renewed; they are no yardstick of what a good policy does.

use std::collections::BTreeMap;

use weir_sdk::codes::{child, kind, reason, refusal, retry as action};
use weir_sdk::types::Verdict;
use weir_sdk::{classify, fanout, lifecycle, limit, priority, retry, route, schedule};

use crate::ids::{CellId, GroupId, ItemId, LaneId};
use crate::order::{Key, Order};
use crate::policies::{Fault, Feed, Policies, Slot};
use crate::units::Micros;

/// Attempts after which the fallback gives up.
const MAX_ATTEMPTS: u16 = 3;
/// The first wait before a retry; it doubles.
const FIRST_WAIT: Micros = Micros::from_millis(200);

/// The declared class, or 2; nothing ages; nothing is shed.
#[must_use]
pub fn place(declared: u8) -> priority::Placement {
    priority::Placement {
        class: if declared == 255 { 2 } else { declared },
        rank: 0,
        weight: 1,
        aging_step: 0,
        longest_wait: 0,
        may_shed: false,
    }
}

/// The limit stays as it is.
#[must_use]
pub fn keep(cell: &limit::Cell) -> limit::Answer {
    limit::Answer {
        limit: cell.limit,
        caps: (0, 0, 0, 0),
        request_rate: None,
        token_rate: None,
        closed_until: 0,
        reopen_with: 0,
        wake: 0,
        reason: reason::NONE,
        mark: 0,
    }
}

/// What the status says, and a `retry-after` in seconds.
#[must_use]
pub fn classify(response: &classify::Response) -> classify::Classification {
    let (kind, retryable) = by_status(response.status);
    let wait = response
        .headers
        .iter()
        .find(|(name, _)| name == "retry-after")
        .and_then(|(_, value)| value.trim().parse::<u64>().ok())
        .map(|seconds| Micros::from_secs(seconds.min(86_400)).0);
    classify::Classification {
        verdict: Verdict {
            kind,
            scope: 0,
            retryable,
            wait,
            shrink: false,
            needs_person: matches!(kind, kind::AUTH | kind::PERMISSION | kind::BILLING),
        },
        evidence: format!("status {}", response.status),
    }
}

const fn by_status(status: u16) -> (u16, bool) {
    match status {
        401 => (kind::AUTH, false),
        402 => (kind::BILLING, false),
        403 => (kind::PERMISSION, false),
        404 => (kind::NOT_FOUND, false),
        408 | 504 => (kind::TIMEOUT, true),
        429 => (kind::CONCURRENCY, true),
        400..=499 => (kind::BAD_REQUEST, false),
        503 | 529 => (kind::OVERLOADED, true),
        500..=599 => (kind::SERVER_ERROR, true),
        _ => (kind::OTHER, false),
    }
}

/// Again, at most three attempts in all, with doubling waits and the provider's hint as a floor.
#[must_use]
pub fn retry(failure: &retry::Failure) -> retry::Decision {
    let spent = failure.attempts >= MAX_ATTEMPTS || failure.budget_left == 0;
    if !failure.verdict.retryable || !failure.idempotent || spent {
        return retry::Decision {
            action: action::GIVE_UP,
            after: 0,
            reason: reason::ATTEMPTS_SPENT,
        };
    }
    let doubled = FIRST_WAIT.0 << failure.attempts.saturating_sub(1).min(8);
    let after = doubled.max(failure.verdict.wait.unwrap_or(0));
    retry::Decision { action: action::AGAIN, after, reason: reason::BACKOFF }
}

/// Those that fit first, then by load: in flight to limit, times the configured weight.
#[must_use]
pub fn order(candidates: &[route::Candidate]) -> Vec<route::Choice> {
    let mut choices: Vec<(bool, f64, u32)> = candidates
        .iter()
        .map(|c| {
            let load = (f64::from(c.in_flight) + 1.0) / f64::from(c.limit.max(1)) * c.base_weight;
            (!c.fits, load, c.id)
        })
        .collect();
    choices.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
    choices
        .into_iter()
        .map(|(_, score, candidate)| route::Choice { candidate, score, reason: 0, patience: 0 })
        .collect()
}

/// As many as the budget feeds, no more than are wanted.
#[must_use]
pub fn fanout(tree: &fanout::Tree, wanted: u32, children: &[fanout::Child]) -> fanout::Plan {
    let open =
        children.iter().filter(|c| matches!(c.state, child::WAITING | child::RUNNING)).count();
    let spare = tree.budget_left.saturating_sub(tree.reserve);
    let start = wanted.min(tree.free_slots.max(u32::from(open == 0)));
    let budget_each = spare.checked_div(u64::from(start)).unwrap_or(0);
    if start == 0 || budget_each == 0 {
        let code = if spare == 0 { refusal::BUDGET } else { refusal::BUSY };
        return plan(0, 0, code);
    }
    plan(start, budget_each, if start < wanted { refusal::BUSY } else { refusal::NONE })
}

const fn plan(start: u32, budget_each: u64, refusal: u16) -> fanout::Plan {
    fanout::Plan { start, budget_each, cancel: Vec::new(), ask_again: 0, refusal }
}

/// The fallback as a whole set of policies: what a core without any other runs on.
#[derive(Debug, Default)]
pub struct Fallback {
    order: Order,
    items: BTreeMap<ItemId, (LaneId, Key)>,
}

impl Fallback {
    /// With an empty line.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn apply(&mut self, event: schedule::Event) {
        match event {
            schedule::Event::Item(item) => self.offer(&item),
            schedule::Event::Left(left) => self.take(ItemId(left.item)),
            schedule::Event::Started(started) => self.take(ItemId(started.item)),
            schedule::Event::Returned(returned) => self.take(ItemId(returned.item)),
            schedule::Event::Flow(_) | schedule::Event::Charged(_) | schedule::Event::Gone(_) => {}
        }
    }

    fn offer(&mut self, item: &schedule::Item) {
        let id = ItemId(item.id);
        self.take(id);
        let key = Key { class: item.class, arrived: Micros(item.arrived), item: id };
        self.items.insert(id, (LaneId(item.lane), key));
        self.order.insert(LaneId(item.lane), key);
    }

    fn take(&mut self, item: ItemId) {
        if let Some((lane, key)) = self.items.remove(&item) {
            self.order.remove(lane, &key);
        }
    }
}

impl Policies for Fallback {
    fn place(
        &mut self,
        _now: Micros,
        arrival: priority::Arrival,
    ) -> Result<priority::Placement, Fault> {
        Ok(place(arrival.declared_class))
    }

    fn update(
        &mut self,
        _now: Micros,
        _group: GroupId,
        events: &mut Vec<schedule::Event>,
    ) -> Result<(), Fault> {
        for event in events.drain(..) {
            self.apply(event);
        }
        Ok(())
    }

    fn pick(
        &mut self,
        _now: Micros,
        _group: GroupId,
        room: schedule::Room,
    ) -> Result<schedule::Choice, Fault> {
        if room.passing {
            return Ok(schedule::Choice { item: None, wake: 0 });
        }
        let item = self.order.first(LaneId(room.lane));
        if let Some(item) = item {
            self.take(item);
        }
        Ok(schedule::Choice { item: item.map(|item| item.0), wake: 0 })
    }

    fn open(
        &mut self,
        _now: Micros,
        cell: limit::Cell,
        opening: limit::Opening,
    ) -> Result<limit::Answer, Fault> {
        Ok(limit::Answer { limit: opening.start, ..keep(&cell) })
    }

    fn accepted(
        &mut self,
        _now: Micros,
        cell: limit::Cell,
        _attempt: limit::Attempt,
    ) -> Result<limit::Answer, Fault> {
        Ok(keep(&cell))
    }

    fn ended(
        &mut self,
        _now: Micros,
        cell: limit::Cell,
        _attempt: limit::Attempt,
        _ending: limit::Ending,
    ) -> Result<limit::Answer, Fault> {
        Ok(keep(&cell))
    }

    fn wake(&mut self, _now: Micros, cell: limit::Cell) -> Result<limit::Answer, Fault> {
        Ok(keep(&cell))
    }

    fn close(&mut self, _cell: CellId) -> Result<(), Fault> {
        Ok(())
    }

    fn classify(
        &mut self,
        _now: Micros,
        response: &classify::Response,
    ) -> Result<classify::Classification, Fault> {
        Ok(classify(response))
    }

    fn retry(
        &mut self,
        _now: Micros,
        failure: retry::Failure,
        _untried: &[retry::Untried],
        _draw: u64,
    ) -> Result<retry::Decision, Fault> {
        Ok(retry(&failure))
    }

    fn order(
        &mut self,
        _now: Micros,
        _request: &route::Request,
        candidates: &[route::Candidate],
        _draw: u64,
    ) -> Result<Vec<route::Choice>, Fault> {
        Ok(order(candidates))
    }

    fn routed(&mut self, _now: Micros, _outcome: route::Outcome) -> Result<(), Fault> {
        Ok(())
    }

    fn fanout(
        &mut self,
        _now: Micros,
        tree: fanout::Tree,
        wanted: u32,
        children: &[fanout::Child],
    ) -> Result<fanout::Plan, Fault> {
        Ok(fanout(&tree, wanted, children))
    }

    fn names(&mut self, _entries: &[lifecycle::Named]) {}

    fn forget(&mut self, _ids: &[(u16, u64)]) {}

    fn nonsense(&mut self, _now: Micros, _slot: Slot, _words: &str) {}

    fn standby(&self, _slot: Slot) -> Option<u64> {
        None
    }

    fn feed(&mut self, _now: Micros, _slot: Slot, _feed: Feed) -> Result<(), Fault> {
        Err(Fault::Stale)
    }

    fn level(&mut self, _now: Micros, _slot: Slot) -> Result<(), Fault> {
        Err(Fault::Stale)
    }
}
