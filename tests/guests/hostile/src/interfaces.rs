//! The seven interfaces, with answers as dull as they can be. Numbers that the host can read back carry the
//! count of calls, so that a test sees which instance answered and what it remembers.

use weir_sdk::bindings::{classify, fanout, limit, priority, retry, route, schedule, types};

use crate::Hostile;
use crate::deeds::{STATE, enter, words};

fn calls() -> u64 {
    STATE.with_borrow(|state| state.calls)
}

mod of_priority {
    use super::priority::exports::weir::policy::priority::{Arrival, Guest, Placement};
    use super::*;

    impl Guest for Hostile {
        fn place(_now: u64, _arrival: Arrival) -> Placement {
            let weight = if enter("place") { 0 } else { 1 };
            let rank = i32::try_from(calls()).unwrap_or(i32::MAX);
            Placement { class: 2, rank, weight, aging_step: 0, longest_wait: 0, may_shed: false }
        }
    }
}

mod of_schedule {
    use super::schedule::exports::weir::policy::schedule::{Choice, Event, Guest, Room};
    use super::*;

    impl Guest for Hostile {
        fn update(_now: u64, _group: u32, _events: Vec<Event>) {
            enter("update");
        }

        fn pick(_now: u64, _group: u32, _room: Room) -> Choice {
            let item = enter("pick").then_some(u64::MAX);
            Choice { item, wake: calls() }
        }
    }
}

mod of_limit {
    use super::limit::exports::weir::policy::limit::{
        Answer, Attempt, Cell, Ending, Guest, Opening,
    };
    use super::*;

    fn answer(function: &str, limit: u32) -> Answer {
        let rate = enter(function).then_some(f64::NAN);
        Answer {
            limit,
            caps: (0, 0, 0, 0),
            request_rate: rate,
            token_rate: None,
            closed_until: 0,
            reopen_with: 0,
            wake: 0,
            reason: 0,
            mark: calls(),
        }
    }

    impl Guest for Hostile {
        fn open(_now: u64, _cell: Cell, opening: Opening) -> Answer {
            answer("open", opening.start)
        }
        fn accepted(_now: u64, cell: Cell, _attempt: Attempt) -> Answer {
            answer("accepted", cell.limit)
        }
        fn ended(_now: u64, cell: Cell, _attempt: Attempt, _ending: Ending) -> Answer {
            answer("ended", cell.limit)
        }
        fn wake(_now: u64, cell: Cell) -> Answer {
            answer("wake", cell.limit)
        }
        fn close(_id: u32) {
            enter("close");
        }
    }
}

mod of_classify {
    use super::classify::exports::weir::policy::classify::{Classification, Guest, Response};
    use super::*;

    impl Guest for Hostile {
        fn classify(_now: u64, _response: Response) -> Classification {
            let verdict = types::Verdict {
                kind: 0,
                scope: 0,
                retryable: false,
                wait: None,
                shrink: false,
                needs_person: false,
            };
            Classification { verdict, evidence: words(enter("classify"), "none") }
        }
    }
}

mod of_retry {
    use super::retry::exports::weir::policy::retry::{Decision, Failure, Guest, Untried};
    use super::*;

    impl Guest for Hostile {
        fn decide(_now: u64, _failure: Failure, _untried: Vec<Untried>, _draw: u64) -> Decision {
            let action = if enter("decide") { u16::MAX } else { 0 };
            Decision { action, after: calls(), reason: 0 }
        }
    }
}

mod of_route {
    use super::route::exports::weir::policy::route::{Candidate, Choice, Guest, Outcome, Request};
    use super::*;

    impl Guest for Hostile {
        fn order(_now: u64, _: Request, candidates: Vec<Candidate>, _draw: u64) -> Vec<Choice> {
            let shift = u32::from(enter("order")) * 1000;
            let chosen = candidates.iter().map(|candidate| Choice {
                candidate: candidate.id + shift,
                score: 0.0,
                reason: 0,
                patience: calls(),
            });
            chosen.collect()
        }

        fn ended(_now: u64, _outcome: Outcome) {
            enter("routed");
        }

        fn explain(_reason: u16) -> String {
            words(enter("explain"), "no reason")
        }
    }
}

mod of_fanout {
    use super::fanout::exports::weir::policy::fanout::{Child, Guest, Plan, Tree};
    use super::*;

    impl Guest for Hostile {
        fn decide(_now: u64, _tree: Tree, wanted: u32, _children: Vec<Child>) -> Plan {
            let start = if enter("fanout") { u32::MAX } else { wanted };
            Plan { start, budget_each: 0, cancel: Vec::new(), ask_again: calls(), refusal: 0 }
        }
    }
}
