//! What happened to policies, as data.

use std::collections::VecDeque;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use weir_core::{Fault, Slot};

use crate::Digest;
use crate::component::Component;

/// A policy, named exactly.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Version {
    /// The kind of policy.
    pub name: String,
    /// The version it says it has.
    pub version: String,
    /// Of its bytes.
    pub digest: Digest,
}

impl Version {
    pub(crate) fn of(component: &Component) -> Self {
        let Component { name, version, digest, .. } = component;
        Self { name: name.clone(), version: version.clone(), digest: digest.clone() }
    }
}

/// One event. Serialised with the tag `event` in kebab-case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// Another policy answers for a slot.
    PolicySwapped {
        /// Which slot.
        slot: Slot,
        /// The name of the new one.
        name: String,
        /// What answered before.
        from: Version,
        /// What answers now.
        to: Version,
        /// It took over what the one before had learned.
        restored: bool,
    },
    /// A policy was not taken; what ran before runs on.
    PolicyRejected {
        /// The slot that it was to take, when that is known.
        slot: Option<Slot>,
        /// Its file, when it has one.
        file: Option<PathBuf>,
        /// Why, and how to mend it.
        words: String,
    },
    /// A policy gave no answer; the fallback did.
    PolicyFault {
        /// Of which slot.
        slot: Slot,
        /// Which policy.
        name: String,
        /// Of its bytes.
        digest: Digest,
        /// What kind.
        fault: Fault,
        /// What happened, with what the policy itself said.
        words: String,
    },
    /// A policy failed too often; the slot goes back to the last good one.
    PolicyQuarantined {
        /// Of which slot.
        slot: Slot,
        /// Which policy.
        name: String,
        /// Of its bytes.
        digest: Digest,
        /// The last good one; absent when there is none, so that the host's fallback answers for a minute.
        to: Option<Version>,
        /// The words of its last fault.
        words: String,
    },
    /// The file of a running policy is gone; the policy runs on.
    PolicyKept {
        /// Of which slot.
        slot: Slot,
        /// Which policy.
        name: String,
        /// The file that is gone.
        file: PathBuf,
    },
}

/// Events kept until they are taken.
const KEPT: usize = 1024;

/// Events that wait for the driver; the oldest go first when it does not come.
#[derive(Default)]
pub(crate) struct Events {
    waiting: VecDeque<Event>,
    dropped: u64,
}

impl Events {
    pub(crate) fn push(&mut self, event: Event) {
        if self.waiting.len() >= KEPT {
            self.waiting.pop_front();
            self.dropped += 1;
        }
        self.waiting.push_back(event);
    }

    pub(crate) fn take(&mut self) -> VecDeque<Event> {
        std::mem::take(&mut self.waiting)
    }

    pub(crate) const fn dropped(&self) -> u64 {
        self.dropped
    }
}
