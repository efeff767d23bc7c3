//! The scheduler as a pure state machine: time comes in, decisions come out.
