//! What the host makes of policies, good and bad.

mod calls;
mod folder;
mod hostile;
mod limits;
mod refusals;
mod soak;
mod support;
mod swaps;
