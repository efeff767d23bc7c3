//! Components, compiled once for all runs and metered by fuel.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use weir_core::units::Micros;
use weir_core::{Policies, Slot};
use weir_policy::{Component, Engine, Event, Options, Pace, Slots, Source};

use super::{Deciding, Mind, PolicyError, Ready, wanted};
use crate::record::What;
use crate::scenario::{Choice, Chosen, Plan};

pub(crate) use weir_policy::Prepared;

/// Compiles policies, each once: runs share what is compiled, and may run on several threads.
pub struct Workshop {
    engine: Engine,
    compiled: Mutex<BTreeMap<String, Arc<Component>>>,
}

impl Workshop {
    /// An engine with nothing compiled but what earlier processes of this user have left in the cache.
    ///
    /// # Errors
    ///
    /// The machine is one that the compiler does not know.
    pub fn new() -> Result<Self, PolicyError> {
        // What a policy gets that asks for random numbers is the same in every run.
        let cache = weir_policy::private_cache().unwrap_or(None);
        let options = Options { pace: Pace::Fuel, cache, seed: 0 };
        let engine = Engine::new(&options).map_err(|error| PolicyError::Engine(words(&error)))?;
        Ok(Self { engine, compiled: Mutex::default() })
    }

    /// Tries everything that a plan wants, so that a run cannot fail for it.
    ///
    /// # Errors
    ///
    /// The first policy that cannot be used, and why.
    pub fn check(&self, plan: &Plan) -> Result<(), PolicyError> {
        for (slot, choice) in wanted(plan) {
            self.prepared(slot, &choice)?;
        }
        plan.swaps.iter().try_for_each(|swap| self.prepared(swap.slot, &swap.choice).map(drop))
    }

    /// So many sets of a plan's policies, and for each swap a policy for each host.
    pub(super) fn start(
        &self,
        plan: &Plan,
        sets: usize,
        hosts: usize,
    ) -> Result<Ready, PolicyError> {
        let minds = (0..sets).map(|_| self.mind(plan)).collect::<Result<_, _>>()?;
        let mut swaps = Vec::with_capacity(plan.swaps.len());
        for swap in &plan.swaps {
            let policy = self.prepared(swap.slot, &swap.choice)?;
            swaps.push(policy.map_or_else(Vec::new, |policy| vec![policy; hosts]));
        }
        Ok((minds, swaps))
    }

    fn mind(&self, plan: &Plan) -> Result<Mind, PolicyError> {
        let mut slots = Box::<Slots>::default();
        for (slot, choice) in wanted(plan) {
            let Some(policy) = self.prepared(slot, &choice)? else { continue };
            let name = policy.version().name;
            let swapped = slots.swap(Micros::ZERO, policy);
            let unfit = |words: String| PolicyError::Unfit { name, slot, words };
            swapped.map_err(|failed| unfit(failed.to_string()))?;
        }
        Ok(slots)
    }

    /// A policy with its settings, tried; nothing for the fallback.
    fn prepared(&self, slot: Slot, choice: &Choice) -> Result<Option<Prepared>, PolicyError> {
        let (name, bytes, source) = match &choice.policy {
            Chosen::Fallback => return Ok(None),
            Chosen::Shipped(name) => {
                let shipped = weir_shipped::find(name).ok_or_else(|| unknown(slot, name))?;
                (name.clone(), shipped.wasm.to_vec(), Source::BuiltIn)
            }
            Chosen::File(path) => {
                let read = weir_policy::read(path);
                let failed = |source| PolicyError::Read { path: path.clone(), source };
                (path.display().to_string(), read.map_err(failed)?, Source::File(path.clone()))
            }
        };
        let unfit = |words| PolicyError::Unfit { name: name.clone(), slot, words };
        let component = self.component(&name, &bytes, source).map_err(unfit)?;
        let prepared = Prepared::new(component, slot, choice.settings.clone());
        prepared.map(Some).map_err(|error| unfit(words(&error)))
    }

    fn component(
        &self,
        name: &str,
        bytes: &[u8],
        source: Source,
    ) -> Result<Arc<Component>, String> {
        // Nothing panics while it holds the lock, and a map is sound in any case.
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(component) = compiled.get(name) {
            return Ok(Arc::clone(component));
        }
        let component = Component::load(&self.engine, bytes, source).map_err(|e| words(&e))?;
        compiled.insert(name.to_owned(), Arc::clone(&component));
        Ok(component)
    }
}

fn unknown(slot: Slot, name: &str) -> PolicyError {
    let known = weir_shipped::ALL.iter().filter(|one| one.slot == slot.name());
    let known: Vec<&str> = known.map(|one| one.name).collect();
    PolicyError::Unknown { name: name.to_owned(), slot, known: known.join(", ") }
}

/// An error with all that it stems from.
fn words(error: &dyn std::error::Error) -> String {
    let mut said = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_words = cause.to_string();
        if !said.contains(&cause_words) {
            said = format!("{said}: {cause_words}");
        }
        source = cause.source();
    }
    said
}

impl Deciding for Slots {
    fn policies(&mut self) -> &mut dyn Policies {
        self
    }

    fn tick(&mut self, now: Micros) {
        Self::tick(self, now);
    }

    fn due(&self) -> Option<Micros> {
        Self::due(self)
    }

    fn feeds(&self) -> bool {
        Slot::ALL.into_iter().any(|slot| self.standby(slot).is_some())
    }

    fn swap(&mut self, now: Micros, policy: Prepared) {
        // When it fails, one of its events says so.
        drop(Self::swap(self, now, policy));
    }

    fn said(&mut self) -> Vec<What> {
        self.events().into_iter().filter_map(what).collect()
    }
}

fn what(event: Event) -> Option<What> {
    Some(match event {
        Event::PolicyFault { slot, name, fault, words, .. } => {
            What::PolicyFault { slot, name, fault, words }
        }
        Event::PolicyQuarantined { slot, name, words, .. } => {
            What::PolicyQuarantined { slot, name, words }
        }
        Event::PolicySwapped { slot, name, restored, .. } => {
            What::PolicySwapped { slot, name, restored }
        }
        Event::PolicyRejected { slot, words, .. } => What::PolicyRejected { slot, words },
        Event::PolicyKept { .. } => return None,
    })
}
