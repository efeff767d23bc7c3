//! Which policies decide.

use std::collections::BTreeMap;
use std::path::Path;

use toml::Spanned;
use weir_core::Slot;
use weir_core::units::Micros;

use super::check::Checker;
use super::file;
use super::plan::{Choice, Chosen, Swap};

impl Checker<'_> {
    pub(super) fn policies(&mut self, policies: file::Policies) -> BTreeMap<Slot, Choice> {
        let written = [
            (Slot::Priority, policies.priority),
            (Slot::Schedule, policies.schedule),
            (Slot::Limit, policies.limit),
            (Slot::Classify, policies.classify),
            (Slot::Retry, policies.retry),
            (Slot::Route, policies.route),
            (Slot::Fanout, policies.fanout),
        ];
        let chosen = written.into_iter().filter_map(|(slot, choice)| Some((slot, choice?)));
        chosen
            .map(|(slot, choice)| (slot, self.choice(slot, &choice.name, &choice.settings)))
            .collect()
    }

    pub(super) fn swaps(&mut self, swaps: Vec<file::Swap>, duration: Micros) -> Vec<Swap> {
        let mut taken: Vec<Swap> = Vec::with_capacity(swaps.len());
        for swap in swaps {
            let at = swap.at.get_ref().get();
            if at >= duration {
                self.complain(swap.at.span(), "it must come before the end of the run".to_owned());
            }
            let slot = *swap.slot.get_ref();
            let choice = self.choice(slot, &swap.name, &swap.settings);
            if choice.policy == Chosen::Fallback {
                self.complain(swap.name.span(), "a slot cannot be emptied by a swap".to_owned());
            }
            taken.push(Swap { at, slot, choice });
        }
        taken.sort_by_key(|swap| swap.at);
        taken
    }

    fn choice(
        &mut self,
        slot: Slot,
        name: &Spanned<String>,
        settings: &BTreeMap<String, serde_json::Value>,
    ) -> Choice {
        let settings = match settings.is_empty() {
            true => String::new(),
            false => serde_json::Value::from_iter(settings.clone()).to_string(),
        };
        let policy = self.chosen(slot, name);
        if policy == Chosen::Fallback && !settings.is_empty() {
            let words =
                "the host's own fallback takes no settings; take them out, or name a policy";
            self.complain(name.span(), words.to_owned());
        }
        Choice { policy, settings }
    }

    fn chosen(&mut self, slot: Slot, name: &Spanned<String>) -> Chosen {
        let written = name.get_ref();
        if written == "none" {
            return Chosen::Fallback;
        }
        if Path::new(written).extension().is_some_and(|extension| extension == "wasm") {
            let folder = Path::new(self.page.name).parent().unwrap_or(Path::new(""));
            return Chosen::File(folder.join(written));
        }
        let shipped = weir_shipped::ALL.iter().filter(|one| one.slot == slot.name());
        if !shipped.clone().any(|one| one.name == written) {
            self.unknown(name, &format!("policy for `{slot}`"), shipped.map(|one| one.name));
        }
        Chosen::Shipped(written.clone())
    }
}
