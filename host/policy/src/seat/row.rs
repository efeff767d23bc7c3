//! A seat as a person sees it.

use serde::Serialize;
use weir_core::Slot;

use super::{Rest, Seat};
use crate::component::Source;
use crate::event::Version;
use crate::prepared::Prepared;

/// How a slot stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// Its policy answers.
    Active,
    /// Its policy answers, and another is being fed.
    Swapping,
    /// A new instance of its policy is being fed; the fallback answers.
    Feeding,
    /// Its policy has used up its second; the fallback answers.
    OverAllowance,
    /// Its policy failed too often and there is no other; the fallback answers.
    Quarantined,
    /// It has no policy; the fallback answers.
    Empty,
}

/// A slot in `weir policy list`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Which slot.
    pub slot: Slot,
    /// Its policy.
    #[serde(flatten)]
    pub policy: Option<Version>,
    /// Where that came from.
    pub source: Option<Source>,
    /// How it stands.
    pub state: State,
    /// What is being fed to take over.
    pub next: Option<Version>,
    /// What a rollback goes back to.
    pub previous: Option<Version>,
    /// Calls since the host started.
    pub calls: u64,
    /// Faults since the host started.
    pub faults: u64,
    /// The words of the last fault of this policy.
    pub words: Option<String>,
}

impl Seat {
    /// The policy whose file this is answers here.
    pub(crate) fn runs(&self, file: &std::path::Path) -> Option<&Prepared> {
        self.current.as_ref().filter(|current| current.file().as_deref() == Some(file))
    }

    /// The policy answers here, or waits to.
    pub(crate) fn has(&self, new: &Prepared) -> bool {
        let waits = self.standby.as_ref().map(|standby| &standby.prepared);
        waits.or(self.current.as_ref()).is_some_and(|policy| policy.equals(new))
    }

    /// Its policy is not one that it has given up.
    pub(crate) fn answers(&self) -> bool {
        !matches!(self.rest, Some(Rest::Quarantine(_)))
    }

    pub(crate) fn row(&self) -> Row {
        Row {
            slot: self.slot,
            policy: self.current.as_ref().map(Prepared::version),
            source: self.current.as_ref().map(|current| current.component().source.clone()),
            state: self.state(),
            next: self.standby.as_ref().map(|standby| standby.prepared.version()),
            previous: self.earlier.last().map(Prepared::version),
            calls: self.meter.calls,
            faults: self.meter.faults,
            words: self.words.clone(),
        }
    }

    fn state(&self) -> State {
        match (self.rest, self.active.is_some(), self.standby.is_some()) {
            (Some(Rest::Allowance(_)), ..) => State::OverAllowance,
            (Some(Rest::Quarantine(_)), ..) => State::Quarantined,
            (Some(Rest::Parked), ..) | (None, false, true) => State::Feeding,
            (None, true, true) => State::Swapping,
            (None, true, false) => State::Active,
            (None, false, false) => State::Empty,
        }
    }
}
