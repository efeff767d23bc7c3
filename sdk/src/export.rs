//! The macro that makes a component of a policy.

/// Exports a policy: `lifecycle`, the named interfaces, and nothing else.
///
/// It emits code for `wasm32` only, so that the same crate is tested natively. Name every interface whose
/// trait the policy implements and the component should answer:
///
/// ```
/// # use weir_sdk::{About, Draw, Micros, Policy, priority, route};
/// # struct Both;
/// # impl Policy for Both {
/// #     const ABOUT: About = weir_sdk::about!();
/// #     type Settings = ();
/// #     fn start(_: (), _: Micros) -> Result<Self, String> { Ok(Self) }
/// # }
/// # impl priority::Priority for Both {
/// #     fn place(&mut self, _: Micros, _: &priority::Arrival) -> priority::Placement {
/// #         priority::Placement::default()
/// #     }
/// # }
/// # impl route::Route for Both {
/// #     fn order(&mut self, _: Micros, _: &route::Request, _: &[route::Candidate], _: Draw)
/// #         -> Vec<route::Choice> { Vec::new() }
/// #     fn explain(&self, _: u16) -> String { String::new() }
/// # }
/// weir_sdk::export!(Both: priority, route);
/// ```
#[macro_export]
macro_rules! export {
    ($Policy:ident : $($interface:ident),+ $(,)?) => {
        #[cfg(target_arch = "wasm32")]
        #[allow(unsafe_code, reason = "the functions that a component exports")]
        const _: () = {
            type Instance = $crate::component_type!($Policy, (), (), $($interface)+);

            ::std::thread_local! {
                static INSTANCE: ::core::cell::RefCell<Option<Instance>> =
                    const { ::core::cell::RefCell::new(None) };
            }

            /// Asks the instance; the host starts it before it asks anything.
            fn ask<R>(question: impl FnOnce(&mut Instance) -> R) -> R {
                INSTANCE.with_borrow_mut(|instance| match instance {
                    Some(instance) => question(instance),
                    None => ::core::unreachable!("asked before `start`"),
                })
            }

            struct Glue;

            $crate::glue!(lifecycle $Policy);
            $($crate::glue!($interface $Policy);)+
        };
    };
}

/// The [`Component`](crate::Component) of a policy with these interfaces.
#[doc(hidden)]
#[macro_export]
macro_rules! component_type {
    ($Policy:ident, $cells:ty, $groups:ty,) => { $crate::Component<$Policy, $cells, $groups> };
    ($Policy:ident, $cells:ty, $groups:ty, limit $($rest:ident)*) => {
        $crate::component_type!($Policy, $crate::limit::Cells<$Policy>, $groups, $($rest)*)
    };
    ($Policy:ident, $cells:ty, $groups:ty, schedule $($rest:ident)*) => {
        $crate::component_type!($Policy, $cells, $crate::schedule::Groups<$Policy>, $($rest)*)
    };
    ($Policy:ident, $cells:ty, $groups:ty, $other:ident $($rest:ident)*) => {
        $crate::component_type!($Policy, $cells, $groups, $($rest)*)
    };
}

/// Implements one interface's `Guest` by the call of the same name in [`native`](crate::native).
#[doc(hidden)]
#[macro_export]
macro_rules! glue {
    (lifecycle $Policy:ident) => {
        impl $crate::bindings::base::exports::weir::policy::lifecycle::Guest for Glue {
            fn describe() -> $crate::lifecycle::Description {
                $crate::component::describe::<$Policy>()
            }

            fn start(settings: String, now: u64) -> Result<(), String> {
                let started = Instance::start(&settings, now.into())?;
                INSTANCE.set(Some(started));
                Ok(())
            }

            fn restore(
                state: Vec<u8>,
                origin: $crate::lifecycle::Origin,
                now: u64,
            ) -> Result<(), String> {
                ask(|it| $crate::native::Lifecycle::restore(it, &state, &origin, now))
            }

            fn save(now: u64) -> Vec<u8> {
                ask(|it| $crate::native::Lifecycle::save(it, now))
            }

            fn names(entries: Vec<$crate::lifecycle::Named>) {
                ask(|it| $crate::native::Lifecycle::names(it, &entries));
            }

            fn forget(ids: Vec<(u16, u64)>) {
                ask(|it| $crate::native::Lifecycle::forget(it, &ids));
            }
        }
        $crate::bindings::base::export!(Glue with_types_in $crate::bindings::base);
    };
    (limit $Policy:ident) => {
        impl $crate::bindings::limit::exports::weir::policy::limit::Guest for Glue {
            fn open(
                now: u64,
                cell: $crate::limit::Cell,
                opening: $crate::limit::Opening,
            ) -> $crate::limit::Answer {
                ask(|it| $crate::native::Limit::open(it, now, &cell, &opening))
            }

            fn accepted(
                now: u64,
                cell: $crate::limit::Cell,
                attempt: $crate::limit::Attempt,
            ) -> $crate::limit::Answer {
                ask(|it| $crate::native::Limit::accepted(it, now, &cell, &attempt))
            }

            fn ended(
                now: u64,
                cell: $crate::limit::Cell,
                attempt: $crate::limit::Attempt,
                ending: $crate::limit::Ending,
            ) -> $crate::limit::Answer {
                ask(|it| $crate::native::Limit::ended(it, now, &cell, &attempt, &ending))
            }

            fn wake(now: u64, cell: $crate::limit::Cell) -> $crate::limit::Answer {
                ask(|it| $crate::native::Limit::wake(it, now, &cell))
            }

            fn close(id: u32) {
                ask(|it| $crate::native::Limit::close(it, id));
            }
        }
        $crate::bindings::limit::export_limit!(Glue with_types_in $crate::bindings::limit);
    };
    (schedule $Policy:ident) => {
        impl $crate::bindings::schedule::exports::weir::policy::schedule::Guest for Glue {
            fn update(now: u64, group: u32, events: Vec<$crate::schedule::Event>) {
                ask(|it| $crate::native::Schedule::update(it, now, group, events));
            }

            fn pick(
                now: u64,
                group: u32,
                room: $crate::schedule::Room,
            ) -> $crate::schedule::Choice {
                ask(|it| $crate::native::Schedule::pick(it, now, group, &room))
            }
        }
        $crate::bindings::schedule::export_schedule!(Glue with_types_in $crate::bindings::schedule);
    };
    (priority $Policy:ident) => {
        impl $crate::bindings::priority::exports::weir::policy::priority::Guest for Glue {
            fn place(
                now: u64,
                arrival: $crate::priority::Arrival,
            ) -> $crate::priority::Placement {
                ask(|it| $crate::native::Priority::place(it, now, &arrival))
            }
        }
        $crate::bindings::priority::export_priority!(Glue with_types_in $crate::bindings::priority);
    };
    (classify $Policy:ident) => {
        impl $crate::bindings::classify::exports::weir::policy::classify::Guest for Glue {
            fn classify(
                now: u64,
                response: $crate::classify::Response,
            ) -> $crate::classify::Classification {
                ask(|it| $crate::native::Classify::classify(it, now, &response))
            }
        }
        $crate::bindings::classify::export_classify!(Glue with_types_in $crate::bindings::classify);
    };
    (retry $Policy:ident) => {
        impl $crate::bindings::retry::exports::weir::policy::retry::Guest for Glue {
            fn decide(
                now: u64,
                failure: $crate::retry::Failure,
                untried: Vec<$crate::retry::Untried>,
                draw: u64,
            ) -> $crate::retry::Decision {
                ask(|it| $crate::native::Retry::decide(it, now, &failure, &untried, draw))
            }
        }
        $crate::bindings::retry::export_retry!(Glue with_types_in $crate::bindings::retry);
    };
    (route $Policy:ident) => {
        impl $crate::bindings::route::exports::weir::policy::route::Guest for Glue {
            fn order(
                now: u64,
                request: $crate::route::Request,
                candidates: Vec<$crate::route::Candidate>,
                draw: u64,
            ) -> Vec<$crate::route::Choice> {
                ask(|it| $crate::native::Route::order(it, now, &request, &candidates, draw))
            }

            fn ended(now: u64, outcome: $crate::route::Outcome) {
                ask(|it| $crate::native::Route::ended(it, now, &outcome));
            }

            fn explain(reason: u16) -> String {
                ask(|it| $crate::native::Route::explain(it, reason))
            }
        }
        $crate::bindings::route::export_route!(Glue with_types_in $crate::bindings::route);
    };
    (fanout $Policy:ident) => {
        impl $crate::bindings::fanout::exports::weir::policy::fanout::Guest for Glue {
            fn decide(
                now: u64,
                tree: $crate::fanout::Tree,
                wanted: u32,
                children: Vec<$crate::fanout::Child>,
            ) -> $crate::fanout::Plan {
                ask(|it| $crate::native::Fanout::decide(it, now, &tree, wanted, &children))
            }
        }
        $crate::bindings::fanout::export_fanout!(Glue with_types_in $crate::bindings::fanout);
    };
}
