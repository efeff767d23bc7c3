//! The types that every interface shares.

pub use crate::bindings::types::{
    CandidateId, CellId, Code, Demand, FlowId, GroupId, ItemId, LaneId, Micros, NanoDollars,
    TaskId, Tokens, Verdict,
};
