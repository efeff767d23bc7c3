//! A few children first, more while their answers are worth what they cost.
//!
//! Many branches at once spend a budget before anybody knows whether the second adds anything. So `first` start, and
//! each answer earns one place more, as long as the next is expected to pay: the mean worth of the answers so
//! far, times what the best of them leaves to be gained, over the mean cost of an answer, must reach `worth_per_1k`.
//! A failed child counts as an answer worth nothing. This is the stopping rule of sequential search (Weitzman,
//! 1979) with the plainest estimate of the gain: stop when a further look costs more than it can be expected to add.
//!
//! An answer of at least `confident` ends the search: nothing more is started, and of those alive whose worth the
//! parent puts below `low` are cancelled.
//!
//! Caps hold as in `fanout-budget`: width, depth, total, the deadline, a long line, and the tokens that are left
//! without the reserve for the task's own answer. Each child gets an even share of those for all that are
//! wanted, with at least `least` and at most `most`.

use weir_sdk::codes::{child, refusal};
use weir_sdk::fanout::{Child, Fanout, Plan, Tree};
use weir_sdk::{About, Micros, Policy};

mod answers;
#[cfg(test)]
mod tests;

use answers::Answers;

weir_sdk::settings! {
    /// What can be set.
    pub struct Settings {
        /// Children that are started before any has answered.
        first: u32 = 2, in 1..=100;
        /// The least that a thousand tokens must be expected to add to the best answer, whose worth is 0 to 1.
        worth_per_1k: f64 = 0.002, in 0.0..=1_000.0;
        /// The worth of an answer that ends the search.
        confident: f64 = 0.9, in 0.0..=1.0;
        /// After such an answer, children alive that are worth less than this are cancelled.
        low: f64 = 0.6, in 0.0..=1.0;
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
pub struct Progressive(Settings);

impl Policy for Progressive {
    const ABOUT: About = weir_sdk::about!();
    type Settings = Settings;

    fn start(settings: Settings, _now: Micros) -> Result<Self, String> {
        let Settings { least, most, first, width, .. } = settings;
        if least > most {
            return Err(format!("setting `least` is {least}, above `most`, which is {most}"));
        }
        if first > width {
            return Err(format!("setting `first` is {first}, above `width`, which is {width}"));
        }
        Ok(Self(settings))
    }
}

/// How many a cap allows, and the code to refuse the rest with.
type Cap = (u64, u16);

impl Progressive {
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

    /// What the answers so far allow.
    fn earned(&self, tree: &Tree, answers: &Answers) -> Cap {
        if answers.best >= self.0.confident || !self.pays(answers) {
            return (0, refusal::WORTH);
        }
        let places = self.0.first.saturating_add(answers.count);
        (places.saturating_sub(tree.width).into(), refusal::WIDTH)
    }

    /// Whether the next answer is expected to add what it costs. Nobody knows before the first.
    fn pays(&self, answers: &Answers) -> bool {
        answers.gain_per_1k().is_none_or(|gain| gain >= self.0.worth_per_1k)
    }

    fn cancel(&self, answers: &Answers, children: &[Child]) -> Vec<u64> {
        let confident = answers.best >= self.0.confident;
        let poor = |child: &&Child| confident && (child.worth.is_nan() || child.worth < self.0.low);
        children.iter().filter(alive).filter(poor).map(|child| child.task).collect()
    }
}

impl Fanout for Progressive {
    fn decide(&mut self, now: Micros, tree: &Tree, wanted: u32, children: &[Child]) -> Plan {
        if tree.deadline.is_some_and(|deadline| now >= Micros(deadline)) {
            let cancel = children.iter().filter(alive).map(|child| child.task).collect();
            return Plan { cancel, ..Plan::refuse(refusal::DEADLINE) };
        }
        let answers = Answers::of(children);
        let tokens = tree.budget_left.saturating_sub(tree.reserve);
        let each = (tokens / u64::from(wanted.max(1))).clamp(self.0.least, self.0.most);
        let affordable = (tokens / each, refusal::BUDGET);
        let earned = self.earned(tree, &answers);
        let caps = self.caps(now, tree).into_iter().chain([affordable, earned]);
        let (most, code) = caps.min_by_key(|(most, _)| *most).unwrap_or_default();
        let start = u32::try_from(most).unwrap_or(u32::MAX).min(wanted);
        let short = start < wanted;
        let busy = short && code == refusal::BUSY;
        Plan {
            start,
            budget_each: if start > 0 { each } else { 0 },
            cancel: self.cancel(&answers, children),
            ask_again: if busy { (now + Micros(tree.line_wait)).0 } else { 0 },
            refusal: if short { code } else { refusal::NONE },
        }
    }
}

/// It has not ended.
fn alive(child: &&Child) -> bool {
    matches!(child.state, child::WAITING | child::RUNNING)
}

weir_sdk::export!(Progressive: fanout);
