//! How many at once.

pub use crate::bindings::limit::exports::weir::policy::limit::{
    Answer, Attempt, Cell, Ending, Opening,
};
