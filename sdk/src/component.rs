//! A policy as the host sees it: the one place that both a component and a native use go through.
//!
//! A [`Component`] holds the policy and, beside it, a part for each interface that keeps state per key.
//! What it saves is one JSON object with the policy's own state and each part's.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::lifecycle::{Description, Named, Origin};
use crate::policy::Policy;
use crate::settings::Settings as _;
use crate::units::Micros;

/// State per key that the SDK keeps for a policy.
pub trait Part<P>: Default + Send {
    /// What to carry over.
    fn save(&self, policy: &P) -> Value;

    /// Takes over what was saved.
    ///
    /// # Errors
    ///
    /// Words for the operator.
    fn restore(&mut self, policy: &mut P, state: Value, origin: &Origin) -> Result<(), String>;

    /// Hears names.
    fn names(&mut self, entries: &[Named]);

    /// Hears that ids are retired.
    fn forget(&mut self, ids: &[(u16, u64)]);
}

impl<P> Part<P> for () {
    fn save(&self, _policy: &P) -> Value {
        Value::Null
    }

    fn restore(&mut self, _policy: &mut P, _state: Value, _origin: &Origin) -> Result<(), String> {
        Ok(())
    }

    fn names(&mut self, _entries: &[Named]) {}

    fn forget(&mut self, _ids: &[(u16, u64)]) {}
}

/// A started policy with its state per cell (`C`) and per group (`G`); `()` where it has none.
pub struct Component<P, C = (), G = ()> {
    pub(crate) policy: P,
    pub(crate) cells: C,
    pub(crate) groups: G,
}

/// What is saved.
#[derive(Serialize, Deserialize)]
struct Memory {
    policy: Value,
    cells: Value,
    groups: Value,
}

/// What a policy says of itself.
#[must_use]
pub fn describe<P: Policy>() -> Description {
    Description {
        name: P::ABOUT.name.to_owned(),
        version: P::ABOUT.version.to_owned(),
        summary: P::ABOUT.summary.to_owned(),
        settings_schema: P::Settings::schema(),
    }
}

impl<P: Policy, C: Part<P>, G: Part<P>> Component<P, C, G> {
    /// Reads the settings and starts the policy.
    ///
    /// # Errors
    ///
    /// Words for the operator: what is wrong with the settings and how to mend it.
    pub fn start(settings: &str, now: Micros) -> Result<Self, String> {
        let policy = P::start(P::Settings::read(settings)?, now)?;
        Ok(Self { policy, cells: C::default(), groups: G::default() })
    }

    pub(crate) fn save(&self) -> Vec<u8> {
        let memory = Memory {
            policy: self.policy.save(),
            cells: self.cells.save(&self.policy),
            groups: self.groups.save(&self.policy),
        };
        serde_json::to_vec(&memory).unwrap_or_default()
    }

    pub(crate) fn restore(
        &mut self,
        state: &[u8],
        origin: &Origin,
        now: Micros,
    ) -> Result<(), String> {
        if origin.name != P::ABOUT.name {
            return Err(format!("{} cannot take over the state of {}", P::ABOUT.name, origin.name));
        }
        let memory: Memory = serde_json::from_slice(state)
            .map_err(|error| format!("the state of version {}: {error}", origin.version))?;
        self.policy.restore(memory.policy, origin, now)?;
        self.cells.restore(&mut self.policy, memory.cells, origin)?;
        self.groups.restore(&mut self.policy, memory.groups, origin)
    }

    pub(crate) fn names(&mut self, entries: &[Named]) {
        self.cells.names(entries);
        self.groups.names(entries);
        self.policy.names(entries);
    }

    pub(crate) fn forget(&mut self, ids: &[(u16, u64)]) {
        self.cells.forget(ids);
        self.groups.forget(ids);
        self.policy.forget(ids);
    }
}
