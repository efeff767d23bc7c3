//! A host with one cell, for the tests of a limit policy.

use super::{cell, ending};
use crate::codes::kind;
use crate::lifecycle::Origin;
use crate::limit::{Answer, Attempt, Cell, Ending, Limit, Opening};
use crate::native;
use crate::types::Verdict;
use crate::units::Micros;

/// Plays the host of one cell: counts what is in flight, stamps marks, moves time.
///
/// See the example of [`limit`](crate::limit).
pub struct LimitBench {
    policy: Box<dyn native::Limit>,
    cell: Cell,
    answer: Answer,
    now: Micros,
}

impl LimitBench {
    /// Starts a policy at second 1 and opens cell 1 in it. A ceiling of 0 is none.
    ///
    /// # Panics
    ///
    /// When the policy refuses the settings.
    #[must_use]
    #[expect(clippy::panic, reason = "a test has no better use for bad settings")]
    pub fn open<P: Limit>(settings: &str, start: u32, ceiling: u32) -> Self {
        let now = Micros::from_secs(1);
        let mut policy = native::limit::<P>(settings, now.0).unwrap_or_else(|why| panic!("{why}"));
        let mut cell = Cell { limit: start, effective: start, ..cell(1) };
        let answer = policy.open(now.0, &cell, &Opening { start, ceiling });
        cell.limit = answer.limit;
        Self { policy, cell, answer, now }
    }

    /// The time.
    #[must_use]
    pub fn now(&self) -> Micros {
        self.now
    }

    /// The newest answer.
    #[must_use]
    pub fn answer(&self) -> &Answer {
        &self.answer
    }

    /// The cell, to change how it stands.
    pub fn cell(&mut self) -> &mut Cell {
        &mut self.cell
    }

    /// Lets time pass, and calls every wake that falls into it. A wake that asks to be woken in the past is
    /// not called again.
    pub fn advance(&mut self, span: Micros) {
        let end = self.now + span;
        let mut last = Micros::ZERO;
        while (last.plus(Micros(1))..=end).contains(&Micros(self.answer.wake)) {
            last = self.now.max(Micros(self.answer.wake));
            self.now = last;
            let answer = self.policy.wake(self.now.0, &self.cell);
            self.keep(answer);
        }
        self.now = end;
    }

    /// Starts an attempt under the newest answer.
    pub fn admit(&mut self) -> Attempt {
        self.cell.in_flight += 1;
        self.cell.last_start = self.now.0;
        Attempt {
            in_flight: self.cell.in_flight,
            limit: self.answer.limit,
            ..super::attempt(self.now.0, self.answer.mark)
        }
    }

    /// Ends an attempt.
    pub fn end(&mut self, attempt: &Attempt, ending: &Ending) -> &Answer {
        self.cell.in_flight -= 1;
        let answer = self.policy.ended(self.now.0, &self.cell, attempt, ending);
        self.keep(answer)
    }

    /// Starts an attempt that ends at once, in a way.
    pub fn pass(&mut self, ending: &Ending) -> &Answer {
        let attempt = self.admit();
        self.end(&attempt, ending)
    }

    /// Starts an attempt that succeeds.
    pub fn succeed(&mut self) -> &Answer {
        self.pass(&ending(kind::SUCCESS))
    }

    /// Starts an attempt that is refused, without a hint.
    pub fn throttle(&mut self, kind: u16) -> &Answer {
        self.pass(&ending(kind))
    }

    /// Starts an attempt that is refused with a hint how long to wait.
    pub fn throttle_for(&mut self, kind: u16, wait: Micros) -> &Answer {
        let ending = ending(kind);
        let verdict = Verdict { wait: Some(wait.0), ..ending.verdict };
        self.pass(&Ending { verdict, ..ending })
    }

    /// Replaces the policy, as a swap does: open at the limit that holds, then restore what was saved.
    ///
    /// # Panics
    ///
    /// When the next policy refuses its settings or the state.
    #[expect(clippy::panic, reason = "a test has no better use for a failed swap")]
    pub fn swap<P: Limit>(&mut self, settings: &str, ceiling: u32) {
        let now = self.now.0;
        let from = self.policy.describe();
        let state = self.policy.save(now);
        self.policy = native::limit::<P>(settings, now).unwrap_or_else(|why| panic!("{why}"));
        let opening = Opening { start: self.cell.limit, ceiling };
        let answer = self.policy.open(now, &self.cell, &opening);
        self.keep(answer);
        let origin = Origin { name: from.name, version: from.version, saved_at: now };
        self.policy.restore(&state, &origin, now).unwrap_or_else(|why| panic!("{why}"));
    }

    fn keep(&mut self, answer: Answer) -> &Answer {
        self.cell.limit = answer.limit;
        self.cell.effective = answer.limit;
        self.cell.closed_until = self.cell.closed_until.max(answer.closed_until);
        self.answer = answer;
        &self.answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{About, Policy};

    /// Raises its limit by one each second.
    struct Clock;

    impl Policy for Clock {
        const ABOUT: About = crate::about!();
        type Settings = ();

        fn start((): (), _: Micros) -> Result<Self, String> {
            Ok(Self)
        }
    }

    impl Limit for Clock {
        type State = (u32, Micros);

        fn open(&mut self, now: Micros, _: &Cell, opening: &Opening) -> (u32, Micros) {
            (opening.start, now + Micros::SECOND)
        }

        fn answer(&self, &(limit, wake): &(u32, Micros)) -> Answer {
            Answer { limit, wake: wake.0, ..Answer::default() }
        }

        fn ended(
            &mut self,
            state: &mut (u32, Micros),
            _: Micros,
            _: &Cell,
            _: &Attempt,
            _: &Ending,
        ) -> Answer {
            self.answer(state)
        }

        fn wake(&mut self, state: &mut (u32, Micros), now: Micros, _: &Cell) -> Answer {
            *state = (state.0 + 1, now + Micros::SECOND);
            self.answer(state)
        }
    }

    #[test]
    fn every_wake_of_a_span_is_called() {
        let mut bench = LimitBench::open::<Clock>("", 1, 0);
        bench.advance(Micros::from_millis(10_500));
        assert_eq!((bench.answer().limit, bench.now()), (11, Micros::from_millis(11_500)));
    }
}
