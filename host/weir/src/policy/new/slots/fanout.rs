//! A few children at a time, each with an even part of what is left.
//!
//! What it is told and what it may answer stands in `sdk/wit/fanout.wit`.

use weir_sdk::codes::refusal;
use weir_sdk::fanout::{Child, Fanout, Plan, Tree};
use weir_sdk::{About, Micros, Policy};

weir_sdk::settings! {
    /// What can be set.
    pub struct Settings {
        /// Children of one task that are alive at once.
        width: u32 = 4, in 1..=1_000;
        /// Steps from the root to the deepest task.
        depth: u32 = 2, in 1..=100;
        /// The least tokens that a child is started with.
        least: u64 = 1_000, in 1..=1_000_000_000;
    }
}

/// The policy.
pub struct Few(Settings);

impl Policy for Few {
    const ABOUT: About = weir_sdk::about!();
    type Settings = Settings;

    fn start(settings: Settings, _now: Micros) -> Result<Self, String> {
        Ok(Self(settings))
    }
}

impl Fanout for Few {
    fn decide(&mut self, _now: Micros, tree: &Tree, wanted: u32, _children: &[Child]) -> Plan {
        if tree.depth >= self.0.depth {
            return Plan::refuse(refusal::DEPTH);
        }
        let start = self.0.width.saturating_sub(tree.width).min(wanted);
        if start == 0 {
            return Plan::refuse(refusal::WIDTH);
        }
        // The reserve is for the task's own final answer.
        let tokens = tree.budget_left.saturating_sub(tree.reserve);
        let each = tokens / u64::from(start);
        if each < self.0.least {
            return Plan::refuse(refusal::BUDGET);
        }
        let refusal = if start < wanted { refusal::WIDTH } else { refusal::NONE };
        Plan { start, budget_each: each, ..Plan::refuse(refusal) }
    }
}

weir_sdk::export!(Few: fanout);

#[cfg(test)]
mod tests {
    use weir_sdk::native;
    use weir_sdk::testing::tree;

    use super::*;

    fn decide(tree: &Tree, wanted: u32) -> Plan {
        native::fanout::<Few>("", 0).unwrap().decide(0, tree, wanted, &[])
    }

    #[test]
    fn children_share_what_is_left_without_the_reserve() {
        let plan = decide(&Tree { width: 2, reserve: 10_000, ..tree() }, 5);
        assert_eq!((plan.start, plan.budget_each, plan.refusal), (2, 45_000, refusal::WIDTH));
    }

    #[test]
    fn each_cap_refuses_with_its_code() {
        let refused = |tree: &Tree| decide(tree, 3).refusal;
        assert_eq!(refused(&Tree { depth: 2, ..tree() }), refusal::DEPTH);
        assert_eq!(refused(&Tree { width: 4, ..tree() }), refusal::WIDTH);
        assert_eq!(refused(&Tree { budget_left: 500, ..tree() }), refusal::BUDGET);
    }
}
