//! Short requests before long ones, within their class.
//!
//! What it is told and what it may answer stands in `sdk/wit/priority.wit`.

use weir_sdk::priority::{Arrival, Placement, Priority};
use weir_sdk::{About, Micros, Policy};

weir_sdk::settings! {
    /// What can be set.
    pub struct Settings {
        /// Seconds of waiting after which a request counts as one class more urgent; 0 never.
        aging_s: u64 = 20, in 0..=86_400;
    }
}

/// The policy.
pub struct Shortest(Settings);

/// The class of a request that declares none, and the last one.
const STANDARD: u8 = 1;
const LAST: u8 = 3;

impl Policy for Shortest {
    const ABOUT: About = weir_sdk::about!();
    type Settings = Settings;

    fn start(settings: Settings, _now: Micros) -> Result<Self, String> {
        Ok(Self(settings))
    }
}

impl Priority for Shortest {
    fn place(&mut self, _now: Micros, arrival: &Arrival) -> Placement {
        let class = match arrival.declared_class {
            255 => STANDARD,
            declared => declared.min(LAST),
        };
        Placement {
            class,
            // The lower goes first: the time it is expected to take, in milliseconds.
            rank: i32::try_from(arrival.expected / 1_000).unwrap_or(i32::MAX),
            aging_step: Micros::from_secs(self.0.aging_s).0,
            may_shed: class == LAST,
            ..Placement::default()
        }
    }
}

weir_sdk::export!(Shortest: priority);

#[cfg(test)]
mod tests {
    use weir_sdk::native;
    use weir_sdk::testing::arrival;

    use super::*;

    #[test]
    fn the_shorter_of_one_class_goes_first() {
        let mut policy = native::priority::<Shortest>("", 0).unwrap();
        let long = policy.place(0, &Arrival { expected: 90_000_000, ..arrival(1) });
        let short = policy.place(0, &arrival(2));
        assert_eq!((short.class, long.class), (STANDARD, STANDARD));
        assert!(short.rank < long.rank);
    }

    #[test]
    fn only_the_last_class_may_be_shed() {
        let mut policy = native::priority::<Shortest>("", 0).unwrap();
        let mut shed =
            |class| policy.place(0, &Arrival { declared_class: class, ..arrival(1) }).may_shed;
        assert_eq!([shed(0), shed(3), shed(9), shed(255)], [false, true, true, false]);
    }
}
