//! Birth and memory. Its memory is the count of its calls, as text.

use weir_sdk::bindings::base::exports::weir::policy::lifecycle::{
    Description, Guest, Named, Origin,
};
use weir_sdk::bindings::base::weir::policy::host;

use crate::Hostile;
use crate::deeds::{STATE, Settings, at, words};

impl Guest for Hostile {
    fn describe() -> Description {
        Description {
            name: env!("CARGO_PKG_NAME").into(),
            version: env!("CARGO_PKG_VERSION").into(),
            summary: "Misbehaves as its settings say.".into(),
            settings_schema: String::new(),
        }
    }

    fn start(settings: String, _now: u64) -> Result<(), String> {
        let read: Settings = match settings.as_str() {
            "" => Settings::default(),
            text => serde_json::from_str(text).map_err(|error| error.to_string())?,
        };
        STATE.with_borrow_mut(|state| state.settings = read);
        if at("start") {
            return Err("it will not start".into());
        }
        Ok(())
    }

    fn restore(state: Vec<u8>, _origin: Origin, _now: u64) -> Result<(), String> {
        if at("restore") {
            return Err(words(false, "it will not take that over"));
        }
        let text = String::from_utf8(state).map_err(|error| error.to_string())?;
        let calls = text.parse().map_err(|error| format!("{text:?}: {error}"))?;
        STATE.with_borrow_mut(|state| state.calls = calls);
        Ok(())
    }

    fn save(_now: u64) -> Vec<u8> {
        if at("save") {
            return vec![0; (1 << 20) + 1];
        }
        STATE.with_borrow(|state| state.calls.to_string()).into_bytes()
    }

    fn names(entries: Vec<Named>) {
        host::log(host::Level::Info, &format!("told {} names", entries.len()));
        STATE.with_borrow_mut(|state| state.names += entries.len());
        at("names");
    }

    fn forget(ids: Vec<(u16, u64)>) {
        STATE.with_borrow_mut(|state| state.names = state.names.saturating_sub(ids.len()));
        at("forget");
    }
}
