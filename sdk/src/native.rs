//! Policies without WebAssembly: the same calls as a component's, in the process.
//!
//! Tests use it, and so does a benchmark that asks what the sandbox costs. Each trait mirrors an interface of
//! the contract and is object-safe; [`Component`] implements those of its policy, and the
//! glue of a component calls the same methods.
//!
//! ```
//! # use weir_sdk::{About, Micros, Policy, priority::{Arrival, Placement, Priority}};
//! # struct Flat;
//! # impl Policy for Flat {
//! #     const ABOUT: About = weir_sdk::about!();
//! #     type Settings = ();
//! #     fn start(_: (), _: Micros) -> Result<Self, String> { Ok(Self) }
//! # }
//! # impl Priority for Flat {
//! #     fn place(&mut self, _: Micros, _: &Arrival) -> Placement { Placement::default() }
//! # }
//! use weir_sdk::{native, testing};
//!
//! let mut policy: Box<dyn native::Priority> = native::priority::<Flat>("", 0).unwrap();
//! assert_eq!(policy.place(0, &testing::arrival(1)).class, 1);
//! assert_eq!(policy.describe().name, "weir-sdk");
//! ```

use crate::classify::{Classification, Response};
use crate::component::{Component, Part, describe};
use crate::draw::Draw;
use crate::fanout::{Child, Plan, Tree};
use crate::lifecycle::{Description, Named, Origin};
use crate::limit::{Answer, Attempt, Cell, Cells, Ending, Opening};
use crate::policy::Policy;
use crate::priority::{Arrival, Placement};
use crate::retry::{Decision, Failure, Untried};
use crate::route::{Candidate, Choice as Preference, Outcome, Request};
use crate::schedule::{Choice, Event, Groups, Room};
use crate::types::{CellId, GroupId, Micros};

/// The interface `lifecycle`, once started.
pub trait Lifecycle: Send {
    /// What the policy says of itself.
    fn describe(&self) -> Description;

    /// Takes over the state of an earlier instance.
    ///
    /// # Errors
    ///
    /// Words for the operator.
    fn restore(&mut self, state: &[u8], origin: &Origin, now: Micros) -> Result<(), String>;

    /// Everything worth carrying over.
    fn save(&self, now: Micros) -> Vec<u8>;

    /// Tells names of ids.
    fn names(&mut self, entries: &[Named]);

    /// Retires ids.
    fn forget(&mut self, ids: &[(u16, u64)]);
}

impl<P: Policy, C: Part<P>, G: Part<P>> Lifecycle for Component<P, C, G> {
    fn describe(&self) -> Description {
        describe::<P>()
    }

    fn restore(&mut self, state: &[u8], origin: &Origin, now: Micros) -> Result<(), String> {
        Self::restore(self, state, origin, now.into())
    }

    fn save(&self, _now: Micros) -> Vec<u8> {
        Self::save(self)
    }

    fn names(&mut self, entries: &[Named]) {
        Self::names(self, entries);
    }

    fn forget(&mut self, ids: &[(u16, u64)]) {
        Self::forget(self, ids);
    }
}

/// The interface `limit`.
pub trait Limit: Lifecycle {
    /// A cell is new.
    fn open(&mut self, now: Micros, cell: &Cell, opening: &Opening) -> Answer;
    /// The provider took an attempt up.
    fn accepted(&mut self, now: Micros, cell: &Cell, attempt: &Attempt) -> Answer;
    /// An attempt ended.
    fn ended(&mut self, now: Micros, cell: &Cell, attempt: &Attempt, ending: &Ending) -> Answer;
    /// The wake that was asked for.
    fn wake(&mut self, now: Micros, cell: &Cell) -> Answer;
    /// The cell is gone.
    fn close(&mut self, id: CellId);
}

impl<P: crate::limit::Limit, G: Part<P>> Limit for Component<P, Cells<P>, G> {
    fn open(&mut self, now: Micros, cell: &Cell, opening: &Opening) -> Answer {
        self.cells.open(&mut self.policy, now.into(), cell, opening)
    }

    fn accepted(&mut self, now: Micros, cell: &Cell, attempt: &Attempt) -> Answer {
        self.cells.accepted(&mut self.policy, now.into(), cell, attempt)
    }

    fn ended(&mut self, now: Micros, cell: &Cell, attempt: &Attempt, ending: &Ending) -> Answer {
        self.cells.ended(&mut self.policy, now.into(), cell, attempt, ending)
    }

    fn wake(&mut self, now: Micros, cell: &Cell) -> Answer {
        self.cells.wake(&mut self.policy, now.into(), cell)
    }

    fn close(&mut self, id: CellId) {
        self.cells.close(id);
    }
}

/// The interface `schedule`.
pub trait Schedule: Lifecycle {
    /// Things that happened in a group, oldest first.
    fn update(&mut self, now: Micros, group: GroupId, events: Vec<Event>);
    /// The next item for a lane.
    fn pick(&mut self, now: Micros, group: GroupId, room: &Room) -> Choice;
}

impl<P: crate::schedule::Schedule, C: Part<P>> Schedule for Component<P, C, Groups<P>> {
    fn update(&mut self, now: Micros, group: GroupId, events: Vec<Event>) {
        self.groups.update(&self.policy, now.into(), group, events);
    }

    fn pick(&mut self, now: Micros, group: GroupId, room: &Room) -> Choice {
        self.groups.pick(&self.policy, now.into(), group, room)
    }
}

/// The interface `priority`.
pub trait Priority: Lifecycle {
    /// Where a request goes in the line.
    fn place(&mut self, now: Micros, arrival: &Arrival) -> Placement;
}

impl<P: crate::priority::Priority, C: Part<P>, G: Part<P>> Priority for Component<P, C, G> {
    fn place(&mut self, now: Micros, arrival: &Arrival) -> Placement {
        self.policy.place(now.into(), arrival)
    }
}

/// The interface `classify`.
pub trait Classify: Lifecycle {
    /// What a response means.
    fn classify(&mut self, now: Micros, response: &Response) -> Classification;
}

impl<P: crate::classify::Classify, C: Part<P>, G: Part<P>> Classify for Component<P, C, G> {
    fn classify(&mut self, now: Micros, response: &Response) -> Classification {
        self.policy.classify(now.into(), response)
    }
}

/// The interface `retry`.
pub trait Retry: Lifecycle {
    /// What to do after a failed attempt.
    fn decide(
        &mut self,
        now: Micros,
        failure: &Failure,
        untried: &[Untried],
        draw: u64,
    ) -> Decision;
}

impl<P: crate::retry::Retry, C: Part<P>, G: Part<P>> Retry for Component<P, C, G> {
    fn decide(
        &mut self,
        now: Micros,
        failure: &Failure,
        untried: &[Untried],
        draw: u64,
    ) -> Decision {
        crate::retry::Retry::decide(&mut self.policy, now.into(), failure, untried, Draw(draw))
    }
}

/// The interface `route`.
pub trait Route: Lifecycle {
    /// The candidates in order of preference.
    fn order(
        &mut self,
        now: Micros,
        request: &Request,
        candidates: &[Candidate],
        draw: u64,
    ) -> Vec<Preference>;
    /// An attempt ended.
    fn ended(&mut self, now: Micros, outcome: &Outcome);
    /// Words for a reason code.
    fn explain(&self, reason: u16) -> String;
}

impl<P: crate::route::Route, C: Part<P>, G: Part<P>> Route for Component<P, C, G> {
    fn order(
        &mut self,
        now: Micros,
        request: &Request,
        candidates: &[Candidate],
        draw: u64,
    ) -> Vec<Preference> {
        self.policy.order(now.into(), request, candidates, Draw(draw))
    }

    fn ended(&mut self, now: Micros, outcome: &Outcome) {
        self.policy.ended(now.into(), outcome);
    }

    fn explain(&self, reason: u16) -> String {
        self.policy.explain(reason)
    }
}

/// The interface `fanout`.
pub trait Fanout: Lifecycle {
    /// How many children to start, and which to cancel.
    fn decide(&mut self, now: Micros, tree: &Tree, wanted: u32, children: &[Child]) -> Plan;
}

impl<P: crate::fanout::Fanout, C: Part<P>, G: Part<P>> Fanout for Component<P, C, G> {
    fn decide(&mut self, now: Micros, tree: &Tree, wanted: u32, children: &[Child]) -> Plan {
        crate::fanout::Fanout::decide(&mut self.policy, now.into(), tree, wanted, children)
    }
}

macro_rules! constructors {
    ($($name:ident: $Trait:ident, $Bound:path, $Component:ty;)+) => {$(
        #[doc = concat!("Starts a policy that answers `", stringify!($name), "`.")]
        ///
        /// # Errors
        ///
        /// Words for the operator: what is wrong with the settings and how to mend it.
        pub fn $name<P: $Bound>(settings: &str, now: Micros) -> Result<Box<dyn $Trait>, String> {
            Ok(Box::new(<$Component>::start(settings, now.into())?))
        }
    )+};
}

constructors! {
    limit: Limit, crate::limit::Limit, Component<P, Cells<P>>;
    schedule: Schedule, crate::schedule::Schedule, Component<P, (), Groups<P>>;
    priority: Priority, crate::priority::Priority, Component<P>;
    classify: Classify, crate::classify::Classify, Component<P>;
    retry: Retry, crate::retry::Retry, Component<P>;
    route: Route, crate::route::Route, Component<P>;
    fanout: Fanout, crate::fanout::Fanout, Component<P>;
}
