//! Who can serve what: candidates, lanes and groups, derived from the configuration.

use std::collections::BTreeMap;

use thiserror::Error;

use crate::config::{Config, Price};
use crate::ids::{CandidateId, GroupId};

/// What is wrong with a configuration.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ConfigError {
    /// Two things of one kind share a name.
    #[error("two {what}s are named `{name}`: give each a name of its own")]
    Double {
        /// `upstream` or `tenant`.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// There is none of a kind of which one is needed.
    #[error("no {what} is configured: at least one is needed")]
    None {
        /// `tenant`, or `model of upstream …`.
        what: String,
    },
    /// A lane names a candidate that does not exist, or none.
    #[error("lane `{lane}` names candidate {candidate}, but there are {candidates}")]
    Candidate {
        /// The lane.
        lane: String,
        /// What it names.
        candidate: CandidateId,
        /// How many exist; ids are below it.
        candidates: u32,
    },
    /// A lane's candidates are empty, unsorted or doubled.
    #[error("lane `{lane}` must list its candidates sorted, without doubles, and at least one")]
    Lane {
        /// The lane.
        lane: String,
    },
    /// A number is out of its range.
    #[error("{what} is {value}: it must be {range}")]
    Range {
        /// Which.
        what: String,
        /// As it was given.
        value: String,
        /// What it may be.
        range: &'static str,
    },
}

/// A candidate as the driver knows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Its upstream, by its place in the configuration.
    pub upstream: usize,
    /// Its model, by its place at the upstream.
    pub model: usize,
    /// The upstream's name.
    pub upstream_name: String,
    /// The model's name; `*` takes any.
    pub model_name: String,
    /// The upstream's kind.
    pub kind: String,
    /// Greater is less preferred.
    pub base_weight: f64,
    /// What it costs.
    pub price: Price,
}

/// The candidates, by id, and the group of each lane.
#[derive(Clone, Debug)]
pub(crate) struct Topology {
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) group_of: Vec<GroupId>,
}

impl Topology {
    pub(crate) fn new(config: &Config) -> Result<Self, ConfigError> {
        check_names(config)?;
        check_numbers(config)?;
        let candidates = candidates(config);
        check_lanes(config, candidates.len())?;
        let group_of = groups(config, &candidates);
        Ok(Self { candidates, group_of })
    }

    pub(crate) fn candidate(&self, id: CandidateId) -> Option<&Candidate> {
        self.candidates.get(id.0 as usize)
    }

    /// The name of a candidate's upstream.
    pub(crate) fn upstream(&self, id: CandidateId) -> String {
        self.candidate(id).map_or_else(String::new, |c| c.upstream_name.clone())
    }
}

fn candidates(config: &Config) -> Vec<Candidate> {
    let upstreams = config.upstreams.iter().enumerate();
    upstreams
        .flat_map(|(place, upstream)| {
            upstream.models.iter().enumerate().map(move |(model_place, model)| Candidate {
                upstream: place,
                model: model_place,
                upstream_name: upstream.name.clone(),
                model_name: model.name.clone(),
                kind: upstream.kind.clone(),
                base_weight: upstream.base_weight,
                price: model.price,
            })
        })
        .collect()
}

/// Lanes that share an upstream share its account's cells, and so a group. A group is named by the place
/// of its first lane.
fn groups(config: &Config, candidates: &[Candidate]) -> Vec<GroupId> {
    let mut group_of: Vec<usize> = (0..config.lanes.len()).collect();
    let mut owner: BTreeMap<usize, usize> = BTreeMap::new();
    for (lane, spec) in config.lanes.iter().enumerate() {
        for candidate in &spec.candidates {
            let Some(upstream) = candidates.get(candidate.0 as usize).map(|c| c.upstream) else {
                continue;
            };
            let first = *owner.entry(upstream).or_insert(lane);
            unite(&mut group_of, first, lane);
        }
    }
    group_of.into_iter().map(|first| GroupId(first as u32)).collect()
}

/// Makes two lanes' groups one. Lanes are few, so that a walk over them is cheap.
fn unite(group_of: &mut [usize], a: usize, b: usize) {
    let (Some(a), Some(b)) = (group_of.get(a).copied(), group_of.get(b).copied()) else { return };
    let (low, high) = (a.min(b), a.max(b));
    for group in group_of.iter_mut().filter(|group| **group == high) {
        *group = low;
    }
}

fn check_names(config: &Config) -> Result<(), ConfigError> {
    unique("upstream", config.upstreams.iter().map(|u| &u.name))?;
    unique("tenant", config.tenants.iter().map(|t| &t.name))?;
    if config.tenants.is_empty() {
        return Err(ConfigError::None { what: "tenant".to_owned() });
    }
    match config.upstreams.iter().find(|upstream| upstream.models.is_empty()) {
        Some(bare) => Err(ConfigError::None { what: format!("model of upstream `{}`", bare.name) }),
        None => Ok(()),
    }
}

fn unique<'a>(
    what: &'static str,
    names: impl Iterator<Item = &'a String>,
) -> Result<(), ConfigError> {
    let mut seen = std::collections::BTreeSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(ConfigError::Double { what, name: name.clone() });
        }
    }
    Ok(())
}

fn check_lanes(config: &Config, candidates: usize) -> Result<(), ConfigError> {
    for lane in &config.lanes {
        let sorted = lane.candidates.windows(2).all(|pair| pair[0] < pair[1]);
        if lane.candidates.is_empty() || !sorted {
            return Err(ConfigError::Lane { lane: lane.name.clone() });
        }
        if let Some(bad) = lane.candidates.iter().find(|id| id.0 as usize >= candidates) {
            return Err(ConfigError::Candidate {
                lane: lane.name.clone(),
                candidate: *bad,
                candidates: candidates as u32,
            });
        }
    }
    Ok(())
}

fn check_numbers(config: &Config) -> Result<(), ConfigError> {
    for upstream in &config.upstreams {
        let weight = upstream.base_weight;
        if !(weight.is_finite() && weight > 0.0) {
            return Err(range(format!("the base weight of upstream `{}`", upstream.name), weight));
        }
    }
    for tenant in &config.tenants {
        if tenant.weight == 0 {
            return Err(range(format!("the weight of tenant `{}`", tenant.name), 0));
        }
        if tenant.quota.is_some_and(|quota| quota.period.0 == 0) {
            return Err(range(format!("the period of tenant `{}`'s quota", tenant.name), 0));
        }
    }
    shares(config)
}

fn shares(config: &Config) -> Result<(), ConfigError> {
    let shares = [
        ("the retry ratio", config.retries.ratio),
        ("a tenant's share of retries", config.retries.tenant_share),
        ("the ramp's share", config.ramp.share),
    ];
    match shares.into_iter().find(|(_, share)| !(0.0..=1.0).contains(share)) {
        Some((what, value)) => Err(ConfigError::Range {
            what: what.to_owned(),
            value: value.to_string(),
            range: "from 0 to 1",
        }),
        None => Ok(()),
    }
}

fn range(what: String, value: impl ToString) -> ConfigError {
    ConfigError::Range { what, value: value.to_string(), range: "above 0" }
}
