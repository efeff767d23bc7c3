//! Children within caps on width, depth, total and tokens.
//!
//! What a task may give away is what is left of its tokens without the reserve for its own final answer. The
//! children that it wants share that evenly, each with at least `least` and at most `most` tokens, and no
//! more are started than the caps and the tokens allow. A tree whose line is so long that a child could not
//! start before the deadline starts none; past the deadline all that is alive is cancelled.

use weir_sdk::codes::{child, refusal};
use weir_sdk::fanout::{Child, Fanout, Plan, Tree};
use weir_sdk::{About, Micros, Policy};

weir_sdk::settings! {
    /// What can be set.
    pub struct Settings {
        /// Children of one task that are alive at once.
        width: u32 = 8, in 1..=10_000;
        /// Steps from the root to the deepest task.
        depth: u32 = 3, in 1..=100;
        /// Tasks that a tree may ever have, the root included.
        total: u32 = 100, in 1..=1_000_000;
        /// The least tokens that a child is started with.
        least: u64 = 2_000, in 1..=1_000_000_000;
        /// The most tokens that a child is given.
        most: u64 = 200_000, in 1..=1_000_000_000;
        /// Seconds of wait in the line from which no child is started while no slot is free.
        busy_s: u64 = 60, in 1..=86_400;
    }
}

/// The policy.
pub struct Budget(Settings);

impl Policy for Budget {
    const ABOUT: About = weir_sdk::about!();
    type Settings = Settings;

    fn start(settings: Settings, _now: Micros) -> Result<Self, String> {
        let Settings { least, most, .. } = settings;
        if least > most {
            return Err(format!("setting `least` is {least}, above `most`, which is {most}"));
        }
        Ok(Self(settings))
    }
}

/// How many a cap allows, and the code to refuse the rest with.
type Cap = (u64, u16);

impl Budget {
    /// What the tree's shape and the line allow.
    fn caps(&self, now: Micros, tree: &Tree) -> [Cap; 5] {
        let wait = Micros(tree.line_wait);
        let late = tree.deadline.is_some_and(|deadline| now + wait >= Micros(deadline));
        let busy = tree.free_slots == 0 && wait >= Micros::from_secs(self.0.busy_s);
        let none_if = |holds: bool| if holds { 0 } else { u64::MAX };
        [
            (none_if(late), refusal::DEADLINE),
            (none_if(tree.depth >= self.0.depth), refusal::DEPTH),
            (self.0.width.saturating_sub(tree.width).into(), refusal::WIDTH),
            (self.0.total.saturating_sub(tree.total).into(), refusal::TOTAL),
            (none_if(busy), refusal::BUSY),
        ]
    }
}

impl Fanout for Budget {
    fn decide(&mut self, now: Micros, tree: &Tree, wanted: u32, children: &[Child]) -> Plan {
        if tree.deadline.is_some_and(|deadline| now >= Micros(deadline)) {
            return Plan { cancel: alive(children), ..Plan::refuse(refusal::DEADLINE) };
        }
        let tokens = tree.budget_left.saturating_sub(tree.reserve);
        let each = (tokens / u64::from(wanted.max(1))).clamp(self.0.least, self.0.most);
        let affordable = (tokens / each, refusal::BUDGET);
        let caps = self.caps(now, tree).into_iter().chain([affordable]);
        let (most, code) = caps.min_by_key(|(most, _)| *most).unwrap_or_default();
        let start = u32::try_from(most).unwrap_or(u32::MAX).min(wanted);
        let short = start < wanted;
        let busy = short && code == refusal::BUSY;
        Plan {
            start,
            budget_each: if start > 0 { each } else { 0 },
            cancel: Vec::new(),
            ask_again: if busy { (now + Micros(tree.line_wait)).0 } else { 0 },
            refusal: if short { code } else { refusal::NONE },
        }
    }
}

/// The children that have not ended.
fn alive(children: &[Child]) -> Vec<u64> {
    let alive = |child: &&Child| matches!(child.state, child::WAITING | child::RUNNING);
    children.iter().filter(alive).map(|child| child.task).collect()
}

weir_sdk::export!(Budget: fanout);

#[cfg(test)]
mod tests {
    use weir_sdk::native;
    use weir_sdk::testing::{self, tree};

    use super::*;

    const NOW: u64 = 1_000_000;

    fn decide(tree: &Tree, wanted: u32) -> Plan {
        native::fanout::<Budget>("", 0).unwrap().decide(NOW, tree, wanted, &[])
    }

    #[test]
    fn wanted_children_share_what_is_left_without_the_reserve() {
        let plan = decide(&Tree { reserve: 10_000, ..tree() }, 3);
        assert_eq!((plan.start, plan.budget_each, plan.refusal), (3, 30_000, refusal::NONE));
    }

    #[test]
    fn each_cap_refuses_with_its_code() {
        let minute = 60_000_000;
        let cases = [
            (Tree { width: 6, ..tree() }, 2, refusal::WIDTH),
            (Tree { depth: 3, ..tree() }, 0, refusal::DEPTH),
            (Tree { total: 98, ..tree() }, 2, refusal::TOTAL),
            (Tree { budget_left: 7_000, ..tree() }, 3, refusal::BUDGET),
            (Tree { budget_left: 1_000, ..tree() }, 0, refusal::BUDGET),
            (Tree { reserve: 200_000, ..tree() }, 0, refusal::BUDGET),
            (Tree { free_slots: 0, line_wait: minute, ..tree() }, 0, refusal::BUSY),
            (Tree { deadline: Some(minute), line_wait: minute, ..tree() }, 0, refusal::DEADLINE),
        ];
        for (tree, start, refusal) in cases {
            let plan = decide(&tree, 5);
            assert_eq!((plan.start, plan.refusal), (start, refusal), "{tree:?}");
        }
    }

    #[test]
    fn never_more_tokens_are_given_than_are_left() {
        for budget_left in (0..50_000).step_by(777) {
            for wanted in 0..12 {
                let plan = decide(&Tree { budget_left, ..tree() }, wanted);
                assert!(u64::from(plan.start) * plan.budget_each <= budget_left);
                assert!(plan.start <= wanted);
            }
        }
    }

    #[test]
    fn a_long_line_is_asked_about_again_after_its_wait() {
        let plan = decide(&Tree { free_slots: 0, line_wait: 90_000_000, ..tree() }, 2);
        assert_eq!(plan.ask_again, NOW + 90_000_000);
    }

    #[test]
    fn past_the_deadline_whatever_is_alive_is_cancelled() {
        let children = [
            testing::child(5),
            Child { state: child::DONE, ..testing::child(6) },
            Child { state: child::WAITING, ..testing::child(7) },
        ];
        let late = Tree { deadline: Some(NOW), ..tree() };
        let plan = native::fanout::<Budget>("", 0).unwrap().decide(NOW, &late, 2, &children);
        assert_eq!((plan.start, plan.cancel), (0, vec![5, 7]));
    }

    #[test]
    fn bad_settings_are_refused_with_words() {
        let error = native::fanout::<Budget>(r#"{"least": 9, "most": 3}"#, 0).err().unwrap();
        assert_eq!(error, "setting `least` is 9, above `most`, which is 3");
    }
}
