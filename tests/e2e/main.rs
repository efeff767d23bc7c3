//! The command from outside: the real binary, real sockets, and the real Python SDKs.

mod bad_input;
mod command;
mod demo;
mod disconnect;
mod readme;
mod sdk;
mod support;
