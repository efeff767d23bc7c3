use weir_sdk::native;
use weir_sdk::testing::{self, tree};

use super::*;

const NOW: u64 = 1_000_000;

fn decide(tree: &Tree, wanted: u32, children: &[Child]) -> Plan {
    native::fanout::<Progressive>("", 0).unwrap().decide(NOW, tree, wanted, children)
}

fn child(task: u64, state: u16, worth: f64) -> Child {
    Child { state, worth, spent: 10_000, ..testing::child(task) }
}

#[test]
fn two_start_and_the_rest_wait_for_their_answers() {
    let plan = decide(&Tree { reserve: 10_000, ..tree() }, 6, &[]);
    assert_eq!((plan.start, plan.budget_each, plan.refusal), (2, 15_000, refusal::WIDTH));
    let running = [5, 6].map(|task| child(task, child::RUNNING, 0.5));
    let plan = decide(&Tree { width: 2, ..tree() }, 4, &running);
    assert_eq!((plan.start, plan.refusal), (0, refusal::WIDTH));
}

#[test]
fn each_answer_that_leaves_something_to_gain_earns_a_place() {
    let mut children = vec![child(5, child::DONE, 0.5), child(6, child::RUNNING, 0.5)];
    let plan = decide(&Tree { width: 1, ..tree() }, 6, &children);
    assert_eq!((plan.start, plan.refusal), (2, refusal::WIDTH));
    children[1] = child(6, child::DONE, 0.4);
    assert_eq!(decide(&tree(), 6, &children).start, 4);
    assert_eq!(decide(&tree(), 3, &children).refusal, refusal::NONE);
}

#[test]
fn nothing_more_starts_when_the_next_answer_is_not_worth_its_cost() {
    let dear = |spent| [Child { spent, ..child(5, child::DONE, 0.5) }];
    assert_eq!(decide(&tree(), 2, &dear(125_000)).start, 2, "0.25 for 125,000 tokens");
    let plan = decide(&tree(), 2, &dear(126_000));
    assert_eq!((plan.start, plan.refusal), (0, refusal::WORTH));
    let failed = [child(5, child::FAILED, 0.5), child(6, child::FAILED, 0.5)];
    assert_eq!(decide(&tree(), 2, &failed).refusal, refusal::WORTH);
}

#[test]
fn a_confident_answer_cancels_what_is_worth_little() {
    let children = [
        child(5, child::DONE, 0.95),
        child(6, child::RUNNING, 0.3),
        child(7, child::WAITING, 0.59),
        child(8, child::RUNNING, 0.6),
        child(9, child::FAILED, 0.1),
    ];
    let plan = decide(&Tree { width: 3, ..tree() }, 2, &children);
    assert_eq!((plan.start, plan.cancel, plan.refusal), (0, vec![6, 7], refusal::WORTH));
    let unsure = [child(5, child::DONE, 0.89), child(6, child::RUNNING, 0.3)];
    assert_eq!(decide(&Tree { width: 1, ..tree() }, 0, &unsure).cancel, Vec::<u64>::new());
}

#[test]
fn each_cap_refuses_with_its_code() {
    let minute = 60_000_000;
    let cases = [
        (Tree { width: 8, ..tree() }, 0, refusal::WIDTH),
        (Tree { depth: 3, ..tree() }, 0, refusal::DEPTH),
        (Tree { total: 99, ..tree() }, 1, refusal::TOTAL),
        (Tree { budget_left: 3_000, ..tree() }, 1, refusal::BUDGET),
        (Tree { reserve: 200_000, ..tree() }, 0, refusal::BUDGET),
        (Tree { free_slots: 0, line_wait: minute, ..tree() }, 0, refusal::BUSY),
        (Tree { deadline: Some(minute), line_wait: minute, ..tree() }, 0, refusal::DEADLINE),
    ];
    for (tree, start, refusal) in cases {
        let plan = decide(&tree, 5, &[]);
        assert_eq!((plan.start, plan.refusal), (start, refusal), "{tree:?}");
    }
    let plan = decide(&Tree { free_slots: 0, line_wait: 90_000_000, ..tree() }, 2, &[]);
    assert_eq!(plan.ask_again, NOW + 90_000_000);
}

#[test]
fn never_more_is_given_than_is_left_and_only_children_are_cancelled() {
    for budget_left in (0..50_000).step_by(777) {
        for wanted in 0..12 {
            for answered in 0_u32..5 {
                let worth = f64::from(answered) / 5.0;
                let children: Vec<_> =
                    (0..answered).map(|n| child(n.into(), child::DONE, worth)).collect();
                let tree = Tree { budget_left, reserve: 5_000, ..tree() };
                let plan = decide(&tree, wanted, &children);
                let spare = budget_left.saturating_sub(5_000);
                assert!(u64::from(plan.start) * plan.budget_each <= spare);
                assert!(plan.start <= wanted && plan.cancel.is_empty());
                assert_eq!(plan.start < wanted, plan.refusal != refusal::NONE);
            }
        }
    }
}

#[test]
fn past_the_deadline_whatever_is_alive_is_cancelled() {
    let children = [child(5, child::RUNNING, 0.9), child(6, child::DONE, 0.5)];
    let plan = decide(&Tree { deadline: Some(NOW), ..tree() }, 2, &children);
    assert_eq!((plan.start, plan.cancel, plan.refusal), (0, vec![5], refusal::DEADLINE));
}

#[test]
fn bad_settings_are_refused_with_words() {
    let start = |settings| native::fanout::<Progressive>(settings, 0).err().unwrap();
    assert_eq!(
        start(r#"{"least": 9, "most": 3}"#),
        "setting `least` is 9, above `most`, which is 3"
    );
    assert_eq!(start(r#"{"first": 9}"#), "setting `first` is 9, above `width`, which is 8");
}
