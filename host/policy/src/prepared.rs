//! A component with the slot and the settings that it is to serve with, tried with them.

use std::sync::Arc;

use weir_core::Slot;
use weir_core::units::Micros;

use crate::component::{Component, LoadError, Source};
use crate::event::Version;
use crate::instance::{Failed, Instance};

/// Ready to serve a slot. It can be sent to the scheduler's thread.
#[derive(Clone)]
pub struct Prepared(Arc<Inner>);

struct Inner {
    component: Arc<Component>,
    slot: Slot,
    settings: String,
}

impl Prepared {
    /// Tries the component with its settings (a JSON object, or empty for defaults), in an instance of its own
    /// that is then dropped.
    ///
    /// # Errors
    ///
    /// It does not answer the slot's question, refuses its settings, or fails while it starts.
    pub fn new(component: Arc<Component>, slot: Slot, settings: String) -> Result<Self, LoadError> {
        let exports = component.slots();
        if !exports.contains(&slot) {
            return Err(LoadError::WrongSlot { slot, exports });
        }
        let prepared = Self(Arc::new(Inner { component, slot, settings }));
        let born = prepared.born(Micros::ZERO).map_err(LoadError::Canary)?;
        born.map(|_| prepared).map_err(LoadError::Settings)
    }

    /// A new instance that has read its settings. `Err` inside: its words about them.
    pub(crate) fn born(&self, now: Micros) -> Result<Result<Instance, String>, Failed> {
        let mut instance = Instance::new(&self.0.component, Some(self.0.slot))?;
        Ok(instance.start(&self.0.settings, now)?.map(|()| instance))
    }

    /// The slot that it is to serve.
    #[must_use]
    pub fn slot(&self) -> Slot {
        self.0.slot
    }

    /// What it is made of.
    #[must_use]
    pub fn component(&self) -> &Component {
        &self.0.component
    }

    /// Its name, version and digest.
    #[must_use]
    pub fn version(&self) -> Version {
        Version::of(&self.0.component)
    }

    pub(crate) fn file(&self) -> Option<std::path::PathBuf> {
        match &self.0.component.source {
            Source::BuiltIn => None,
            Source::File(path) => Some(path.clone()),
        }
    }

    /// The same bytes with the same settings for the same slot, wherever they came from.
    pub(crate) fn equals(&self, other: &Self) -> bool {
        let (one, other) = (&self.0, &other.0);
        one.slot == other.slot
            && one.settings == other.settings
            && one.component.digest == other.component.digest
    }

    /// The very same.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
