//! The command from outside: the real binary, real sockets, and the real Python SDKs.

#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by a panic")]

mod author;
mod bad_input;
mod command;
mod demo;
mod disconnect;
mod parity;
mod readme;
mod replay;
mod sdk;
mod sim;
mod support;
