//! Which models may serve which requests.

use toml::Spanned;
use weir_core::config as core;
use weir_core::ids::CandidateId;

use super::check::Checker;
use super::file;

impl Checker<'_> {
    /// The file's lanes; without any, one for each name of a model.
    pub(super) fn lanes(
        &mut self,
        upstreams: &[core::Upstream],
        lanes: &[file::Lane],
    ) -> Vec<core::Lane> {
        let candidates = names(upstreams);
        if lanes.is_empty() {
            return by_model(&candidates);
        }
        self.unique(lanes.iter().map(|lane| &lane.name), "lane");
        lanes.iter().map(|lane| self.lane(&candidates, lane)).collect()
    }

    fn lane(&mut self, all: &[(String, String)], lane: &file::Lane) -> core::Lane {
        if lane.candidates.is_empty() {
            self.complain(lane.name.span(), "a lane needs a candidate at least".to_owned());
        }
        let found = lane.candidates.iter().map(|name| self.candidate(all, name));
        let mut candidates: Vec<CandidateId> = found.collect();
        candidates.sort_unstable();
        candidates.dedup();
        core::Lane { name: lane.name.get_ref().clone(), candidates }
    }

    fn candidate(&mut self, all: &[(String, String)], name: &Spanned<String>) -> CandidateId {
        let written = name.get_ref();
        let (upstream, model) = written.split_once('/').unwrap_or((written, ""));
        let fits = |at: &(String, String)| at.0 == upstream && (model.is_empty() || at.1 == model);
        let found: Vec<usize> = (0..all.len()).filter(|place| fits(&all[*place])).collect();
        match found.as_slice() {
            [one] => CandidateId(u32::try_from(*one).unwrap_or(u32::MAX)),
            [] => {
                let known: Vec<String> =
                    all.iter().map(|at| format!("{}/{}", at.0, at.1)).collect();
                self.unknown(name, "candidate", known.iter().map(String::as_str));
                CandidateId(0)
            }
            _ => {
                let words = format!("`{upstream}` has several models; write `{upstream}/MODEL`");
                self.complain(name.span(), words);
                CandidateId(0)
            }
        }
    }
}

/// Upstream and model of each candidate.
fn names(upstreams: &[core::Upstream]) -> Vec<(String, String)> {
    let models = |upstream: &core::Upstream| {
        let name = upstream.name.clone();
        let pair = move |model: &core::Model| (name.clone(), model.name.clone());
        upstream.models.iter().map(pair).collect::<Vec<_>>()
    };
    upstreams.iter().flat_map(models).collect()
}

fn by_model(candidates: &[(String, String)]) -> Vec<core::Lane> {
    let mut lanes: Vec<core::Lane> = Vec::new();
    for (place, (_, model)) in (0_u32..).zip(candidates) {
        let id = CandidateId(place);
        match lanes.iter_mut().find(|lane| lane.name == *model) {
            Some(lane) => lane.candidates.push(id),
            None => lanes.push(core::Lane { name: model.clone(), candidates: vec![id] }),
        }
    }
    lanes
}
