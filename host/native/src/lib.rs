//! The shipped policies compiled natively: the yardstick for what the sandbox costs.
//!
//! They are the same crates through the same calls as the components, without WebAssembly between.

use weir_core::ids::{CellId, GroupId};
use weir_core::units::Micros;
use weir_core::{Fault, Feed, Policies, Slot};
use weir_sdk::lifecycle::Named;
use weir_sdk::{classify, fanout, limit, native, priority, retry, route, schedule};

/// One native policy a slot.
pub struct Native {
    /// The `priority` slot.
    pub priority: Box<dyn native::Priority>,
    /// The `schedule` slot.
    pub schedule: Box<dyn native::Schedule>,
    /// The `limit` slot.
    pub limit: Box<dyn native::Limit>,
    /// The `classify` slot.
    pub classify: Box<dyn native::Classify>,
    /// The `retry` slot.
    pub retry: Box<dyn native::Retry>,
    /// The `route` slot.
    pub route: Box<dyn native::Route>,
    /// The `fanout` slot.
    pub fanout: Box<dyn native::Fanout>,
}

impl Native {
    /// Starts the policies that `weir serve` uses by default, with their default settings.
    ///
    /// # Errors
    ///
    /// A policy's own words, if one would not start.
    pub fn start() -> Result<Self, String> {
        Self::with(|_| "")
    }

    /// Starts them with these settings, each a JSON object or empty.
    ///
    /// # Errors
    ///
    /// A policy's own words, if one would not start.
    pub fn with(settings: impl Fn(Slot) -> &'static str) -> Result<Self, String> {
        use Slot::{Classify, Fanout, Limit, Priority, Retry, Route, Schedule};
        Ok(Self {
            priority: native::priority::<priority_classes::Classes>(settings(Priority), 0)?,
            schedule: native::schedule::<schedule_drr::Drr>(settings(Schedule), 0)?,
            limit: native::limit::<limit_ceiling::Ceiling>(settings(Limit), 0)?,
            classify: native::classify::<classify_standard::Standard>(settings(Classify), 0)?,
            retry: native::retry::<retry_budgeted::Budgeted>(settings(Retry), 0)?,
            route: native::route::<route_weighted::Weighted>(settings(Route), 0)?,
            fanout: native::fanout::<fanout_budget::Budget>(settings(Fanout), 0)?,
        })
    }

    fn lifecycles(&mut self) -> [&mut dyn native::Lifecycle; 7] {
        [
            &mut *self.priority,
            &mut *self.schedule,
            &mut *self.limit,
            &mut *self.classify,
            &mut *self.retry,
            &mut *self.route,
            &mut *self.fanout,
        ]
    }
}

impl Policies for Native {
    fn place(
        &mut self,
        now: Micros,
        arrival: priority::Arrival,
    ) -> Result<priority::Placement, Fault> {
        Ok(self.priority.place(now.0, &arrival))
    }

    fn update(
        &mut self,
        now: Micros,
        group: GroupId,
        events: &mut Vec<schedule::Event>,
    ) -> Result<(), Fault> {
        self.schedule.update(now.0, group.0, std::mem::take(events));
        Ok(())
    }

    fn pick(
        &mut self,
        now: Micros,
        group: GroupId,
        room: schedule::Room,
    ) -> Result<schedule::Choice, Fault> {
        Ok(self.schedule.pick(now.0, group.0, &room))
    }

    fn open(
        &mut self,
        now: Micros,
        cell: limit::Cell,
        opening: limit::Opening,
    ) -> Result<limit::Answer, Fault> {
        Ok(self.limit.open(now.0, &cell, &opening))
    }

    fn accepted(
        &mut self,
        now: Micros,
        cell: limit::Cell,
        attempt: limit::Attempt,
    ) -> Result<limit::Answer, Fault> {
        Ok(self.limit.accepted(now.0, &cell, &attempt))
    }

    fn ended(
        &mut self,
        now: Micros,
        cell: limit::Cell,
        attempt: limit::Attempt,
        ending: limit::Ending,
    ) -> Result<limit::Answer, Fault> {
        Ok(self.limit.ended(now.0, &cell, &attempt, &ending))
    }

    fn wake(&mut self, now: Micros, cell: limit::Cell) -> Result<limit::Answer, Fault> {
        Ok(self.limit.wake(now.0, &cell))
    }

    fn close(&mut self, cell: CellId) -> Result<(), Fault> {
        self.limit.close(cell.0);
        Ok(())
    }

    fn classify(
        &mut self,
        now: Micros,
        response: &classify::Response,
    ) -> Result<classify::Classification, Fault> {
        Ok(self.classify.classify(now.0, response))
    }

    fn retry(
        &mut self,
        now: Micros,
        failure: retry::Failure,
        untried: &[retry::Untried],
        draw: u64,
    ) -> Result<retry::Decision, Fault> {
        Ok(self.retry.decide(now.0, &failure, untried, draw))
    }

    fn order(
        &mut self,
        now: Micros,
        request: &route::Request,
        candidates: &[route::Candidate],
        draw: u64,
    ) -> Result<Vec<route::Choice>, Fault> {
        Ok(self.route.order(now.0, request, candidates, draw))
    }

    fn routed(&mut self, now: Micros, outcome: route::Outcome) -> Result<(), Fault> {
        self.route.ended(now.0, &outcome);
        Ok(())
    }

    fn fanout(
        &mut self,
        now: Micros,
        tree: fanout::Tree,
        wanted: u32,
        children: &[fanout::Child],
    ) -> Result<fanout::Plan, Fault> {
        Ok(self.fanout.decide(now.0, &tree, wanted, children))
    }

    fn names(&mut self, entries: &[Named]) {
        for policy in self.lifecycles() {
            policy.names(entries);
        }
    }

    fn forget(&mut self, ids: &[(u16, u64)]) {
        for policy in self.lifecycles() {
            policy.forget(ids);
        }
    }

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
