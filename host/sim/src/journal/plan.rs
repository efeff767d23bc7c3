//! From a journal to a plan.

use std::collections::BTreeMap;

use weir_core::config::{self, Config};
use weir_core::ids::{LaneId, TenantId};
use weir_core::units::Micros;

use super::{Journal, JournalError, Seen};
use crate::scenario::{
    Counted, Demand, Dist, Kind, Plan, Provider, Recorded, Shape, Timeouts, Window,
};

/// Output of a request of which nothing is known, in tokens, and its service.
const OUTPUT: u64 = 256;
const SERVICE: Micros = Micros::SECOND;
/// How long a run goes on after the journal's end until all is answered.
const DRAIN: Micros = Micros::from_secs(600);
/// So many samples of a run at most, one a second where that is fewer.
const SAMPLES: u64 = 50_000;
/// A greater number of tokens or bytes is a damaged one.
const MOST_TOKENS: u64 = 1 << 40;
/// How long a provider takes to refuse.
const REFUSAL: Micros = Micros::from_millis(50);

/// What a recorded request says itself.
const NONE: Dist = Dist { mean: 1.0, sigma: 0.0 };

/// Whose, where to, and of which class.
type Key = (u32, u32, Option<u8>);

impl Journal {
    /// The world of the journal: its host's configuration, and providers that hold the limits that are configured and
    /// take as long as they took.
    #[must_use]
    pub fn plan(&self) -> Plan {
        let core = self.header.config.clone();
        let providers = core.upstreams.iter().map(provider).collect();
        let demands = self.demands(|tenant, lane| (tenant, lane), true);
        Plan {
            case: String::new(),
            duration: self.duration(),
            warm_up: Micros::ZERO,
            drain: DRAIN,
            sample: Micros::SECOND.max(Micros(self.duration().0 / SAMPLES)),
            seed: core.seed,
            core,
            providers,
            demands,
            policies: BTreeMap::new(),
            swaps: Vec::new(),
            instances: None,
            pass: Vec::new(),
        }
    }

    /// The requests of the journal in another world: a scenario's hosts and providers. Its tenants and lanes are
    /// found by name, and how long an answer takes is its providers' to say.
    ///
    /// # Errors
    ///
    /// The scenario lacks a tenant or a lane.
    pub fn plan_in(&self, world: &Plan) -> Result<Plan, JournalError> {
        let (here, there) = (&self.header.config, &world.core);
        let tenants = places("tenant", &tenants(here), &tenants(there), self.used(|key| key.0))?;
        let lanes = places("lane", &lanes(here), &lanes(there), self.used(|key| key.1))?;
        let place = |tenant: u32, lane: u32| {
            let to = |map: &BTreeMap<u32, u32>, from| map.get(&from).copied().unwrap_or_default();
            (to(&tenants, tenant), to(&lanes, lane))
        };
        let (duration, demands) = (self.duration(), self.demands(place, false));
        Ok(Plan { duration, warm_up: Micros::ZERO, demands, ..world.clone() })
    }

    /// From the beginning of the journal to just after its last arrival.
    fn duration(&self) -> Micros {
        let last = self.requests.iter().map(|seen| seen.arrived.at).max();
        self.since(last.unwrap_or_default()).plus(Micros::SECOND)
    }

    fn since(&self, at: Micros) -> Micros {
        at.minus(self.requests.first().map_or(at, |first| first.arrived.at))
    }

    /// Places that requests use.
    fn used(&self, of: impl Fn(Key) -> u32) -> Vec<u32> {
        let mut used: Vec<u32> = self.requests.iter().map(|seen| of(key(seen))).collect();
        used.sort_unstable();
        used.dedup();
        used
    }

    /// A demand for each kind of requests.
    fn demands(&self, place: impl Fn(u32, u32) -> (u32, u32), timed: bool) -> Vec<Demand> {
        let means = self.means();
        let mut kinds: BTreeMap<Key, Vec<Recorded>> = BTreeMap::new();
        for seen in &self.requests {
            let mean = means.get(&seen.arrived.lane).copied().unwrap_or((OUTPUT, SERVICE));
            kinds.entry(key(seen)).or_default().push(self.recorded(seen, mean, timed));
        }
        let demand = |(key, recorded)| self.demand(key, recorded, &place);
        kinds.into_iter().map(demand).collect()
    }

    /// Output and service of what was answered, by lane.
    fn means(&self) -> BTreeMap<LaneId, (u64, Micros)> {
        let mut sums: BTreeMap<LaneId, (u64, u64, u64)> = BTreeMap::new();
        for seen in &self.requests {
            let Some(answer) = &seen.answer else { continue };
            let sum = sums.entry(seen.arrived.lane).or_default();
            *sum = (
                sum.0 + 1,
                sum.1.saturating_add(answer.output.0),
                sum.2.saturating_add(answer.latency.0),
            );
        }
        let mean = |(lane, (count, output, latency)): (LaneId, (u64, u64, u64))| {
            (lane, (output / count, Micros(latency / count)))
        };
        sums.into_iter().map(mean).collect()
    }

    fn recorded(&self, seen: &Seen, mean: (u64, Micros), timed: bool) -> Recorded {
        let arrived = &seen.arrived;
        let answer = seen.answer.as_ref();
        let service = answer.map_or(mean.1, |answer| answer.latency);
        // A caller that had its answer did not go away.
        let gone = seen.cancelled.filter(|_| answer.is_none());
        Recorded {
            at: self.since(arrived.at),
            session: arrived.session,
            input: answer
                .map_or(arrived.prompt_bytes / 4, |answer| answer.input.0)
                .clamp(1, MOST_TOKENS),
            output: answer.map_or(mean.0, |answer| answer.output.0).clamp(1, MOST_TOKENS),
            service: timed.then_some(service),
            max_output: arrived.max_output,
            prompt_bytes: arrived.prompt_bytes.min(MOST_TOKENS),
            body_bytes: arrived.body_bytes.min(MOST_TOKENS),
            deadline: arrived.deadline.map(|deadline| deadline.minus(arrived.at)),
            patience: gone.map(|at| at.minus(arrived.at)),
            prefix: arrived.prefix.clone(),
            idempotent: arrived.idempotent,
        }
    }

    fn demand(
        &self,
        (tenant, lane, class): Key,
        recorded: Vec<Recorded>,
        place: impl Fn(u32, u32) -> (u32, u32),
    ) -> Demand {
        let config = &self.header.config;
        let tenant_name = config.tenants.get(tenant as usize).map_or("?", |one| &one.name);
        let lane_name = config.lanes.get(lane as usize).map_or("?", |one| &one.name);
        let class_name = class.map_or_else(String::new, |class| format!(" class {class}"));
        let (tenant, lane) = place(tenant, lane);
        Demand {
            name: format!("{tenant_name} {lane_name}{class_name}"),
            tenant: TenantId(tenant),
            lane: LaneId(lane),
            class,
            from: Micros::ZERO,
            until: Micros::MAX,
            rates: Vec::new(),
            agents: 0,
            think: None,
            bursts: Vec::new(),
            most: u64::MAX,
            input: NONE,
            output: None,
            service: None,
            declares: None,
            max_output: None,
            deadline: None,
            cancel: 0.0,
            cancel_after: NONE,
            sessions: 0,
            merge: false,
            children: None,
            then: None,
            idempotent: true,
            recorded,
        }
    }
}

fn key(seen: &Seen) -> Key {
    (seen.arrived.tenant.0, seen.arrived.lane.0, seen.arrived.class)
}

fn tenants(config: &Config) -> Vec<&str> {
    config.tenants.iter().map(|tenant| tenant.name.as_str()).collect()
}

fn lanes(config: &Config) -> Vec<&str> {
    config.lanes.iter().map(|lane| lane.name.as_str()).collect()
}

/// Where the scenario has what the journal's requests use.
fn places(
    what: &'static str,
    here: &[&str],
    there: &[&str],
    used: Vec<u32>,
) -> Result<BTreeMap<u32, u32>, JournalError> {
    let place = |from: u32| {
        let name = here.get(from as usize).copied().unwrap_or("?");
        match there.iter().position(|known| *known == name) {
            Some(to) => Ok((from, to as u32)),
            None => {
                let (name, known) = (name.to_owned(), there.join(", "));
                Err(JournalError::Unknown { what, name, known })
            }
        }
    };
    used.into_iter().map(place).collect()
}

/// A provider that holds what is configured, to the letter.
fn provider(upstream: &config::Upstream) -> Provider {
    let models: Vec<String> = upstream.models.iter().map(|model| model.name.clone()).collect();
    let own = upstream.models.iter().enumerate();
    let own = own.flat_map(|(place, model)| windows(&model.limits, vec![place]));
    Provider {
        name: upstream.name.clone(),
        kind: match upstream.kind.as_str() {
            "openai" => Kind::OpenAi,
            "anthropic" => Kind::Anthropic,
            _ => Kind::Http,
        },
        concurrency: upstream.limits.concurrency,
        per_model: vec![None; models.len()],
        windows: windows(&upstream.limits, Vec::new()).chain(own).collect(),
        service: Dist { mean: SERVICE.0 as f64, sigma: 0.0 },
        accepts: 0.1,
        token_rate: None,
        output: Dist { mean: OUTPUT as f64, sigma: 0.0 },
        load: None,
        refusal: REFUSAL,
        retry_after: None,
        headers: true,
        changes: Vec::new(),
        faults: Vec::new(),
        timeouts: Timeouts { headers: Micros::from_secs(300), total: Micros::from_secs(900) },
        models,
    }
}

/// Windows of a minute.
fn windows(limits: &config::Limits, models: Vec<usize>) -> impl Iterator<Item = Window> + use<> {
    let all = [
        (Counted::Requests, limits.rpm),
        (Counted::Tokens, limits.tpm),
        (Counted::Input, limits.input_tpm),
        (Counted::Output, limits.output_tpm),
    ];
    all.into_iter().filter_map(move |(counts, limit)| {
        let (per, shape, models) = (Micros::from_secs(60), Shape::Bucket, models.clone());
        Some(Window { counts, limit: limit?, per, shape, models })
    })
}
