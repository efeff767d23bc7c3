//! Which upstreams may serve a request: one lane for each model name and wire format.

use std::collections::{BTreeMap, BTreeSet};

use weir_core::config::Lane;
use weir_core::ids::{CandidateId, LaneId};

use super::{Kind, Upstream};

/// The name that stands for every model.
const ANY: &str = "*";

/// The lanes of a host. A model's lane has every upstream of its wire format that names the model, or takes any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lanes {
    lanes: Vec<Lane>,
    by_model: BTreeMap<Kind, BTreeMap<String, LaneId>>,
}

impl Lanes {
    pub(super) fn new(upstreams: &[Upstream]) -> Self {
        let names: BTreeSet<(Kind, &str)> = upstreams
            .iter()
            .flat_map(|upstream| {
                upstream.models.iter().map(|model| (upstream.kind, model.name.as_str()))
            })
            .collect();
        let mut lanes = Self { lanes: Vec::new(), by_model: BTreeMap::new() };
        for (kind, model) in names {
            let id = LaneId(u32::try_from(lanes.lanes.len()).unwrap_or(u32::MAX));
            lanes.lanes.push(Lane {
                name: model.to_owned(),
                candidates: candidates(upstreams, kind, model),
            });
            lanes.by_model.entry(kind).or_default().insert(model.to_owned(), id);
        }
        lanes
    }

    /// The lane of a model in a wire format; `None` when nothing serves it.
    #[must_use]
    pub fn find(&self, kind: Kind, model: &str) -> Option<LaneId> {
        let models = self.by_model.get(&kind)?;
        models.get(model).or_else(|| models.get(ANY)).copied()
    }

    /// Whether a lane's requests can go to more than one upstream.
    pub(crate) fn choose(&self, lane: LaneId) -> bool {
        self.lanes.get(lane.0 as usize).is_some_and(|lane| lane.candidates.len() > 1)
    }

    /// The models of a wire format by name; `*` is none.
    pub fn models(&self, kind: Kind) -> impl Iterator<Item = &str> {
        self.by_model
            .get(&kind)
            .into_iter()
            .flatten()
            .map(|(name, _)| name.as_str())
            .filter(|name| *name != ANY)
    }

    pub(super) fn core(self) -> Vec<Lane> {
        self.lanes
    }
}

/// One candidate of each upstream at most: the model itself before any model.
fn candidates(upstreams: &[Upstream], kind: Kind, model: &str) -> Vec<CandidateId> {
    let mut first = 0;
    let mut found = Vec::new();
    for upstream in upstreams {
        let place = |name: &str| upstream.models.iter().position(|model| model.name == name);
        let place = (upstream.kind == kind).then(|| place(model).or_else(|| place(ANY))).flatten();
        found.extend(place.and_then(|place| u32::try_from(first + place).ok()).map(CandidateId));
        first += upstream.models.len();
    }
    found
}
