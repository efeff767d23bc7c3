//! Each class of request goes to its tier of models; the way out is never dearer than allowed.
//!
//! A tier is a set of candidates by patterns of their names, `upstream/model`, in which `*` stands for any
//! characters. A candidate belongs to the first tier that matches it. A rule gives a class its tier: hard
//! work to strong models, background work to small ones (the static end of model routing; Chen, Zaharia and
//! Zou, "FrugalGPT", 2023, learns the choice). With
//!
//! ```json
//! {"tiers": [{"name": "small", "candidates": ["*-mini", "*haiku*"]},
//!            {"name": "large", "candidates": ["*"]}],
//!  "rules": [{"class": 0, "tier": "large"},
//!            {"class": 2, "tier": "small", "wait_ms": 60000}]}
//! ```
//!
//! class 0 goes to the large tier, class 2 to the small one, and any other class to all candidates alike.
//! Within its tier a request goes to the least loaded candidate that fits.
//!
//! When none of its tier fits for `wait_ms`, the request may leave its tier: to the nearest in the list
//! first, and only to candidates whose cost per thousand tokens is at most `dearer` times that of the
//! dearest in its tier, and at most `most_usd` a million when that is set. Those of its own tier that it
//! has tried, or whose attempts fail, come last. When its tier has no candidate at all in a lane, it may
//! cost what `most_usd` says, or else, since nothing says it, only what the cheapest of the lane costs; an
//! order names at least one. A rule that is `strict` keeps the request in its tier as long as the lane has
//! one of it.

use std::collections::BTreeMap;

use weir_sdk::codes::names;
use weir_sdk::lifecycle::Named;
use weir_sdk::route::{Candidate, Choice, Request, Route};
use weir_sdk::types::CandidateId;
use weir_sdk::{About, Draw, Micros, Policy};

mod order;
mod pattern;
mod settings;
#[cfg(test)]
mod tests;

use order::Order;
pub use order::Place;
pub use settings::{Rule, Settings, Tier};

/// The policy: it knows the tier of each candidate from its name.
pub struct Tiers {
    settings: Settings,
    tier_of: BTreeMap<CandidateId, usize>,
}

impl Policy for Tiers {
    const ABOUT: About = weir_sdk::about!();
    type Settings = Settings;

    fn start(settings: Settings, _now: Micros) -> Result<Self, String> {
        settings.check()?;
        Ok(Self { settings, tier_of: BTreeMap::new() })
    }

    fn names(&mut self, entries: &[Named]) {
        for entry in entries.iter().filter(|entry| entry.kind == names::CANDIDATE) {
            let id = entry.id as CandidateId;
            match self.settings.tiers.iter().position(|tier| tier.takes(&entry.name)) {
                Some(tier) => self.tier_of.insert(id, tier),
                None => self.tier_of.remove(&id),
            };
        }
    }

    fn forget(&mut self, ids: &[(u16, u64)]) {
        for (_, id) in ids.iter().filter(|(kind, _)| *kind == names::CANDIDATE) {
            self.tier_of.remove(&(*id as CandidateId));
        }
    }
}

impl Route for Tiers {
    fn order(
        &mut self,
        _now: Micros,
        request: &Request,
        candidates: &[Candidate],
        draw: Draw,
    ) -> Vec<Choice> {
        let class = u32::from(request.class);
        let rule = self.settings.rules.iter().find(|rule| rule.class == class);
        let tier = rule.and_then(|rule| self.settings.tier(&rule.tier));
        let order = Order { settings: &self.settings, tier_of: &self.tier_of, draw };
        match (rule, tier) {
            (Some(rule), Some(tier)) => order.ruled(rule, tier, candidates),
            _ => order.free(candidates),
        }
    }

    fn explain(&self, reason: u16) -> String {
        Place::words(reason).to_owned()
    }
}

weir_sdk::export!(Tiers: route);
