//! The order of candidates for a class.

use std::collections::BTreeMap;

use weir_sdk::route::{Candidate, Choice};
use weir_sdk::types::CandidateId;
use weir_sdk::{Draw, Micros};

use crate::{Rule, Settings};

/// Why a candidate stands where it does. The numbers are the reason codes of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the tier of the class; by load.
    Own = 1,
    /// In another tier, within what it may cost; nearest first.
    Other = 2,
    /// The lane has nothing of the tier; the cheapest that it has.
    Cheapest = 3,
    /// The class has no rule; by load.
    Free = 4,
    /// In the tier of the class, but this request has tried it, or its attempts fail.
    Failing = 5,
}

impl Place {
    /// Words for a reason code.
    #[must_use]
    pub fn words(reason: u16) -> &'static str {
        match reason {
            1 => "in the tier of the class; by load",
            2 => "another tier, not dearer than allowed",
            3 => "no candidate of the tier; the cheapest",
            4 => "no rule for the class; by load",
            5 => "in the tier of the class; tried already, or too few recent successes",
            _ => "unknown",
        }
    }
}

/// What an order is made from.
pub(crate) struct Order<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) tier_of: &'a BTreeMap<CandidateId, usize>,
    pub(crate) draw: Draw,
}

impl Order<'_> {
    /// All candidates, for a class without a rule.
    pub(crate) fn free(&self, candidates: &[Candidate]) -> Vec<Choice> {
        self.by_load(candidates.iter(), Place::Free)
    }

    /// The class's own tier, then what else its rule allows, then what fails of the tier.
    pub(crate) fn ruled(&self, rule: &Rule, tier: usize, candidates: &[Candidate]) -> Vec<Choice> {
        let own = |one: &&Candidate| self.tier_of.get(&one.id) == Some(&tier);
        let Some(dearest) = candidates.iter().filter(own).map(|one| one.cost_per_1k).max() else {
            return self.cheapest(rule, candidates);
        };
        let well = |one: &&Candidate| own(one) && !self.fails(one);
        let badly = |one: &&Candidate| own(one) && self.fails(one);
        let mut order = self.by_load(candidates.iter().filter(well), Place::Own);
        if !rule.strict {
            // The host goes on past those without patience: the last holds for them all.
            if let Some(last) = order.last_mut() {
                last.patience = Micros::from_millis(rule.wait_ms).0;
            }
            let most = bound(rule).min(dearest as f64 * rule.dearer);
            let others = |one: &&Candidate| !own(one) && one.cost_per_1k as f64 <= most;
            order.extend(self.others(tier, candidates.iter().filter(others)));
        }
        order.extend(self.by_load(candidates.iter().filter(badly), Place::Failing));
        order
    }

    /// Not worth a first try: this request has tried it, or too few attempts succeed.
    fn fails(&self, one: &Candidate) -> bool {
        one.tries > 0 || one.success < self.settings.success
    }

    /// The least loaded first of those that fit and do well, then the least loaded of the rest.
    fn by_load<'a>(
        &self,
        candidates: impl Iterator<Item = &'a Candidate>,
        place: Place,
    ) -> Vec<Choice> {
        let mut all: Vec<&Candidate> = candidates.collect();
        let first = self.draw.below(all.len() as u64) as usize;
        all.rotate_left(first);
        let worse = |one: &Candidate| (self.fails(one), !one.fits);
        // Stable: equals stay in the order of the draw.
        all.sort_by(|one, other| {
            worse(one).cmp(&worse(other)).then(load(one).total_cmp(&load(other)))
        });
        all.into_iter().map(|one| choice(one, load(one), place)).collect()
    }

    /// Other tiers by their distance in the list, those of no tier last; at one distance by load.
    fn others<'a>(
        &self,
        tier: usize,
        candidates: impl Iterator<Item = &'a Candidate>,
    ) -> Vec<Choice> {
        let mut others = self.by_load(candidates, Place::Other);
        let distance = |choice: &Choice| {
            self.tier_of.get(&choice.candidate).map_or(usize::MAX, |other| other.abs_diff(tier))
        };
        others.sort_by_key(distance);
        others
    }

    /// The lane has nothing of the class's tier. What the rule bounds in dollars holds where it can.
    fn cheapest(&self, rule: &Rule, candidates: &[Candidate]) -> Vec<Choice> {
        let least = candidates.iter().map(|one| one.cost_per_1k).min().unwrap_or(0);
        let most = if rule.most_usd > 0.0 { bound(rule).max(least as f64) } else { least as f64 };
        let cheap = candidates.iter().filter(|one| one.cost_per_1k as f64 <= most);
        self.by_load(cheap, Place::Cheapest)
    }
}

/// What a rule allows in billionths of a dollar for a thousand tokens.
fn bound(rule: &Rule) -> f64 {
    // A dollar a million tokens is a thousandth of one, 10⁶ billionths, a thousand.
    if rule.most_usd > 0.0 { rule.most_usd * 1e6 } else { f64::INFINITY }
}

/// The share of its limit in flight with one more, times its weight.
fn load(one: &Candidate) -> f64 {
    (f64::from(one.in_flight) + 1.0) / f64::from(one.limit.max(1)) * one.base_weight
}

fn choice(one: &Candidate, score: f64, place: Place) -> Choice {
    Choice { candidate: one.id, score, reason: place as u16, patience: 0 }
}
