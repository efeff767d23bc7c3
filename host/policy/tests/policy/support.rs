//! A host without a gateway: an engine, the slots, and a core that feeds at once.
#![allow(unreachable_pub, reason = "a test binary has no other crates to reach")]

pub mod questions;

use std::sync::Arc;

use weir_core::units::Micros;
use weir_core::{Policies, Slot};
use weir_policy::{Component, Engine, Event, Options, Pace, Prepared, Slots, Source};

pub struct Host {
    pub engine: Engine,
    pub hostile: Arc<Component>,
    pub slots: Slots,
    pub now: Micros,
}

pub fn engine(pace: Pace) -> Engine {
    Engine::new(&Options { pace, cache: None, seed: 7 }).unwrap()
}

impl Host {
    pub fn new(pace: Pace) -> Self {
        let engine = engine(pace);
        let hostile = Component::load(&engine, weir_guests::HOSTILE, Source::BuiltIn).unwrap();
        Self { engine, hostile, slots: Slots::default(), now: Micros::from_secs(1) }
    }

    /// The hostile policy with these settings, ready for a slot.
    pub fn prepare(&self, slot: Slot, settings: &str) -> Prepared {
        Prepared::new(Arc::clone(&self.hostile), slot, settings.into()).unwrap()
    }

    /// Puts the hostile policy into a slot and levels it.
    pub fn install(&mut self, slot: Slot, settings: &str) {
        let prepared = self.prepare(slot, settings);
        self.slots.swap(self.now, prepared).unwrap();
        self.level(slot);
    }

    /// What the core does when a standby instance waits and it has nothing to feed.
    pub fn level(&mut self, slot: Slot) {
        if self.slots.standby(slot).is_some() {
            self.slots.level(self.now, slot).unwrap();
        }
    }

    pub fn events(&mut self) -> Vec<Event> {
        self.slots.events().into()
    }
}

/// The same component in other bytes: with an empty section of its own name at the end.
pub fn rebuilt(bytes: &[u8]) -> Vec<u8> {
    [bytes, &[0, 5, 4], b"note"].concat()
}
