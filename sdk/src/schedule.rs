//! Who goes next.
//!
//! A pick takes its item out of the policy's line; a flow is charged on `started` and `charged`, never on a
//! pick. The SDK takes batches of events apart and keeps one [`Group`] for each group.
//!
//! ```
//! use std::collections::BTreeSet;
//!
//! use weir_sdk::schedule::{Choice, Group, Item, Left, Room, Schedule, Started};
//! use weir_sdk::types::{GroupId, ItemId};
//! use weir_sdk::{About, Micros, Policy, testing};
//!
//! /// The last that came is the first to go, where there is one lane.
//! struct Stack;
//!
//! impl Policy for Stack {
//!     const ABOUT: About = weir_sdk::about!();
//!     type Settings = ();
//!
//!     fn start(_: (), _: Micros) -> Result<Self, String> {
//!         Ok(Self)
//!     }
//! }
//!
//! impl Schedule for Stack {
//!     type Group = Pile;
//!
//!     fn group(&self, _: GroupId) -> Pile {
//!         Pile::default()
//!     }
//! }
//!
//! #[derive(Default)]
//! struct Pile(BTreeSet<ItemId>);
//!
//! impl Group for Pile {
//!     fn item(&mut self, _: Micros, item: Item) {
//!         self.0.insert(item.id);
//!     }
//!
//!     fn left(&mut self, _: Micros, left: &Left) {
//!         self.0.remove(&left.item);
//!     }
//!
//!     fn started(&mut self, _: Micros, started: &Started) {
//!         self.0.remove(&started.item);
//!     }
//!
//!     fn pick(&mut self, _: Micros, room: &Room) -> Choice {
//!         match self.0.last().copied().filter(|_| !room.passing) {
//!             Some(item) => {
//!                 self.0.remove(&item);
//!                 Choice::offer(item)
//!             }
//!             None => Choice::IDLE,
//!         }
//!     }
//! }
//!
//! weir_sdk::export!(Stack: schedule);
//!
//! let mut bench = testing::ScheduleBench::start::<Stack>("");
//! (1..=3).for_each(|id| bench.offer(testing::item(id, 10)));
//! assert_eq!([bench.serve(), bench.serve(), bench.serve()], [Some(3), Some(2), Some(1)]);
//! ```

pub use crate::bindings::schedule::exports::weir::policy::schedule::{
    Charged, Choice, Event, Flow, Item, Left, Returned, Room, Service, Started,
};
use crate::policy::Policy;
use crate::types::{Demand, FlowId, GroupId};
use crate::units::Micros;

mod backlog;
mod groups;
mod shares;
mod sharing;
mod siblings;

pub use backlog::{Backlog, Key, Waiting};
pub use groups::Groups;
pub use shares::Shares;
pub use sharing::{Sharing, Units};

/// Answers `schedule`, with a line for each group of lanes.
pub trait Schedule: Policy {
    /// The line of one group.
    type Group: Group;

    /// An empty line.
    fn group(&self, id: GroupId) -> Self::Group;
}

/// The line of one group. It must not grow without bound: what it keeps is what `item` and `flow` gave it,
/// until a pick, `left` or `gone` takes it away.
pub trait Group: Send + 'static {
    /// A request waits. One that is known already is replaced.
    fn item(&mut self, now: Micros, item: Item);

    /// An item that waited is gone. One that is not known is no error.
    fn left(&mut self, now: Micros, left: &Left);

    /// The next item for a lane, which leaves the line. While `room.passing`, only one that
    /// [fits](Room::fits).
    fn pick(&mut self, now: Micros, room: &Room) -> Choice;

    /// A flow is new, or its weight changed.
    fn flow(&mut self, _now: Micros, _flow: &Flow) {}

    /// An item was admitted: charge its flow. The host may start an item that still waits here.
    fn started(&mut self, now: Micros, started: &Started);

    /// A picked item was not admitted; the host offers it again or starts it.
    fn returned(&mut self, _now: Micros, _returned: &Returned) {}

    /// A correction of what a flow was charged.
    fn charged(&mut self, _now: Micros, _charged: &Charged) {}

    /// A flow has ended.
    fn gone(&mut self, _now: Micros, _flow: FlowId) {}

    /// What the next instance should know. Items and flows are not part of it: the host tells them.
    fn save(&self) -> serde_json::Value {
        serde_json::Value::Null
    }

    /// Takes over what an earlier instance saved, after the host told flows and items.
    ///
    /// # Errors
    ///
    /// Words for the operator.
    fn restore(&mut self, _state: serde_json::Value) -> Result<(), String> {
        Ok(())
    }
}

impl Room {
    /// Whether a demand fits into it whole.
    ///
    /// ```
    /// let room = weir_sdk::testing::room(1, 2);
    /// assert!(room.fits(&weir_sdk::testing::demand(100, 50)));
    /// ```
    #[must_use]
    pub fn fits(&self, demand: &Demand) -> bool {
        demand.slots <= self.slots
            && u64::from(demand.requests) <= self.requests
            && demand.input <= self.input
            && demand.output <= self.output
    }
}

impl Choice {
    /// Nothing to offer, and no wish to be asked again.
    pub const IDLE: Self = Self { item: None, wake: 0 };

    /// Offers an item.
    #[must_use]
    pub const fn offer(item: u64) -> Self {
        Self { item: Some(item), wake: 0 }
    }
}
