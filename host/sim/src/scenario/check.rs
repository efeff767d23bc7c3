//! From what a file says to what the simulation can work with.
//!
//! A checker goes through the whole file and collects what is wrong, so that it is mended in one go.

use std::collections::BTreeSet;
use std::ops::Range;

use toml::Spanned;
use weir_core::config as core;
use weir_core::units::Micros;
use weir_settings::table::Quota;
use weir_settings::{Complaint, Page, nearest};

use super::convert;
use super::file::{self, File};
use super::plan::{Instances, Kill, Plan};

/// More samples than a plot can show.
const MOST_SAMPLES: u64 = 200_000;
/// More hosts than share one account anywhere.
const MOST_INSTANCES: u32 = 64;

/// Checks one file.
pub(super) struct Checker<'a> {
    pub(super) page: &'a Page<'a>,
    complaints: Vec<Complaint>,
}

impl<'a> Checker<'a> {
    pub(super) const fn new(page: &'a Page<'a>) -> Self {
        Self { page, complaints: Vec::new() }
    }

    pub(super) fn plan(mut self, file: File) -> Result<Plan, Vec<Complaint>> {
        self.must_have(&file);
        let (duration, warm_up) = self.times(&file);
        let core = self.core(&file);
        let providers = self.providers(&file.upstream);
        let demands = self.demands(&file.demand, &core, duration);
        self.starts_below_ceilings(&file);
        let plan = Plan {
            case: String::new(),
            duration,
            warm_up,
            drain: file.drain.get(),
            sample: file.sample.get(),
            seed: file.seed,
            policies: self.policies(file.policies),
            swaps: self.swaps(file.swap, duration),
            instances: file.instances.as_ref().map(|instances| self.instances(instances)),
            pass: file.pass,
            core,
            providers,
            demands,
        };
        if self.complaints.is_empty() {
            return Ok(plan);
        }
        self.complaints.sort_by_key(Complaint::position);
        Err(self.complaints)
    }

    pub(super) fn complain(&mut self, span: Range<usize>, problem: String) {
        self.complaints.push(self.page.complaint(&span, problem));
    }

    /// A name that nothing has.
    pub(super) fn unknown<'n>(
        &mut self,
        name: &Spanned<String>,
        what: &str,
        known: impl Iterator<Item = &'n str> + Clone,
    ) {
        let near = nearest(name.get_ref(), known.clone());
        let words = match near {
            Some(near) => {
                format!("no {what} is named `{}`; did you mean `{near}`?", name.get_ref())
            }
            None => {
                let known: Vec<&str> = known.collect();
                format!("no {what} is named `{}`; there are {}", name.get_ref(), known.join(", "))
            }
        };
        self.complain(name.span(), words);
    }

    /// Names must be there, and each must be one thing's alone.
    pub(super) fn unique<'n>(
        &mut self,
        names: impl Iterator<Item = &'n Spanned<String>>,
        what: &str,
    ) {
        let mut seen = BTreeSet::new();
        for name in names {
            let written = name.get_ref();
            if written.is_empty() || written.len() > 64 {
                self.complain(name.span(), "a name has 1 to 64 bytes".to_owned());
            } else if !seen.insert(written) {
                let words =
                    format!("another {what} is named `{written}`; give each a name of its own");
                self.complain(name.span(), words);
            }
        }
    }

    fn must_have(&mut self, file: &File) {
        if file.upstream.is_empty() {
            self.complain(0..0, "nobody serves: add an [[upstream]]".to_owned());
        }
        if file.demand.is_empty() {
            self.complain(0..0, "nothing is sent: add a [[demand]]".to_owned());
        }
    }

    fn times(&mut self, file: &File) -> (Micros, Micros) {
        let duration = file.duration.get_ref().get();
        let warm_up = file.warm_up.as_ref().map_or(Micros::ZERO, |time| time.get_ref().get());
        if let Some(written) = file.warm_up.as_ref().filter(|_| warm_up >= duration) {
            self.complain(written.span(), "it must be shorter than `duration`".to_owned());
        }
        if duration.plus(file.drain.get()).0 / file.sample.get().0 > MOST_SAMPLES {
            let words = format!("it has more than {MOST_SAMPLES} samples; set a longer `sample`");
            self.complain(file.duration.span(), words);
        }
        (duration, warm_up)
    }

    fn core(&mut self, file: &File) -> core::Config {
        self.unique(file.upstream.iter().map(|upstream| &upstream.name), "upstream");
        self.unique(file.tenant.iter().map(|tenant| &tenant.name), "tenant");
        let upstreams: Vec<_> =
            file.upstream.iter().map(|upstream| self.upstream(upstream)).collect();
        let lanes = self.lanes(&upstreams, &file.lane);
        core::Config {
            seed: file.seed,
            line: file.line.core(),
            tenants: self.tenants(&file.tenant),
            upstreams,
            lanes,
            retries: file.retries.core(),
            ramp: file.ramp.core(),
        }
    }

    fn upstream(&mut self, upstream: &file::Upstream) -> core::Upstream {
        self.unique(upstream.models.iter().chain(upstream.model.iter().map(|m| &m.name)), "model");
        core::Upstream {
            name: upstream.name.get_ref().clone(),
            kind: upstream.kind.name().to_owned(),
            limits: upstream.limits.core(),
            base_weight: upstream.base_weight.get(),
            models: convert::models(upstream),
        }
    }

    fn tenants(&mut self, tenants: &[file::Tenant]) -> Vec<core::Tenant> {
        if tenants.is_empty() {
            return vec![convert::everybody()];
        }
        tenants.iter().map(|tenant| self.tenant(tenant)).collect()
    }

    fn tenant(&mut self, tenant: &file::Tenant) -> core::Tenant {
        core::Tenant {
            name: tenant.name.get_ref().clone(),
            weight: tenant.weight.get(),
            limits: tenant.limits.core(),
            quota: tenant.quota.as_ref().and_then(|quota| self.quota(quota)),
        }
    }

    fn quota(&mut self, quota: &Spanned<Quota>) -> Option<core::Quota> {
        let taken = quota.get_ref().core();
        if taken.is_none() {
            self.complain(quota.span(), "a quota needs `tokens`, `usd` or both".to_owned());
        }
        taken
    }

    fn instances(&mut self, instances: &Spanned<file::Instances>) -> Instances {
        let written = instances.get_ref();
        let count = written.count.get();
        if count > MOST_INSTANCES {
            self.complain(instances.span(), format!("at most {MOST_INSTANCES} instances can run"));
        }
        if written.refresh.get() >= written.term.get() {
            let words = "`refresh` must be shorter than `term`, or leases lapse between refreshes";
            self.complain(instances.span(), words.to_owned());
        }
        if written.kill.iter().any(|kill| kill.instance >= count) {
            let words =
                format!("`kill` names an instance; they are counted from 0 to {}", count - 1);
            self.complain(instances.span(), words);
        }
        let mut kills: Vec<Kill> = written
            .kill
            .iter()
            .map(|kill| Kill { at: kill.at.get(), instance: kill.instance })
            .collect();
        kills.sort_by_key(|kill| (kill.at, kill.instance));
        Instances {
            count,
            term: written.term.get(),
            refresh: written.refresh.get(),
            coordinated: written.coordinated,
            kills,
        }
    }

    /// A limit that starts above the most that its policy would answer.
    fn starts_below_ceilings(&mut self, file: &File) {
        let limit = file.policies.limit.as_ref();
        let ceiling = limit.and_then(|choice| choice.settings.get("ceiling")?.as_u64());
        let Some(ceiling) = ceiling else { return };
        for upstream in &file.upstream {
            let Some(start) = &upstream.limits.concurrency else { continue };
            if u64::from(start.get_ref().get()) > ceiling {
                let words = format!(
                    "the limit starts at {}, above the policy's `ceiling` of {ceiling}; lower it, or raise \
                     `policies.limit.settings.ceiling`",
                    start.get_ref()
                );
                self.complain(start.span(), words);
            }
        }
    }
}
