//! What every policy is: a name, settings, and a memory that it can hand on.

use serde_json::Value;

use crate::lifecycle::{Named, Origin};
use crate::settings::Settings;
use crate::units::Micros;

/// What a policy says of itself. [`about!`](crate::about) fills it from the crate's manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct About {
    /// The kind of policy. Only policies of one name restore each other's state.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
    /// One sentence for a person.
    pub summary: &'static str,
}

/// A policy of any kind. Beside this it implements a trait for each interface that it answers.
///
/// One value lives as long as the component's instance. What it keeps must be rebuildable or go through
/// [`save`](Policy::save): an instance is replaced after a fault and when the policy is swapped.
pub trait Policy: Sized + Send + 'static {
    /// Name, version and summary: `weir_sdk::about!()`.
    const ABOUT: About;

    /// What can be set; `()` when nothing can. See [`settings!`](crate::settings!).
    type Settings: Settings;

    /// Gets ready.
    ///
    /// # Errors
    ///
    /// Words for the operator, when settings that are each in bounds contradict each other.
    fn start(settings: Self::Settings, now: Micros) -> Result<Self, String>;

    /// What the next instance should know, beside the state per key, which is saved without asking.
    fn save(&self) -> Value {
        Value::Null
    }

    /// Takes over what an instance of the same name saved.
    ///
    /// # Errors
    ///
    /// Words for the operator; the host then keeps the earlier instance.
    fn restore(&mut self, _state: Value, _origin: &Origin, _now: Micros) -> Result<(), String> {
        Ok(())
    }

    /// Hears names of ids before their first use: of those kinds alone that its interface's calls use.
    fn names(&mut self, _entries: &[Named]) {}

    /// Hears that ids, each with its `names` code, will never be used again.
    fn forget(&mut self, _ids: &[(u16, u64)]) {}
}

/// The version of the crate that calls it: `WEIR_POLICY_VERSION` of the build's environment when that is
/// set, so that one source can be built as another version, and the manifest's otherwise.
///
/// ```
/// let version: &str = weir_sdk::version!();
/// assert_eq!(version.split('.').count(), 3);
/// ```
#[macro_export]
macro_rules! version {
    () => {
        match ::core::option_env!("WEIR_POLICY_VERSION") {
            Some(version) => version,
            None => ::core::env!("CARGO_PKG_VERSION"),
        }
    };
}

/// Name, version and summary from the manifest of the crate that calls it, as an [`About`].
///
/// ```
/// let about: weir_sdk::About = weir_sdk::about!();
/// assert_eq!(about.name, "weir-sdk");
/// ```
#[macro_export]
macro_rules! about {
    () => {
        $crate::About {
            name: ::core::env!("CARGO_PKG_NAME"),
            version: $crate::version!(),
            summary: ::core::env!("CARGO_PKG_DESCRIPTION"),
        }
    };
}
