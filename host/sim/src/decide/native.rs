//! Policies compiled natively.

use weir_core::units::Micros;
use weir_core::{Policies, Slot};
use weir_native::Native;

use super::{Deciding, Mind, PolicyError, Prepared};
use crate::record::What;

/// The shipped defaults.
pub(super) fn mind() -> Result<Mind, PolicyError> {
    let unfit = |words| PolicyError::Unfit { name: "native".to_owned(), slot: Slot::Limit, words };
    Ok(Box::new(Native::start().map_err(unfit)?))
}

impl Deciding for Native {
    fn policies(&mut self) -> &mut dyn Policies {
        self
    }

    fn tick(&mut self, _now: Micros) {}

    fn due(&self) -> Option<Micros> {
        None
    }

    fn feeds(&self) -> bool {
        false
    }

    fn swap(&mut self, _now: Micros, _policy: Prepared) {}

    fn said(&mut self) -> Vec<What> {
        Vec::new()
    }
}
