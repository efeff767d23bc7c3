//! The load bench: how many requests a second go through a gateway, side by side in one run.
//!
//! One fixed upstream answers every request with the same bytes. A closed loop of keep-alive connections asks
//! it directly, through nginx as a plain proxy, through weir with its policies in WebAssembly, and through weir
//! with the same policies compiled natively. Rounds of all of them alternate, so that the drift of a shared
//! machine falls on each alike; what counts are the ratios of medians.

pub mod generator;
pub mod nginx;
pub mod report;
pub mod target;
pub mod upstream;
