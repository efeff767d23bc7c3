//! Loads, checks, calls, meters and swaps policy components.
