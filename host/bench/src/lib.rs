//! Benchmarks: the same policies in WebAssembly and compiled natively.
