//! What decided, named exactly.

use weir_core::Slot;
use weir_policy::Digest;

use crate::decide::default_policy;
use crate::scenario::{Choice, Chosen, Plan};

/// The columns of [`rows`].
pub(super) const HEAD: [&str; 4] = ["slot", "policy", "sha256", "settings"];

/// A row for each slot, then one for each swap.
pub(super) fn rows(plan: &Plan) -> Vec<Vec<String>> {
    let first = Slot::ALL.into_iter().map(|slot| match plan.policies.get(&slot) {
        Some(choice) => row(slot.name().to_owned(), choice),
        None => row(slot.name().to_owned(), &default(slot)),
    });
    let swapped = plan.swaps.iter().map(|swap| {
        let at = super::seconds(swap.at);
        row(format!("{} from {at} s", swap.slot), &swap.choice)
    });
    first.chain(swapped).collect()
}

fn default(slot: Slot) -> Choice {
    let policy = Chosen::Shipped(default_policy(slot).to_owned());
    Choice { policy, settings: String::new() }
}

fn row(slot: String, choice: &Choice) -> Vec<String> {
    let (name, digest) = match &choice.policy {
        Chosen::Fallback => ("none: the host's own fallback".to_owned(), None),
        Chosen::Shipped(name) => {
            (name.clone(), weir_shipped::find(name).map(|shipped| Digest::of(shipped.wasm)))
        }
        // A file that has gone since it was loaded has no digest here.
        Chosen::File(file) => {
            (file.display().to_string(), std::fs::read(file).ok().map(|bytes| Digest::of(&bytes)))
        }
    };
    let digest = digest.map_or_else(String::new, |digest| digest.to_string());
    vec![slot, name, digest, choice.settings.clone()]
}
