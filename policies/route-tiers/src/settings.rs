//! Tiers, and which class goes to which.

use crate::pattern;

weir_sdk::settings! {
    /// What can be set. Without rules every class goes to all candidates alike.
    pub struct Settings {
        /// The tiers, neighbours in strength beside each other.
        tiers: Vec<Tier> = Vec::new();
        /// The tier of each class.
        rules: Vec<Rule> = Vec::new();
        /// Least share of recent attempts that succeeded; below it a candidate comes after the others of
        /// its tier.
        success: f64 = 0.5, in 0.0..=1.0;
    }
}

weir_sdk::settings! {
    /// A set of candidates.
    pub struct Tier {
        /// What rules call it.
        name: String = String::new();
        /// Patterns of `upstream/model`; `*` stands for any characters.
        candidates: Vec<String> = Vec::new();
    }
}

weir_sdk::settings! {
    /// Where a class goes.
    pub struct Rule {
        /// The class, 0 the most urgent.
        class: u32 = 0, in 0..=255;
        /// Its tier.
        tier: String = String::new();
        /// Milliseconds for which a tier without room is waited for before another is tried.
        wait_ms: u64 = 1_000, in 0..=3_600_000;
        /// Another tier may cost so many times the dearest of its own.
        dearer: f64 = 1.0, in 0.0..=1_000.0;
        /// Another tier may cost so many dollars a million tokens; 0 sets no such bound.
        most_usd: f64 = 0.0, in 0.0..=1_000_000.0;
        /// It never leaves its tier.
        strict: bool = false;
    }
}

impl Tier {
    /// A candidate of this name belongs here.
    #[must_use]
    pub fn takes(&self, name: &str) -> bool {
        self.candidates.iter().any(|wanted| pattern::matches(wanted, name))
    }
}

impl Settings {
    /// The place of a tier.
    pub(crate) fn tier(&self, name: &str) -> Option<usize> {
        self.tiers.iter().position(|tier| tier.name == name)
    }

    /// Refuses settings that are each in bounds and contradict each other.
    pub(crate) fn check(&self) -> Result<(), String> {
        for (at, tier) in self.tiers.iter().enumerate() {
            self.check_tier(at, tier)?;
        }
        for (at, rule) in self.rules.iter().enumerate() {
            self.check_rule(at, rule)?;
        }
        Ok(())
    }

    fn check_tier(&self, at: usize, tier: &Tier) -> Result<(), String> {
        let Tier { name, candidates } = tier;
        if name.is_empty() {
            return Err(format!("setting `tiers` entry {at} has no `name`; give it one"));
        }
        if candidates.is_empty() {
            return Err(format!(
                "tier `{name}` has no `candidates`; list patterns of `upstream/model`, such as \"*mini\""
            ));
        }
        if candidates.iter().any(String::is_empty) {
            return Err(format!("tier `{name}` has an empty pattern; `*` matches all"));
        }
        match self.tier(name) {
            Some(first) if first != at => Err(format!("two tiers are named `{name}`")),
            _ => Ok(()),
        }
    }

    fn check_rule(&self, at: usize, rule: &Rule) -> Result<(), String> {
        let Rule { class, tier, .. } = rule;
        if self.tier(tier).is_none() {
            let known: Vec<_> = self.tiers.iter().map(|tier| tier.name.as_str()).collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            return Err(format!(
                "the rule for class {class} names tier `{tier}`, which is not in `tiers`; they are: {known}"
            ));
        }
        match self.rules.iter().position(|other| other.class == *class) {
            Some(first) if first != at => Err(format!("two rules are for class {class}")),
            _ => Ok(()),
        }
    }
}
