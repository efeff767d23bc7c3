//! Where requests come from, and what they are like.

use weir_core::units::{Micros, Tokens};

use crate::chance::{Chance, Stream};
use crate::scenario::{Demand, Dist, Recorded};

/// A demand as it stands.
pub(super) struct Source {
    pub(super) plan: Demand,
    arrivals: Chance,
    bodies: Chance,
    /// Sent of itself so far.
    sent: u64,
    /// Dealt to sessions so far.
    dealt: u32,
    /// Names of its sessions.
    pub(super) names: Vec<String>,
    /// What an answer is like where the demand does not say.
    output: Dist,
}

/// What a request is like. Drawn when it arrives, whoever serves it, so that two policies meet the same requests.
#[derive(Clone, Copy, Debug)]
pub(super) struct Body {
    pub(super) input: u64,
    pub(super) output: u64,
    pub(super) max_output: Option<Tokens>,
    pub(super) prompt_bytes: u64,
    /// How far its service lies from the middle, in deviations.
    pub(super) luck: f64,
    /// When its caller goes away, from its arrival.
    pub(super) patience: Option<Micros>,
    /// Children that it wants.
    pub(super) children: u32,
    /// What its answer is worth, 0 to 1.
    pub(super) worth: f64,
    /// Its session; 0 counts as the first.
    pub(super) session: Option<u32>,
    /// Its place among those of a journal.
    recorded: Option<u32>,
}

/// Bytes of a token of prompt.
const BYTES: f64 = 4.0;

impl Source {
    pub(super) fn new(plan: &Demand, place: usize, output: Dist, seed: u64) -> Self {
        let names = (0..plan.sessions).map(|session| format!("{}-{session}", plan.name));
        Self {
            arrivals: Chance::new(seed, Stream::Arrivals(place)),
            bodies: Chance::new(seed, Stream::Bodies(place)),
            sent: 0,
            dealt: 0,
            names: names.collect(),
            output,
            plan: plan.clone(),
        }
    }

    /// Whether one more may come of itself now; counts it.
    pub(super) fn sends(&mut self, now: Micros) -> bool {
        let sends = now < self.plan.until && self.sent < self.plan.most;
        self.sent += u64::from(sends);
        sends
    }

    /// When the next open arrival comes: the times of a Poisson process whose rate changes.
    pub(super) fn next_open(&mut self, now: Micros) -> Option<Micros> {
        if let Some(next) = self.plan.recorded.get(self.sent as usize) {
            return Some(next.at.max(now));
        }
        let mut need = self.arrivals.wait();
        let mut at = now.max(self.plan.from).0 as f64 / 1e6;
        for (place, (from, rate)) in self.plan.rates.iter().enumerate() {
            let until = self.plan.rates.get(place + 1).map_or(self.plan.until, |next| next.0);
            let (from, until) = (from.0 as f64 / 1e6, until.0 as f64 / 1e6);
            if until <= at {
                continue;
            }
            at = at.max(from);
            if rate * (until - at) >= need {
                return Some(Micros(((at + need / rate) * 1e6) as u64));
            }
            need -= rate * (until - at);
            at = until;
        }
        None
    }

    /// How long an agent thinks.
    pub(super) fn think(&mut self) -> Micros {
        let Some(dist) = self.plan.think else { return Micros::ZERO };
        let normal = self.arrivals.normal();
        dist.span(normal)
    }

    /// What a journal says of a request, when it comes from one.
    pub(super) fn recorded(&self, body: &Body) -> Option<&Recorded> {
        self.plan.recorded.get(body.recorded? as usize)
    }

    /// The request of a journal that was just sent.
    fn next_recorded(&self) -> Option<Body> {
        let place = self.sent.checked_sub(1)?;
        let one = self.plan.recorded.get(place as usize)?;
        Some(Body {
            input: one.input,
            output: one.output,
            max_output: one.max_output,
            prompt_bytes: one.prompt_bytes,
            luck: 0.0,
            patience: one.patience,
            children: 0,
            worth: 0.0,
            session: None,
            recorded: Some(place as u32),
        })
    }

    /// How long a provider works on a request, where the demand says.
    pub(super) fn service(&self, body: &Body) -> Option<Dist> {
        match self.recorded(body) {
            Some(one) => one.service.map(|span| Dist { mean: span.0 as f64, sigma: 0.0 }),
            None => self.plan.service,
        }
    }

    /// Draws a request, or takes it from a journal.
    pub(super) fn body(&mut self) -> Body {
        if let Some(body) = self.next_recorded() {
            return body;
        }
        let plan = &self.plan;
        let input = (self.bodies.draw(plan.input) as u64).max(1);
        let output = (self.bodies.draw(plan.output.unwrap_or(self.output)) as u64).max(1);
        let luck = self.bodies.normal();
        let leaves = self.bodies.even() < plan.cancel;
        let patience = self.bodies.draw(plan.cancel_after) as u64;
        let (least, most) = plan.children.as_ref().map_or((0, 0), |of| (of.least, of.most));
        let children = self.bodies.between(least, most);
        let worth = self.bodies.even();
        let declares = plan.declares.unwrap_or(1.0);
        let declared = plan.declares.map(|share| Tokens((output as f64 * share) as u64 + 1));
        let session = self.session();
        Body {
            input,
            output: match (declared, self.plan.max_output) {
                (None, Some(most)) => output.min(most.0),
                _ => output,
            },
            max_output: declared.or(self.plan.max_output),
            prompt_bytes: (input as f64 * BYTES * declares) as u64,
            luck,
            patience: leaves.then_some(Micros(patience)),
            children,
            worth,
            session,
            recorded: None,
        }
    }

    fn session(&mut self) -> Option<u32> {
        let count = self.plan.sessions;
        (count > 0).then(|| {
            self.dealt = self.dealt.wrapping_add(1);
            (self.dealt - 1) % count
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scenario;

    fn source(demand: &str) -> Source {
        let text = format!(
            r#"
duration = "10m"
[[upstream]]
name = "main"
kind = "openai"
provider.service = {{ mean = "2s" }}
[[demand]]
name = "work"
{demand}
"#
        );
        let plan = &Scenario::parse(&text, "s.toml").unwrap().cases[0];
        Source::new(&plan.demands[0], 0, plan.providers[0].output, 5)
    }

    #[test]
    fn open_arrivals_keep_their_rates() {
        let mut source = source("open = { rate = 10, change = [{ at = \"5m\", rate = 100 }] }");
        let (mut at, mut early, mut late) = (Micros::ZERO, 0, 0);
        while let Some(next) = source.next_open(at) {
            assert!(next >= at && next <= Micros::from_secs(600));
            at = next;
            *(if at < Micros::from_secs(300) { &mut early } else { &mut late }) += 1;
        }
        assert!((2_800..3_200).contains(&early), "{early}");
        assert!((29_500..30_500).contains(&late), "{late}");
    }

    #[test]
    fn a_rate_of_nothing_passes() {
        let mut source = source("open = { rate = 0, change = [{ at = \"5m\", rate = 1 }] }");
        let first = source.next_open(Micros::ZERO).unwrap();
        assert!((300..320).contains(&(first.0 / 1_000_000)), "{first:?}");
    }

    #[test]
    fn a_cheat_says_a_share_of_its_true_size() {
        let mut source =
            source("backlog = 1\ndeclares = 0.2\ninput = { mean = 1000 }\noutput = { mean = 500 }");
        let body = source.body();
        assert_eq!((body.input, body.output), (1_000, 500));
        assert_eq!((body.prompt_bytes, body.max_output), (800, Some(Tokens(101))));
    }

    #[test]
    fn no_more_come_than_are_wanted() {
        let mut source = source("backlog = 9\nmost = 2\nuntil = \"5m\"");
        let sends = [Micros::ZERO, Micros::from_secs(400), Micros::ZERO, Micros::ZERO];
        assert_eq!(sends.map(|at| source.sends(at)), [true, false, true, false]);
    }
}
