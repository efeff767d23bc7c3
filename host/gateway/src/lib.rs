//! The live host as a library: ingress, upstreams, streams, events, metrics, administration.

pub mod config;
