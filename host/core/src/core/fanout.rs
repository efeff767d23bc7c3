//! How many children a task may start.

use weir_sdk::fanout::{Child, Plan, Tree};

use super::Core;
use crate::policies::{Policies, Slot};
use crate::units::Micros;

/// The farthest next question that makes sense.
const MAX_AGAIN: Micros = Micros::from_secs(24 * 3600);

impl Core {
    /// Asks the fan-out policy. The answer never starts more than are wanted, never gives away more than
    /// `tree.budget_left` less `tree.reserve`, and cancels only children that were named.
    pub fn fanout(
        &mut self,
        now: Micros,
        tree: Tree,
        wanted: u32,
        children: &[Child],
        policies: &mut dyn Policies,
    ) -> Plan {
        let now = self.advance(now);
        if let Ok(plan) = policies.fanout(now, tree, wanted, children) {
            match wrong(now, &plan, &tree, wanted, children) {
                None => return plan,
                Some(words) => policies.nonsense(now, Slot::Fanout, words),
            }
        }
        self.fell_back(Slot::Fanout);
        crate::fallback::fanout(&tree, wanted, children)
    }
}

fn wrong(
    now: Micros,
    plan: &Plan,
    tree: &Tree,
    wanted: u32,
    children: &[Child],
) -> Option<&'static str> {
    if plan.start > wanted {
        return Some("starts more children than are wanted");
    }
    let spare = tree.budget_left.saturating_sub(tree.reserve);
    if u64::from(plan.start).saturating_mul(plan.budget_each) > spare {
        return Some("gives away more than the budget less the reserve");
    }
    if plan.cancel.iter().any(|id| children.iter().all(|child| child.task != *id)) {
        return Some("cancels a task that is no child");
    }
    let ahead = Micros(plan.ask_again).minus(now);
    (ahead > MAX_AGAIN).then_some("wants to be asked again in more than a day")
}
