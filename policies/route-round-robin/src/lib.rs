//! Candidates in turn, by id, whatever they cost and however they fare. To compare others with.

use weir_sdk::route::{Candidate, Choice, Request, Route};
use weir_sdk::types::CandidateId;
use weir_sdk::{About, Draw, Micros, Policy};

/// It is this candidate's turn.
pub const TURN: u16 = 1;
/// It comes later in the round.
pub const LATER: u16 = 2;

/// The policy: it remembers who was first last time.
pub struct RoundRobin {
    last: CandidateId,
}

impl Policy for RoundRobin {
    const ABOUT: About = weir_sdk::about!();
    type Settings = ();

    fn start((): (), _now: Micros) -> Result<Self, String> {
        Ok(Self { last: 0 })
    }
}

impl Route for RoundRobin {
    fn order(
        &mut self,
        _now: Micros,
        _request: &Request,
        candidates: &[Candidate],
        _draw: Draw,
    ) -> Vec<Choice> {
        let mut ids: Vec<CandidateId> = candidates.iter().map(|candidate| candidate.id).collect();
        ids.sort_unstable();
        let first = ids.iter().position(|id| *id > self.last).unwrap_or(0);
        ids.rotate_left(first);
        self.last = ids.first().copied().unwrap_or(self.last);
        let choice = |(at, candidate)| Choice {
            candidate,
            score: at as f64,
            reason: if at == 0 { TURN } else { LATER },
            patience: 0,
        };
        ids.into_iter().enumerate().map(choice).collect()
    }

    fn explain(&self, reason: u16) -> String {
        let words = match reason {
            TURN => "its turn",
            LATER => "later in the round",
            _ => "unknown",
        };
        words.to_owned()
    }
}

weir_sdk::export!(RoundRobin: route);

#[cfg(test)]
mod tests {
    use weir_sdk::native;
    use weir_sdk::testing::{candidate, request};

    use super::*;

    fn firsts(policy: &mut dyn native::Route, ids: &[u32], times: usize) -> Vec<u32> {
        let candidates: Vec<_> = ids.iter().map(|id| candidate(*id)).collect();
        let mut order = || policy.order(0, &request(1), &candidates, 0);
        (0..times).map(|_| order()[0].candidate).collect()
    }

    #[test]
    fn each_has_its_turn() {
        let mut policy = native::route::<RoundRobin>("", 0).unwrap();
        assert_eq!(firsts(policy.as_mut(), &[3, 1, 2], 7), [1, 2, 3, 1, 2, 3, 1]);
    }

    #[test]
    fn a_candidate_that_is_gone_is_passed_over() {
        let mut policy = native::route::<RoundRobin>("", 0).unwrap();
        firsts(policy.as_mut(), &[1, 2, 3], 1);
        assert_eq!(firsts(policy.as_mut(), &[1, 3], 2), [3, 1]);
        assert_eq!(firsts(policy.as_mut(), &[5], 1), [5]);
    }

    #[test]
    fn the_others_follow_in_order_and_reasons_have_words() {
        let mut policy = native::route::<RoundRobin>("", 0).unwrap();
        let candidates = [candidate(1), candidate(2), candidate(3)];
        policy.order(0, &request(1), &candidates, 0);
        let order = policy.order(0, &request(2), &candidates, 0);
        let ids: Vec<_> = order.iter().map(|choice| choice.candidate).collect();
        assert_eq!(ids, [2, 3, 1]);
        assert_eq!(policy.explain(order[0].reason), "its turn");
    }

    #[test]
    fn a_setting_is_refused() {
        let error = native::route::<RoundRobin>(r#"{"weight": 1}"#, 0).err().unwrap();
        assert_eq!(error, "unknown setting `weight`; this policy has no settings");
    }
}
