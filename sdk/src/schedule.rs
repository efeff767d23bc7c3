//! Who goes next.

pub use crate::bindings::schedule::exports::weir::policy::schedule::{
    Charged, Choice, Event, Flow, Item, Left, Returned, Room, Service, Started,
};
