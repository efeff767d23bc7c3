//! A few more times, after waits that grow and are drawn by chance.
//!
//! What it is told and what it may answer stands in `sdk/wit/retry.wit`.

use weir_sdk::codes::{reason, sent};
use weir_sdk::retry::{Decision, Failure, Retry, Untried};
use weir_sdk::{About, Draw, Micros, Policy};

weir_sdk::settings! {
    /// What can be set.
    pub struct Settings {
        /// Attempts in all, the first included.
        attempts: u32 = 3, in 1..=10;
        /// Milliseconds that the first wait is drawn below; each further one doubles it.
        base_ms: u64 = 500, in 1..=60_000;
    }
}

/// The policy.
pub struct FewMore(Settings);

impl Policy for FewMore {
    const ABOUT: About = weir_sdk::about!();
    type Settings = Settings;

    fn start(settings: Settings, _now: Micros) -> Result<Self, String> {
        Ok(Self(settings))
    }
}

impl Retry for FewMore {
    fn decide(&mut self, now: Micros, failure: &Failure, _: &[Untried], draw: Draw) -> Decision {
        if !failure.verdict.retryable || !failure.idempotent || failure.sent == sent::CONTENT {
            return Decision::give_up(reason::NOT_RETRYABLE);
        }
        if u32::from(failure.attempts) >= self.0.attempts {
            return Decision::give_up(reason::ATTEMPTS_SPENT);
        }
        let doubled = self.0.base_ms << failure.attempts.saturating_sub(1).min(10);
        let drawn = draw.below(Micros::from_millis(doubled).0);
        // What the provider asks for is the least.
        let wait = Micros(drawn.max(failure.verdict.wait.unwrap_or(0)));
        if failure.deadline.is_some_and(|deadline| now + wait >= Micros(deadline)) {
            return Decision::give_up(reason::PAST_DEADLINE);
        }
        Decision::again(wait, reason::BACKOFF)
    }
}

weir_sdk::export!(FewMore: retry);

#[cfg(test)]
mod tests {
    use weir_sdk::codes::{kind, retry};
    use weir_sdk::native;
    use weir_sdk::testing::failure;

    use super::*;

    fn decide(failure: &Failure, draw: u64) -> Decision {
        native::retry::<FewMore>("", 0).unwrap().decide(0, failure, &[], draw)
    }

    #[test]
    fn waits_double_and_end_with_the_attempts() {
        let longest = |attempts| decide(&failure(kind::TIMEOUT, attempts), u64::MAX);
        assert_eq!([1, 2].map(|attempts| longest(attempts).after), [499_999, 999_999]);
        assert_eq!(longest(3).action, retry::GIVE_UP);
    }

    #[test]
    fn it_gives_up_where_the_deadline_would_pass() {
        let late = Failure { deadline: Some(400_000), ..failure(kind::TIMEOUT, 1) };
        assert_eq!(decide(&late, u64::MAX).reason, reason::PAST_DEADLINE);
        assert_eq!(decide(&late, 0).action, retry::AGAIN);
    }
}
