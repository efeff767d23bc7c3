//! Where the policies of a gateway come from.
//!
//! Each slot names a policy. A file of the watched folder comes before the shipped policy of the same name.
//! Compiling takes a tenth of a second and more, so it happens in the [`Workshop`], beside the path of requests;
//! the scheduler is handed what is ready.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;
use weir_core::units::Micros;
use weir_core::{Fallback, Policies, Slot};
use weir_policy::{
    Component, Delivery, Engine, Folder, Options, Pace, Prepared, SlotConfig, Slots, Source,
    Watcher,
};

use crate::config::{self, Choice, Complaint, ConfigError, Settings};

/// What decides in a gateway.
#[derive(Default)]
pub enum Deciders {
    /// The components that the settings name.
    #[default]
    Configured,
    /// Code of this program, made on the scheduler's thread. It cannot be replaced while the gateway runs.
    Fixed(MakeFixed),
}

/// Makes policies. `Err`: words for the operator.
pub type MakeFixed = Box<dyn FnOnce() -> Result<Box<dyn Policies>, String> + Send>;

impl Deciders {
    /// No policies at all: the core's own fallback answers everything.
    #[must_use]
    pub fn fallback() -> Self {
        Self::Fixed(Box::new(|| Ok(Box::new(Fallback::default()))))
    }
}

impl std::fmt::Debug for Deciders {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Configured => "Configured",
            Self::Fixed(_) => "Fixed",
        })
    }
}

/// A wish to replace a policy.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Swap {
    /// Which slot.
    pub slot: Slot,
    /// A file of the policies' folder without `.wasm`, or a shipped policy.
    #[serde(default)]
    pub name: Option<String>,
    /// A file with a component. With neither, the configured policy is loaded again.
    #[serde(default)]
    pub file: Option<PathBuf>,
    /// What to start it with: a JSON object. Absent: the settings configured for the policy, if it is that one.
    #[serde(default)]
    pub settings: Option<serde_json::Value>,
}

/// Loads the policies that settings name, and tries each with what it is to be started with, as a host does when it
/// starts. A file of the folder that stands before a shipped policy must be good as well.
///
/// # Errors
///
/// What is wrong with each that is no good, and where it is named.
pub fn check_policies(settings: &Settings) -> Result<(), ConfigError> {
    let mut complaints = Workshop::new(settings).map_err(ConfigError::Engine)?.complaints();
    if complaints.is_empty() {
        return Ok(());
    }
    complaints.sort_by_key(Complaint::position);
    Err(ConfigError::Invalid(complaints))
}

/// Makes policies ready, off the scheduler's thread.
pub(crate) struct Workshop {
    engine: Engine,
    config: config::Policies,
}

impl Workshop {
    pub(crate) fn new(settings: &Settings) -> Result<Self, String> {
        // What is compiled once is ready at the next start, or not: policies run either way.
        let cache = weir_policy::private_cache().unwrap_or_else(|error| {
            tracing::warn!(%error, "policies are compiled anew at each start");
            None
        });
        let options = Options { pace: Pace::Live, cache, seed: settings.seed };
        let engine = Engine::new(&options).map_err(|error| words(&error))?;
        Ok(Self { engine, config: settings.policies.clone() })
    }

    /// A policy for each slot. A file of the folder that is no good is left to the watcher, which says so; the
    /// shipped policy of its name stands in.
    pub(crate) fn first(&self) -> Result<Vec<Prepared>, String> {
        let stand_in = |slot, choice: &Choice| {
            self.configured(slot, choice).or_else(|error| {
                let shipped = self.shipped(slot, &choice.name, settings(Some(&choice.settings)));
                shipped.map_err(|_| format!("the policy for `{slot}`: {error}"))
            })
        };
        self.each(stand_in).into_iter().collect()
    }

    /// What is wrong with the policy of each slot.
    fn complaints(&self) -> Vec<Complaint> {
        let tried = self.each(|slot, choice| {
            self.configured(slot, choice).map_err(|error| choice.place.complain(error))
        });
        tried.into_iter().filter_map(Result::err).collect()
    }

    /// Does something for each slot, each on a thread of its own: compiling takes a while.
    fn each<T: Send>(&self, make: impl Fn(Slot, &Choice) -> T + Sync) -> Vec<T> {
        std::thread::scope(|scope| {
            let make = &make;
            let slots = self.config.slots.iter();
            let made: Vec<_> =
                slots.map(|(slot, choice)| scope.spawn(move || make(*slot, choice))).collect();
            let panicked = |panic| std::panic::resume_unwind(panic);
            made.into_iter().map(|one| one.join().unwrap_or_else(panicked)).collect()
        })
    }

    fn configured(&self, slot: Slot, choice: &Choice) -> Result<Prepared, String> {
        let settings = settings(Some(&choice.settings));
        match self.file(&choice.name).filter(|file| file.exists()) {
            Some(file) => self.load_file(slot, &file, settings),
            None => self.shipped(slot, &choice.name, settings),
        }
    }

    /// Makes ready what is wished. Takes a tenth of a second: not for a task.
    pub(crate) fn prepare(&self, swap: &Swap) -> Result<Prepared, String> {
        let configured = self.config.slots.get(&swap.slot);
        let name = swap.name.clone().or_else(|| Some(configured?.name.clone())).unwrap_or_default();
        let same = configured.filter(|choice| choice.name == name || swap.file.is_some());
        let settings = settings(swap.settings.as_ref().or(same.map(|choice| &choice.settings)));
        match swap.file.clone().or_else(|| self.file(&name).filter(|file| file.exists())) {
            Some(file) => self.load_file(swap.slot, &file, settings),
            None => self.shipped(swap.slot, &name, settings),
        }
    }

    /// Watches the folder, if there is one. `deliver` is called on a thread that may wait.
    pub(crate) fn watch(
        &self,
        deliver: impl FnMut(Delivery) + Send + 'static,
    ) -> Result<Option<Watcher>, String> {
        let Some(dir) = &self.config.dir else { return Ok(None) };
        let slots = self.config.slots.iter().map(|(slot, choice)| SlotConfig {
            slot: *slot,
            r#use: choice.name.clone(),
            settings: settings(Some(&choice.settings)),
        });
        let folder = Folder::new(self.engine.clone(), dir.clone(), slots.collect());
        folder.watch(deliver).map(Some).map_err(|error| words(&error))
    }

    fn file(&self, name: &str) -> Option<PathBuf> {
        Some(self.config.dir.as_ref()?.join(format!("{name}.wasm")))
    }

    fn load_file(&self, slot: Slot, file: &Path, settings: String) -> Result<Prepared, String> {
        let said = |error: &dyn std::error::Error| format!("{}: {}", file.display(), words(error));
        let bytes = std::fs::read(file).map_err(|error| said(&error))?;
        let component = Component::load(&self.engine, &bytes, Source::File(file.to_owned()));
        Prepared::new(component.map_err(|error| said(&error))?, slot, settings)
            .map_err(|error| said(&error))
    }

    fn shipped(&self, slot: Slot, name: &str, settings: String) -> Result<Prepared, String> {
        let said = |error: &dyn std::error::Error| {
            format!("the shipped policy `{name}`: {}", words(error))
        };
        let shipped = weir_shipped::find(name).ok_or_else(|| self.unknown(slot, name))?;
        let component = Component::load(&self.engine, shipped.wasm, Source::BuiltIn);
        Prepared::new(component.map_err(|error| said(&error))?, slot, settings)
            .map_err(|error| said(&error))
    }

    fn unknown(&self, slot: Slot, name: &str) -> String {
        let known: Vec<_> = weir_shipped::ALL
            .iter()
            .filter(|one| one.slot == slot.name())
            .map(|one| one.name)
            .collect();
        let folder = match &self.config.dir {
            Some(dir) => format!("in {} nor ", dir.display()),
            None => String::new(),
        };
        format!(
            "no policy `{name}` for `{slot}` is {folder}shipped; shipped are {}",
            known.join(", ")
        )
    }
}

/// Puts the first policies into their slots.
pub(crate) fn seated(first: Vec<Prepared>) -> Result<Box<Slots>, String> {
    let mut slots = Box::<Slots>::default();
    for policy in first {
        let name = policy.version().name;
        let swapped = slots.swap(Micros::ZERO, policy);
        swapped.map_err(|failed| format!("the policy `{name}` does not start: {failed}"))?;
    }
    Ok(slots)
}

/// Settings as a policy reads them: nothing for an empty object.
fn settings(value: Option<&serde_json::Value>) -> String {
    match value {
        Some(serde_json::Value::Object(map)) if map.is_empty() => String::new(),
        Some(serde_json::Value::Null) | None => String::new(),
        Some(value) => value.to_string(),
    }
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

/// A workshop that several may use; absent when the policies are fixed.
pub(crate) type SharedWorkshop = Option<Arc<Workshop>>;
