//! The policies weir ships, compiled to WebAssembly and embedded.
