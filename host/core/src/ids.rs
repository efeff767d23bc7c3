//! Names for things as small numbers. None is ever reused in a host's life.

use serde::{Deserialize, Serialize};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident($inner:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub $inner);

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

id! {
    /// A request, from its arrival to its last byte. Given by the driver, always rising.
    ItemId(u64)
}
id! {
    /// One try of an item at one candidate. Given by the core.
    AttemptId(u64)
}
id! {
    /// A flow: tenant or session. 0 is the root.
    FlowId(u64)
}
id! {
    /// A tenant, by its place in the configuration.
    TenantId(u32)
}
id! {
    /// One thing that can run out.
    CellId(u32)
}
id! {
    /// A way to serve a request: an upstream account and a model.
    CandidateId(u32)
}
id! {
    /// A set of candidates.
    LaneId(u32)
}
id! {
    /// Lanes that share a provider-side cell.
    GroupId(u32)
}
id! {
    /// An agent's unit of work.
    TaskId(u64)
}
