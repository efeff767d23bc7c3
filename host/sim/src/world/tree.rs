//! Parents and children.
//!
//! A parent works for a share of its service, then starts its children and waits until all have left. While it waits
//! it gives its slot up, if the scenario says so, at its host and at its provider; then it goes on for the
//! rest of its service. Where the scenario gives it a budget, the fan-out policy says how many may start, and
//! is asked again when a child has left.

use weir_core::Input;
use weir_core::units::Micros;
use weir_sdk::codes::child as state;
use weir_sdk::fanout;

use super::World;
use super::arrive::item;
use super::queue::{Event, From, Try};
use crate::record::{Happening, Outcome, What};
use crate::scenario::{Budget, Children};

/// A parent's children.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// Wanted and not started.
    wanted: u32,
    /// Started so far; it also says whose turn it is among the demands that they are like.
    started: u32,
    alive: u32,
    children: Vec<Child>,
    /// Tokens given away.
    given: u64,
    done: bool,
}

#[derive(Debug)]
struct Child {
    row: u32,
    state: u16,
    worth: f64,
    spent: u64,
    since: Micros,
}

impl World<'_> {
    /// The request has children to start that it has not started.
    pub(super) fn wants_children(&self, request: u32) -> bool {
        let Some(live) = self.live.get(&request) else { return false };
        let plan = &self.sources[usize::from(live.demand)].plan;
        plan.children.is_some() && live.tree.is_none()
    }

    /// A parent has come to where it starts its children.
    pub(super) fn spawn(&mut self, try_: Try) {
        let Some(request) = self.flights.get(&try_).map(|flight| flight.request) else { return };
        let Some(live) = self.live.get_mut(&request) else { return };
        let wanted = live.body.children;
        live.tree = Some(Box::new(Tree { wanted, ..Tree::default() }));
        self.start_children(request);
        if self.tree(request).is_none_or(|tree| tree.alive == 0) {
            return self.go_on(try_, request);
        }
        if self.children_of(request).is_some_and(|children| children.parks) {
            self.park(try_);
        }
    }

    /// A child left, or the policy wanted to be asked again.
    pub(super) fn children_changed(&mut self, request: u32) {
        if self.tree(request).is_none_or(|tree| tree.done) {
            return;
        }
        self.start_children(request);
        let Some(live) = self.live.get(&request) else { return };
        let (Some(attempt), Some(tree)) = (live.attempt, &live.tree) else { return };
        if tree.alive > 0 {
            return;
        }
        let try_ = Try { host: live.host, attempt };
        if self.flights.get(&try_).is_some_and(|flight| flight.parked.is_some()) {
            if let Some(tree) = self.live.get_mut(&request).and_then(|live| live.tree.as_mut()) {
                tree.done = true;
            }
            self.tell(try_.host, Input::Resume { item: item(request) });
        } else {
            self.go_on(try_, request);
        }
    }

    /// A child left.
    pub(super) fn child_left(&mut self, parent: u32, request: u32, outcome: Outcome, spent: u64) {
        let Some(tree) = self.live.get_mut(&parent).and_then(|live| live.tree.as_mut()) else {
            return;
        };
        let Some(child) = tree.children.iter_mut().find(|child| child.row == request) else {
            return;
        };
        tree.alive = tree.alive.saturating_sub(1);
        child.spent = spent;
        child.state = match outcome {
            Outcome::Done => state::DONE,
            Outcome::Cancelled | Outcome::Merged => state::CANCELLED,
            _ => state::FAILED,
        };
        self.queue.at(self.now, Event::Children { request: parent });
    }

    /// A resumed parent goes on.
    pub(super) fn resumed(&mut self, try_: Try) {
        let request = self.flights.get(&try_).map(|flight| flight.request);
        self.unparked(try_);
        if let Some(request) = request {
            self.go_on(try_, request);
        }
    }

    /// The parent works for the rest of its service.
    fn go_on(&mut self, try_: Try, request: u32) {
        if let Some(tree) = self.live.get_mut(&request).and_then(|live| live.tree.as_mut()) {
            tree.done = true;
        }
        if let Some(flight) = self.flights.get(&try_) {
            self.queue.at(self.now.plus(flight.rest), Event::Ended(try_));
        }
    }

    fn park(&mut self, try_: Try) {
        let Some(flight) = self.flights.get_mut(&try_) else { return };
        flight.parked = Some(self.now);
        self.providers[flight.upstream].park(flight.taken);
        let upstream = flight.upstream;
        self.count(try_.host, upstream, -1);
        self.tell(try_.host, Input::Yield { attempt: try_.attempt });
    }

    fn tree(&self, request: u32) -> Option<&Tree> {
        self.live.get(&request)?.tree.as_deref()
    }

    fn children_of(&self, request: u32) -> Option<&Children> {
        let demand = usize::from(self.live.get(&request)?.demand);
        self.sources.get(demand)?.plan.children.as_ref()
    }

    /// Starts as many of the wanted children as may start.
    fn start_children(&mut self, request: u32) {
        let Some(wanted) = self.tree(request).map(|tree| tree.wanted) else { return };
        let Some(budget) = self.children_of(request).map(|children| children.budget) else {
            return;
        };
        if wanted == 0 {
            return;
        }
        let start = budget.map_or(wanted, |budget| self.ask_fanout(request, wanted, budget));
        for _ in 0..start.min(wanted) {
            self.start_child(request);
        }
    }

    fn start_child(&mut self, request: u32) {
        let Some(of) = self.children_of(request).map(|children| children.of.clone()) else {
            return;
        };
        let Some(tree) = self.live.get_mut(&request).and_then(|live| live.tree.as_mut()) else {
            return;
        };
        let Some(demand) = of.get(tree.started as usize % of.len().max(1)) else { return };
        tree.started += 1;
        tree.wanted -= 1;
        tree.alive += 1;
        let row = self.record.requests.len() as u32;
        let since = self.now;
        tree.children.push(Child { row, state: state::RUNNING, worth: 0.0, spent: 0, since });
        self.arrive(*demand as u16, From::Parent(request));
        let worth = self.live.get(&row).map_or(0.0, |child| child.body.worth);
        if let Some(tree) = self.live.get_mut(&request).and_then(|live| live.tree.as_mut())
            && let Some(child) = tree.children.last_mut()
        {
            child.worth = worth;
        }
    }

    /// Asks how many children may start, ends those that are to end, and answers how many.
    fn ask_fanout(&mut self, request: u32, wanted: u32, budget: Budget) -> u32 {
        let Some((tree, children)) = self.fanout_question(request, budget) else { return 0 };
        let Some(live) = self.live.get(&request) else { return 0 };
        let (instance, place) = (live.host, usize::from(live.host));
        let host = &mut self.hosts[place];
        let plan = host.core.fanout(self.now, tree, wanted, &children, host.mind.policies());
        if let Some(tree) = self.live.get_mut(&request).and_then(|live| live.tree.as_mut()) {
            tree.given += u64::from(plan.start).saturating_mul(plan.budget_each);
        }
        let again = Micros(plan.ask_again);
        if again > self.now {
            self.queue.at(again, Event::Children { request });
        }
        let (start, cancel) = (plan.start, plan.cancel.len() as u32);
        for task in plan.cancel {
            self.queue.at(self.now, Event::Gone { request: (task - 1) as u32 });
        }
        let what = What::Fanout { request, wanted, start, cancel };
        self.note(Happening { at: self.now, instance, what });
        start
    }

    fn fanout_question(
        &self,
        request: u32,
        budget: Budget,
    ) -> Option<(fanout::Tree, Vec<fanout::Child>)> {
        let live = self.live.get(&request)?;
        let own = live.tree.as_deref()?;
        let written = self.record.requests.get(request as usize)?;
        let view = self.hosts.get(usize::from(live.host))?.core.view(self.now);
        let free = view.upstreams.iter().map(|one| one.effective.saturating_sub(one.in_flight));
        let deadline = self.sources.get(usize::from(live.demand))?.plan.deadline;
        let tree = fanout::Tree {
            task: item(request).0,
            width: own.alive,
            depth: u32::from(written.depth),
            alive: own.alive + 1,
            total: own.started + 1,
            budget_left: budget.tokens.0.saturating_sub(own.given),
            reserve: budget.reserve.0,
            deadline: deadline.map(|span| written.arrived.plus(span).0),
            line_wait: view.line_wait.0,
            free_slots: free.fold(0, u32::saturating_add),
        };
        let (least, most) = budget.worth;
        let child = |child: &Child| fanout::Child {
            task: item(child.row).0,
            state: self.state_of(child),
            worth: least + (most - least) * child.worth,
            spent: child.spent,
            age: self.now.minus(child.since).0,
        };
        Some((tree, own.children.iter().map(child).collect()))
    }

    /// A child that was never sent still waits.
    fn state_of(&self, child: &Child) -> u16 {
        match self.live.get(&child.row) {
            Some(live) if live.fresh => state::WAITING,
            _ => child.state,
        }
    }
}
