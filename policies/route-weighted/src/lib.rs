//! A weir policy.
