//! Sleeps when it starts.
#![cfg(target_arch = "wasm32")]

use weir_sdk::priority::{Arrival, Placement, Priority};
use weir_sdk::{About, Micros, Policy};

struct Sleeper;

impl Policy for Sleeper {
    const ABOUT: About = weir_sdk::about!();
    type Settings = ();

    #[expect(clippy::disallowed_methods, reason = "sleeping is what this policy is for")]
    fn start((): (), _: Micros) -> Result<Self, String> {
        std::thread::sleep(std::time::Duration::from_secs(1));
        Ok(Self)
    }
}

impl Priority for Sleeper {
    fn place(&mut self, _: Micros, _: &Arrival) -> Placement {
        Placement::default()
    }
}

weir_sdk::export!(Sleeper: priority);
