//! What decides in a run: components in WebAssembly, or the same crates compiled natively.

mod lease;
mod native;
mod wasm;

use weir_core::units::Micros;
use weir_core::{Policies, Slot};

use crate::record::What;
use crate::scenario::{Choice, Chosen, Plan};

pub(crate) use self::wasm::Prepared;
pub use self::wasm::Workshop;

/// Where a run's policies come from.
#[derive(Clone, Copy)]
pub enum Deciders<'a> {
    /// The components that a gateway would load, metered by fuel.
    Wasm(&'a Workshop),
    /// The shipped defaults compiled natively, with their default settings: the yardstick of what the sandbox costs.
    /// What the plan says of policies is not heeded.
    Native,
}

/// Why a policy cannot decide.
#[derive(Debug, thiserror::Error)]
pub enum PolicyError {
    /// The engine for components does not start.
    #[error("the engine for policies does not start: {0}")]
    Engine(String),
    /// A file cannot be read.
    #[error("cannot read the policy {}: {source}", path.display())]
    Read {
        /// Which.
        path: std::path::PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// No policy of that name is shipped.
    #[error("no policy `{name}` for `{slot}` is shipped; there are {known}")]
    Unknown {
        /// Which.
        name: String,
        /// For which slot.
        slot: Slot,
        /// Those that are.
        known: String,
    },
    /// It is no policy for the slot, or refuses its settings.
    #[error("the policy `{name}` for `{slot}` cannot be used: {words}")]
    Unfit {
        /// Which.
        name: String,
        /// For which slot.
        slot: Slot,
        /// Why, and how to mend it.
        words: String,
    },
}

/// One host's policies.
pub(crate) type Mind = Box<dyn Deciding>;

/// Policies, with what a driver does for them between its questions.
pub(crate) trait Deciding: Policies {
    /// As the core asks them.
    fn policies(&mut self) -> &mut dyn Policies;

    /// Does what is due.
    fn tick(&mut self, now: Micros);

    /// When something is due.
    fn due(&self) -> Option<Micros>;

    /// A policy waits to be told the truth.
    fn feeds(&self) -> bool;

    /// A policy is to take over.
    fn swap(&mut self, now: Micros, policy: Prepared);

    /// What happened to them since the last time.
    fn said(&mut self) -> Vec<What>;

    /// Answers that the limit policy of a coordinator owed since the last time; a core counts those of its own.
    fn owed(&mut self) -> u64 {
        0
    }

    /// A host has so many in flight at an upstream now. Only a coordinator of several hosts wants to know.
    fn in_flight(&mut self, _now: Micros, _upstream: usize, _count: u32) {}
}

/// The policy of a slot of which a plan says nothing: as in a gateway.
#[must_use]
pub fn default_policy(slot: Slot) -> &'static str {
    weir_shipped::default_of(slot.name()).unwrap_or_default()
}

/// Every slot with what a plan wants there.
fn wanted(plan: &Plan) -> impl Iterator<Item = (Slot, Choice)> + '_ {
    let default = |slot| Choice {
        policy: Chosen::Shipped(default_policy(slot).to_owned()),
        settings: String::new(),
    };
    Slot::ALL
        .into_iter()
        .map(move |slot| (slot, plan.policies.get(&slot).cloned().unwrap_or_else(|| default(slot))))
}

/// The policies of each host, and for each swap one policy a host.
type Ready = (Vec<Mind>, Vec<Vec<Prepared>>);

impl Deciders<'_> {
    /// Starts what a plan needs, for each of its hosts.
    pub(crate) fn start(self, plan: &Plan) -> Result<Ready, PolicyError> {
        let hosts = plan.instances.as_ref().map_or(1, |instances| instances.count as usize);
        let coordinated = plan.instances.as_ref().filter(|instances| instances.coordinated);
        let count = hosts + usize::from(coordinated.is_some());
        let (mut minds, swaps) = match self {
            Self::Wasm(workshop) => workshop.start(plan, count, hosts)?,
            Self::Native => ((0..count).map(|_| native::mind()).collect::<Result<_, _>>()?, vec![]),
        };
        if let Some(instances) = coordinated
            && let Some(learner) = minds.pop()
        {
            minds = lease::share(instances, learner, minds);
        }
        Ok((minds, swaps))
    }
}
