//! The policies that are shipped, compiled natively, in virtual time.

mod classes;
mod fairness;
mod limit;
mod routes;
mod trace;
mod verdicts;
