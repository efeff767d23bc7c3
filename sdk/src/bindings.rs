//! What wit-bindgen makes of `weir:policy`: the contract's types, and the glue of an export.
//!
//! A module for each world, because two worlds that both export `lifecycle` cannot live in one crate. All
//! share one set of `types`.

macro_rules! world {
    ($module:ident, $world:literal, $macro:literal) => {
        pub mod $module {
            wit_bindgen::generate!({
                path: "wit",
                world: $world,
                pub_export_macro: true,
                export_macro_name: $macro,
                default_bindings_module: "weir_sdk::bindings",
                runtime_path: "::weir_sdk::wit_bindgen::rt",
                additional_derives: [PartialEq, serde::Serialize, serde::Deserialize],
                with: { "weir:policy/types@0.1.0": crate::bindings::types },
            });
        }
    };
}

pub mod base {
    wit_bindgen::generate!({
        path: "wit",
        world: "base",
        pub_export_macro: true,
        runtime_path: "::weir_sdk::wit_bindgen::rt",
        additional_derives: [PartialEq, serde::Serialize, serde::Deserialize],
        generate_all,
    });
}
pub use base::weir::policy::types;
world!(limit, "limit-policy", "export_limit");
world!(schedule, "schedule-policy", "export_schedule");
world!(priority, "priority-policy", "export_priority");
world!(classify, "classify-policy", "export_classify");
world!(retry, "retry-policy", "export_retry");
world!(route, "route-policy", "export_route");
world!(fanout, "fanout-policy", "export_fanout");
