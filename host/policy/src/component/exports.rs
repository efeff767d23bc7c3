//! Which interfaces a component exports, and the bound functions of one of them.

use wasmtime::Store;
use wasmtime::component::{Instance, InstancePre};
use weir_core::Slot;

use super::LoadError;
use crate::contract::{classify, fanout, limit, priority, retry, route, schedule};
use crate::sandbox::Sandbox;

macro_rules! exports {
    ($($slot:ident: $field:ident $world:ident $indices:ident $guest:ident $interface:literal),+ $(,)?) => {
        /// The interfaces found, as places in the component.
        pub(crate) struct Exports { $($field: Option<$field::$indices>),+ }

        impl Exports {
            /// Of the interfaces of the contract's name, those that the component exports.
            pub(crate) fn of(pre: &InstancePre<Sandbox>) -> Result<Self, LoadError> {
                let found = |name| pre.component().get_export_index(None, name).is_some();
                let exports = Self {
                    $($field: match found($interface) {
                        true => Some($field::$indices::new(pre).map_err(LoadError::Shape)?),
                        false => None,
                    }),+
                };
                if exports.slots().is_empty() { Err(LoadError::NoInterface) } else { Ok(exports) }
            }

            pub(crate) fn slots(&self) -> Vec<Slot> {
                let found = [$((Slot::$slot, self.$field.is_some())),+];
                found.into_iter().filter(|(_, found)| *found).map(|(slot, _)| slot).collect()
            }

            /// The functions of one instance for a slot, checked for their types.
            pub(crate) fn bind(
                &self,
                slot: Slot,
                store: &mut Store<Sandbox>,
                instance: &Instance,
            ) -> wasmtime::Result<Face> {
                match slot {
                    $(Slot::$slot => match &self.$field {
                        Some(indices) => Ok(Face::$slot(indices.load(store, instance)?)),
                        None => wasmtime::bail!("no export of the name {}", $interface),
                    }),+
                }
            }
        }

        /// The functions of one interface.
        pub(crate) enum Face { $(
            #[doc = $interface]
            $slot($field::$world)
        ),+ }

        impl Face { $(
            pub(crate) fn $field(&self) -> wasmtime::Result<&$field::exports::weir::policy::$field::Guest> {
                match self {
                    Self::$slot(world) => Ok(world.$guest()),
                    _ => wasmtime::bail!("the instance serves another slot than {}", Slot::$slot),
                }
            }
        )+ }
    };
}

exports! {
    Priority: priority PriorityPolicy PriorityPolicyIndices weir_policy_priority "weir:policy/priority@0.1.0",
    Schedule: schedule SchedulePolicy SchedulePolicyIndices weir_policy_schedule "weir:policy/schedule@0.1.0",
    Limit: limit LimitPolicy LimitPolicyIndices weir_policy_limit "weir:policy/limit@0.1.0",
    Classify: classify ClassifyPolicy ClassifyPolicyIndices weir_policy_classify "weir:policy/classify@0.1.0",
    Retry: retry RetryPolicy RetryPolicyIndices weir_policy_retry "weir:policy/retry@0.1.0",
    Route: route RoutePolicy RoutePolicyIndices weir_policy_route "weir:policy/route@0.1.0",
    Fanout: fanout FanoutPolicy FanoutPolicyIndices weir_policy_fanout "weir:policy/fanout@0.1.0",
}
