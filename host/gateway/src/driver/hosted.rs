//! The policies on the scheduler's thread: components that can be replaced, or code that cannot.

use weir_core::units::Micros;
use weir_core::{Policies, Slot};
use weir_policy::{Delivery, Event, Meter, Prepared, Row, Slots};

/// What the core asks.
pub(crate) enum Hosted {
    /// WebAssembly components.
    Slots(Box<Slots>),
    /// Compiled into the program.
    Fixed(Box<dyn Policies>),
}

/// Said to whoever wants to replace what is fixed.
const FIXED: &str = "these policies are compiled into the program and cannot be replaced";

impl Hosted {
    pub(super) fn policies(&mut self) -> &mut dyn Policies {
        match self {
            Self::Slots(slots) => &mut **slots,
            Self::Fixed(policies) => &mut **policies,
        }
    }

    /// Does what is due.
    pub(super) fn tick(&mut self, now: Micros) {
        if let Self::Slots(slots) = self {
            slots.tick(now);
        }
    }

    pub(super) fn due(&self) -> Option<Micros> {
        match self {
            Self::Slots(slots) => slots.due(),
            Self::Fixed(_) => None,
        }
    }

    /// An instance waits to be told the truth.
    pub(super) fn feeding(&mut self) -> bool {
        let policies = self.policies();
        Slot::ALL.iter().any(|slot| policies.standby(*slot).is_some())
    }

    pub(super) fn events(&mut self) -> impl Iterator<Item = Event> + use<> {
        let events = match self {
            Self::Slots(slots) => slots.events(),
            Self::Fixed(_) => Default::default(),
        };
        events.into_iter()
    }

    pub(super) fn list(&self) -> Vec<Row> {
        match self {
            Self::Slots(slots) => slots.list(),
            Self::Fixed(_) => Vec::new(),
        }
    }

    pub(super) fn meters(&self) -> Vec<(Slot, &Meter)> {
        match self {
            Self::Slots(slots) => slots.meters().collect(),
            Self::Fixed(_) => Vec::new(),
        }
    }

    pub(super) fn deliver(&mut self, now: Micros, delivery: Delivery) {
        if let Self::Slots(slots) = self {
            slots.deliver(now, delivery);
        }
    }

    pub(super) fn swap(&mut self, now: Micros, new: Prepared) -> Result<(), String> {
        let Self::Slots(slots) = self else { return Err(FIXED.into()) };
        slots.swap(now, new).map_err(|failed| failed.to_string())
    }

    pub(super) fn rollback(&mut self, now: Micros, slot: Slot) -> Result<(), String> {
        let Self::Slots(slots) = self else { return Err(FIXED.into()) };
        match slots.rollback(now, slot) {
            Ok(true) => Ok(()),
            Ok(false) => Err(format!("no policy stood in the slot `{slot}` before this one")),
            Err(failed) => Err(failed.to_string()),
        }
    }
}
