//! Benchmarks: the same policies in WebAssembly and compiled natively.

pub mod load;
