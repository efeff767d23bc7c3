//! Retries within caps on attempts, time and budget.
//!
//! The wait is drawn evenly from 0 to `min(cap, base × 2^(attempts − 1))`: full jitter, after "Exponential
//! Backoff And Jitter" (AWS, 2015). The provider's own hint is its floor. A candidate that has not been tried
//! and opens sooner is preferred. It gives up when the verdict says that trying again cannot help, when the
//! client already has content, when doing it twice could do harm, or when a cap or the deadline would be
//! passed.

use weir_sdk::codes::{reason, sent};
use weir_sdk::retry::{Decision, Failure, Retry, Untried};
use weir_sdk::{About, Draw, Micros, Policy};

weir_sdk::settings! {
    /// What can be set.
    pub struct Settings {
        /// Attempts in all, the first included.
        attempts: u32 = 4, in 1..=100;
        /// Seconds since the arrival after which nothing is tried again.
        elapsed_s: u64 = 600, in 1..=86_400;
        /// Milliseconds that the first wait is drawn below; each further one doubles it.
        base_ms: u64 = 500, in 1..=600_000;
        /// Milliseconds that no wait is drawn above; a hint may be longer.
        cap_ms: u64 = 5_000, in 1..=3_600_000;
    }
}

/// The policy.
pub struct Budgeted(Settings);

impl Policy for Budgeted {
    const ABOUT: About = weir_sdk::about!();
    type Settings = Settings;

    fn start(settings: Settings, _now: Micros) -> Result<Self, String> {
        let Settings { base_ms, cap_ms, .. } = settings;
        if base_ms > cap_ms {
            return Err(format!(
                "setting `base_ms` is {base_ms}, above `cap_ms`, which is {cap_ms}"
            ));
        }
        Ok(Self(settings))
    }
}

impl Budgeted {
    /// Why a failure is not tried again, whatever the wait.
    fn refusal(&self, failure: &Failure) -> Option<u16> {
        let checks = [
            (!failure.verdict.retryable, reason::NOT_RETRYABLE),
            (failure.sent == sent::CONTENT, reason::CONTENT_SENT),
            (!failure.idempotent, reason::NOT_IDEMPOTENT),
            (u32::from(failure.attempts) >= self.0.attempts, reason::ATTEMPTS_SPENT),
            (Micros(failure.elapsed) >= Micros::from_secs(self.0.elapsed_s), reason::TIME_SPENT),
            (failure.budget_left == 0, reason::BUDGET_SPENT),
        ];
        checks.into_iter().find(|(holds, _)| *holds).map(|(_, reason)| reason)
    }

    /// A wait with full jitter.
    fn backoff(&self, attempts: u16, draw: Draw) -> Micros {
        let doublings = u32::from(attempts.saturating_sub(1)).min(40);
        let most = self.0.base_ms.saturating_mul(1 << doublings).min(self.0.cap_ms);
        Micros(draw.below(Micros::from_millis(most).0))
    }

    /// Where to try next, and after what wait.
    fn next(now: Micros, wait: Micros, hinted: bool, untried: &[Untried]) -> Decision {
        let opens = untried.iter().map(|other| Micros(other.opens) - now).min();
        match opens {
            Some(opens) if opens < wait => Decision::elsewhere(opens, reason::OPENS_SOONER),
            _ if hinted => Decision::again(wait, reason::PROVIDER_HINT),
            _ => Decision::again(wait, reason::BACKOFF),
        }
    }
}

impl Retry for Budgeted {
    fn decide(
        &mut self,
        now: Micros,
        failure: &Failure,
        untried: &[Untried],
        draw: Draw,
    ) -> Decision {
        if let Some(reason) = self.refusal(failure) {
            return Decision::give_up(reason);
        }
        let backoff = self.backoff(failure.attempts, draw);
        let hint = Micros(failure.verdict.wait.unwrap_or(0));
        let decision = Self::next(now, backoff.max(hint), hint > backoff, untried);
        let after = Micros(decision.after);
        if failure.deadline.is_some_and(|deadline| now + after >= Micros(deadline)) {
            return Decision::give_up(reason::PAST_DEADLINE);
        }
        if Micros(failure.elapsed) + after > Micros::from_secs(self.0.elapsed_s) {
            return Decision::give_up(reason::TIME_SPENT);
        }
        decision
    }
}

weir_sdk::export!(Budgeted: retry);

#[cfg(test)]
mod tests {
    use weir_sdk::codes::{kind, retry};
    use weir_sdk::native;
    use weir_sdk::testing::failure;
    use weir_sdk::types::Verdict;

    use super::*;

    const NOW: u64 = 1_000_000_000;

    fn decide(failure: &Failure, untried: &[Untried], draw: u64) -> Decision {
        native::retry::<Budgeted>("", NOW).unwrap().decide(NOW, failure, untried, draw)
    }

    fn failed() -> Failure {
        failure(kind::SERVER_ERROR, 1)
    }

    fn hinted(wait: u64) -> Failure {
        let verdict = Verdict { wait: Some(wait), ..failed().verdict };
        Failure { verdict, ..failed() }
    }

    #[test]
    fn the_wait_is_drawn_from_nothing_to_a_doubling_cap() {
        let longest =
            |attempts| decide(&failure(kind::SERVER_ERROR, attempts), &[], u64::MAX).after;
        assert_eq!([1, 2, 3].map(longest), [499_999, 999_999, 1_999_999]);
        assert_eq!(decide(&failed(), &[], 0).after, 0);
        assert_eq!(decide(&failed(), &[], u64::MAX / 2).after, 249_999);
    }

    #[test]
    fn no_wait_is_drawn_above_the_cap() {
        let settings = r#"{"attempts": 100}"#;
        let mut policy = native::retry::<Budgeted>(settings, NOW).unwrap();
        let after = policy.decide(NOW, &failure(kind::TIMEOUT, 90), &[], u64::MAX).after;
        assert_eq!(after, 4_999_999);
    }

    #[test]
    fn the_providers_hint_is_the_floor() {
        let decision = decide(&hinted(3_000_000), &[], u64::MAX);
        assert_eq!((decision.after, decision.reason), (3_000_000, reason::PROVIDER_HINT));
        let decision = decide(&hinted(10), &[], u64::MAX);
        assert_eq!((decision.after, decision.reason), (499_999, reason::BACKOFF));
    }

    #[test]
    fn it_gives_up_for_each_reason() {
        let verdict = Verdict { retryable: false, ..failed().verdict };
        let cases = [
            (Failure { verdict, ..failed() }, reason::NOT_RETRYABLE),
            (Failure { sent: sent::CONTENT, ..failed() }, reason::CONTENT_SENT),
            (Failure { idempotent: false, ..failed() }, reason::NOT_IDEMPOTENT),
            (Failure { attempts: 4, ..failed() }, reason::ATTEMPTS_SPENT),
            (Failure { elapsed: 600_000_000, ..failed() }, reason::TIME_SPENT),
            (Failure { elapsed: 598_000_000, ..hinted(3_000_000) }, reason::TIME_SPENT),
            (Failure { budget_left: 0, ..failed() }, reason::BUDGET_SPENT),
            (
                Failure { deadline: Some(NOW + 2_000_000), ..hinted(3_000_000) },
                reason::PAST_DEADLINE,
            ),
        ];
        for (failure, reason) in cases {
            assert_eq!(decide(&failure, &[], 0), Decision::give_up(reason), "{failure:?}");
        }
    }

    #[test]
    fn headers_alone_do_not_stop_it() {
        let failure = Failure { sent: sent::HEADERS, ..failed() };
        assert_eq!(decide(&failure, &[], 0).action, retry::AGAIN);
    }

    #[test]
    fn an_untried_candidate_that_opens_sooner_is_preferred() {
        let untried = [(7, NOW + 900_000), (8, NOW + 100_000)]
            .map(|(candidate, opens)| Untried { candidate, opens });
        let decision = decide(&hinted(3_000_000), &untried, 0);
        assert_eq!(decision, Decision::elsewhere(Micros(100_000), reason::OPENS_SOONER));
        let decision = decide(&hinted(50_000), &untried, 0);
        assert_eq!(decision.action, retry::AGAIN);
    }
}
