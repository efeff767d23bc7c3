//! What is sent.

use toml::Spanned;
use weir_core::config as core;
use weir_core::ids::{LaneId, TenantId};
use weir_core::units::{Micros, Tokens};

use super::check::Checker;
use super::convert::{counts, spans};
use super::demand;
use super::plan::{Budget, Children, Demand};

/// More requests in all than a record can hold in a machine's memory.
const MOST_REQUESTS: f64 = 2e7;
/// How long an agent's request is taken to last whose demand says no `service`, in microseconds.
const SERVICE: f64 = 1e6;
/// No request is taken to last less: what a refusal takes.
const REFUSAL: f64 = 5e4;
/// Callers at once.
const MOST_AGENTS: u32 = 1_000_000;
/// Children of one request.
const MOST_CHILDREN: u32 = 1_000;
/// Steps below a root.
const DEEPEST: usize = 16;

impl Checker<'_> {
    pub(super) fn demands(
        &mut self,
        demands: &[demand::Demand],
        config: &core::Config,
        duration: Micros,
    ) -> Vec<Demand> {
        self.unique(demands.iter().map(|demand| &demand.name), "demand");
        let names: Vec<&str> =
            demands.iter().map(|demand| demand.name.get_ref().as_str()).collect();
        let taken: Vec<Demand> =
            demands.iter().map(|demand| self.demand(demand, config, &names, duration)).collect();
        self.not_too_many(demands, &taken, duration);
        self.all_are_sent(demands, &taken);
        self.no_circles(demands, &taken);
        taken
    }

    fn demand(
        &mut self,
        demand: &demand::Demand,
        config: &core::Config,
        names: &[&str],
        duration: Micros,
    ) -> Demand {
        let tenants = config.tenants.iter().map(|tenant| tenant.name.as_str());
        let lanes = config.lanes.iter().map(|lane| lane.name.as_str());
        let (from, until) = self.span(demand, duration);
        Demand {
            name: demand.name.get_ref().clone(),
            tenant: TenantId(self.place(demand.tenant.as_ref(), "tenant", tenants)),
            lane: LaneId(self.place(demand.lane.as_ref(), "lane", lanes)),
            class: demand.class,
            from,
            until,
            rates: self.rates(demand),
            agents: demand.agents.as_ref().map_or(0, |agents| agents.count.get()),
            think: demand.agents.as_ref().and_then(|agents| agents.think).map(spans),
            bursts: self.bursts(demand, duration),
            most: demand.most.map_or(u64::MAX, u64::from),
            input: counts(demand.input),
            output: demand.output.map(counts),
            service: demand.service.map(spans),
            declares: demand.declares.map(|share| share.get()),
            max_output: demand.max_output.map(|tokens| Tokens(tokens.get())),
            deadline: demand.deadline.map(|span| span.get()),
            cancel: demand.cancel.get(),
            cancel_after: spans(demand.cancel_after),
            sessions: self.sessions(demand),
            merge: demand.merge,
            children: demand.children.as_ref().map(|children| self.children(children, names)),
            then: demand.then.as_ref().map(|then| self.demand_named(then, names)),
            idempotent: demand.idempotent,
            recorded: Vec::new(),
        }
    }

    fn span(&mut self, demand: &demand::Demand, duration: Micros) -> (Micros, Micros) {
        let from = demand.from.get_ref().get();
        let until = demand.until.as_ref().map_or(duration, |until| until.get_ref().get());
        if from >= until.min(duration) {
            let span = demand.until.as_ref().map_or(demand.from.span(), Spanned::span);
            self.complain(span, "it ends before it begins".to_owned());
        }
        (from, until.min(duration))
    }

    /// The place of what a name stands for; the first when there is none.
    fn place<'n>(
        &mut self,
        name: Option<&Spanned<String>>,
        what: &str,
        mut known: impl Iterator<Item = &'n str> + Clone,
    ) -> u32 {
        let Some(name) = name else { return 0 };
        let all = known.clone();
        match known.position(|one| one == name.get_ref()) {
            Some(place) => u32::try_from(place).unwrap_or(u32::MAX),
            None => {
                self.unknown(name, what, all);
                0
            }
        }
    }

    fn demand_named(&mut self, name: &Spanned<String>, names: &[&str]) -> usize {
        self.place(Some(name), "demand", names.iter().copied()) as usize
    }

    fn rates(&mut self, demand: &demand::Demand) -> Vec<(Micros, f64)> {
        let Some(open) = &demand.open else { return Vec::new() };
        let mut rates = vec![(demand.from.get_ref().get(), open.rate.get())];
        for change in &open.change {
            let at = change.at.get_ref().get();
            if rates.last().is_some_and(|(last, _)| *last >= at) {
                let words = "changes must be in the order of time, after `from`".to_owned();
                self.complain(change.at.span(), words);
            }
            rates.push((at, change.rate.get()));
        }
        rates
    }

    fn bursts(&mut self, demand: &demand::Demand, duration: Micros) -> Vec<(Micros, u32)> {
        let mut bursts = Vec::new();
        if demand.backlog > 0 {
            bursts.push((demand.from.get_ref().get(), demand.backlog));
        }
        for burst in &demand.burst {
            let at = burst.at.get_ref().get();
            if at >= duration {
                self.complain(burst.at.span(), "it must come before the end of the run".to_owned());
            }
            bursts.push((at, burst.count.get()));
        }
        bursts.sort_by_key(|(at, _)| *at);
        bursts
    }

    fn sessions(&mut self, demand: &demand::Demand) -> u32 {
        if demand.merge && demand.sessions == 0 {
            let words =
                "`merge` needs `sessions`: a newer request takes the place of its session's";
            self.complain(demand.name.span(), words.to_owned());
        }
        demand.sessions
    }

    fn children(&mut self, children: &Spanned<demand::Children>, names: &[&str]) -> Children {
        let written = children.get_ref();
        let most = written.most.unwrap_or(written.least);
        let wrong = [
            (written.of.is_empty(), "`of` must name a demand at least".to_owned()),
            (most < written.least, "`most` is below `least`".to_owned()),
            (most > MOST_CHILDREN, format!("a request has at most {MOST_CHILDREN} children")),
            (
                written.budget.as_ref().is_some_and(|b| b.reserve > b.tokens.get()),
                "the budget's `reserve` is above its `tokens`".to_owned(),
            ),
            (
                written.budget.as_ref().is_some_and(|b| b.worth[0].get() > b.worth[1].get()),
                "`worth` is a least and a most, in that order".to_owned(),
            ),
        ];
        for (_, words) in wrong.into_iter().filter(|(wrong, _)| *wrong) {
            self.complain(children.span(), words);
        }
        Children {
            of: written.of.iter().map(|name| self.demand_named(name, names)).collect(),
            least: written.least,
            most: most.max(written.least),
            after: written.after.get(),
            parks: written.parks,
            budget: written.budget.as_ref().map(|budget| Budget {
                tokens: Tokens(budget.tokens.get()),
                reserve: Tokens(budget.reserve),
                worth: (budget.worth[0].get(), budget.worth[1].get()),
            }),
        }
    }

    fn not_too_many(&mut self, written: &[demand::Demand], taken: &[Demand], duration: Micros) {
        for (written, demand) in written.iter().zip(taken) {
            if demand.agents > MOST_AGENTS {
                let words = format!("at most {MOST_AGENTS} agents can run");
                self.complain(written.name.span(), words);
            }
            let count = expected(demand, duration) + by_agents(demand, duration);
            if count > MOST_REQUESTS {
                let words = format!(
                    "it sends about {count:.0} requests, more than {MOST_REQUESTS:.0} that a run can keep; lower \
                     its rate, or shorten the run"
                );
                self.complain(written.name.span(), words);
            }
        }
    }

    /// Each demand is sent, or another's pattern.
    fn all_are_sent(&mut self, written: &[demand::Demand], taken: &[Demand]) {
        for (place, (written, demand)) in written.iter().zip(taken).enumerate() {
            let sent = demand.agents > 0 || !demand.rates.is_empty() || !demand.bursts.is_empty();
            if !sent && !taken.iter().any(|other| leads_to(other).any(|next| next == place)) {
                let words = "nothing sends it: give it `open`, `agents`, `backlog` or `burst`, or name it in \
                             another's `children` or `then`";
                self.complain(written.name.span(), words.to_owned());
            }
        }
    }

    /// What leads back to itself would never end.
    fn no_circles(&mut self, written: &[demand::Demand], taken: &[Demand]) {
        for (place, written) in written.iter().enumerate() {
            let mut reached = vec![place];
            for _ in 0..DEEPEST {
                reached =
                    reached.iter().filter_map(|at| taken.get(*at)).flat_map(leads_to).collect();
                reached.sort_unstable();
                reached.dedup();
            }
            if !reached.is_empty() {
                let words = format!(
                    "its `children` and `then` go on for more than {DEEPEST} steps, or lead back to it"
                );
                self.complain(written.name.span(), words);
            }
        }
    }
}

/// The demands that follow from one.
fn leads_to(demand: &Demand) -> impl Iterator<Item = usize> + '_ {
    let children = demand.children.iter().flat_map(|children| children.of.iter().copied());
    children.chain(demand.then)
}

/// About how many requests callers send that wait for answers.
#[expect(clippy::cast_precision_loss, reason = "an estimate against a bound")]
fn by_agents(demand: &Demand, duration: Micros) -> f64 {
    let think = demand.think.map_or(0.0, |think| think.mean);
    let service = demand.service.map_or(SERVICE, |service| service.mean.max(REFUSAL));
    let span = demand.until.min(duration).minus(demand.from).0 as f64;
    (f64::from(demand.agents) * span / (think + service)).min(demand.most as f64)
}

/// About how many requests a demand sends of itself.
#[expect(clippy::cast_precision_loss, reason = "an estimate against a bound")]
fn expected(demand: &Demand, duration: Micros) -> f64 {
    let ends = demand.rates.iter().skip(1).map(|(at, _)| *at).chain([demand.until.min(duration)]);
    let open: f64 = demand
        .rates
        .iter()
        .zip(ends)
        .map(|((from, rate), end)| rate * end.minus(*from).0 as f64 / 1e6)
        .sum();
    let bursts: f64 = demand.bursts.iter().map(|(_, count)| f64::from(*count)).sum();
    (open + bursts).min(demand.most as f64)
}
