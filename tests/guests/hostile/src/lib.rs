//! A policy of every kind that misbehaves as its settings say: `{"on": "pick", "do": "panic"}`. `on` is a
//! function's name, or `call` for any function of the seven interfaces. Without settings it behaves.
#![cfg(target_arch = "wasm32")]
#![allow(missing_docs, unsafe_code, reason = "the glue of an export is generated")]

mod deeds;
mod interfaces;
mod lifecycle;

struct Hostile;

weir_sdk::bindings::base::export!(Hostile with_types_in weir_sdk::bindings::base);
weir_sdk::bindings::priority::export_priority!(Hostile with_types_in weir_sdk::bindings::priority);
weir_sdk::bindings::schedule::export_schedule!(Hostile with_types_in weir_sdk::bindings::schedule);
weir_sdk::bindings::limit::export_limit!(Hostile with_types_in weir_sdk::bindings::limit);
weir_sdk::bindings::classify::export_classify!(Hostile with_types_in weir_sdk::bindings::classify);
weir_sdk::bindings::retry::export_retry!(Hostile with_types_in weir_sdk::bindings::retry);
weir_sdk::bindings::route::export_route!(Hostile with_types_in weir_sdk::bindings::route);
weir_sdk::bindings::fanout::export_fanout!(Hostile with_types_in weir_sdk::bindings::fanout);
