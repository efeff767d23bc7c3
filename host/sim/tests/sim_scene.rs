//! The worked scene, event by event: what is short is frozen, and nothing beside it.

#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

use weir_core::units::Micros;
use weir_sim::record::{Attempt, Fate, Outcome, Request, What};
use weir_sim::{Deciders, Record, Scenario, Workshop, run};

const SCENE: &str = include_str!("../../../examples/scenarios/16-worked-scene.toml");
const SEEDS: std::ops::RangeInclusive<u64> = 1..=5;

fn ran(text: &str, seed: u64) -> Scene {
    let plan = Scenario::parse(text, "scene.toml").unwrap().cases.remove(0);
    let workshop = Workshop::new().unwrap();
    Scene(run(&plan, seed, Deciders::Wasm(&workshop), &mut |_| {}).unwrap())
}

fn scenes() -> impl Iterator<Item = Scene> {
    SEEDS.map(|seed| ran(SCENE, seed))
}

/// A run of it.
struct Scene(Record);

/// A closure of a part of an account.
#[derive(Debug)]
struct Closed {
    model: String,
    dimension: String,
    from: Micros,
    until: Micros,
}

impl Scene {
    fn demand(&self, request: &Request) -> &str {
        &self.0.names.demands[usize::from(request.demand)]
    }

    fn request(&self, attempt: &Attempt) -> &Request {
        &self.0.requests[attempt.request as usize]
    }

    fn requests(&self, demand: &'static str) -> impl Iterator<Item = &Request> {
        self.0.requests.iter().filter(move |request| self.demand(request) == demand)
    }

    /// Attempts of a demand's requests, by sending.
    fn attempts(&self, demand: &'static str) -> impl Iterator<Item = &Attempt> {
        let its = move |attempt: &&Attempt| self.demand(self.request(attempt)) == demand;
        self.0.attempts.iter().filter(its)
    }

    fn upstream(&self, attempt: &Attempt) -> &str {
        &self.0.names.upstreams[usize::from(attempt.upstream)]
    }

    /// The upstreams that a demand's attempts were sent to.
    fn sent_to(&self, demand: &'static str) -> Vec<&str> {
        let mut names: Vec<&str> = self.attempts(demand).map(|it| self.upstream(it)).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Parts of an upstream's account that were closed, in the order of time.
    fn closed(&self, upstream: &str) -> Vec<Closed> {
        let of = |named: u16| self.0.names.upstreams[usize::from(named)] == upstream;
        let closed = self.0.happened.iter().filter_map(|it| match &it.what {
            What::Cooldown { upstream, model, dimension, until, .. } if of(*upstream) => {
                let (model, dimension) = (model.clone(), dimension.clone());
                Some(Closed { model, dimension, from: it.at, until: *until })
            }
            _ => None,
        });
        closed.collect()
    }

    /// The large request that A refused, and for how long its input tokens are closed then.
    fn refused(&self) -> (&Attempt, Closed) {
        let refused = self.0.attempts.iter().find(|it| it.fate == Fate::Window).unwrap();
        assert_eq!((self.upstream(refused), self.demand(self.request(refused))), ("a", "index"));
        let closed = self.closed("a").remove(0);
        assert_eq!((closed.model.as_str(), closed.dimension.as_str()), ("strong", "input"));
        assert_eq!(Some(closed.from), refused.ended);
        assert!(closed.until.minus(closed.from) >= Micros::from_secs(10), "{closed:?}");
        (refused, closed)
    }

    /// When it was sent again.
    fn again(&self) -> Micros {
        let (refused, _) = self.refused();
        let second = |it: &&Attempt| it.request == refused.request && it.number == 2;
        self.0.attempts.iter().find(second).unwrap().sent
    }
}

impl Closed {
    fn holds(&self, at: Micros) -> bool {
        self.from < at && at < self.until
    }
}

#[test]
fn of_four_children_that_each_task_wants_one_starts_first() {
    for scene in scenes() {
        let tasks: Vec<u32> = (0..)
            .zip(&scene.0.requests)
            .filter(|(_, it)| ["fix", "review", "index"].contains(&scene.demand(it)))
            .map(|(row, _)| row)
            .collect();
        assert_eq!(tasks.len(), 6);
        for task in tasks {
            let asked = scene.0.happened.iter().filter_map(|it| match it.what {
                What::Fanout { request, wanted, start, .. } if request == task => {
                    Some((wanted, start))
                }
                _ => None,
            });
            assert_eq!(asked.take(2).collect::<Vec<_>>(), [(4, 1), (3, 2)]);
            let mut children = scene.0.requests.iter().filter(|it| it.parent == Some(task));
            let first = children.next().unwrap();
            let rest: Vec<_> = children.collect();
            assert_eq!(rest.len(), 3);
            assert!(rest.iter().all(|it| Some(it.arrived) >= first.left), "the first has answered");
        }
    }
}

#[test]
fn a_refused_search_freezes_search_alone() {
    for scene in scenes() {
        let closed = scene.closed("github");
        assert!(!closed.is_empty());
        assert!(closed.iter().all(|it| it.model == "search" && it.dimension == "requests"));
        let closed = &closed[0];
        assert!(closed.until.minus(closed.from) > Micros::from_secs(45), "{closed:?}");
        let within = |it: &&Attempt| closed.holds(it.sent);
        assert_eq!(scene.attempts("find").filter(within).count(), 0);
        assert!(scene.attempts("find").filter(|it| it.sent >= closed.until).count() >= 5);
        assert!(scene.requests("find").all(|it| it.outcome == Outcome::Done));
        let reads: Vec<_> = scene.requests("read").filter(|it| closed.holds(it.arrived)).collect();
        assert!(reads.len() > 50, "{}", reads.len());
        assert!(reads.iter().all(|it| it.first_sent == Some(it.arrived)));
        let models = ["a", "b"].map(|name| {
            let its = scene.0.attempts.iter().filter(within);
            its.filter(|it| scene.upstream(it) == name && it.fate == Fate::Success).count()
        });
        assert!(models[0] >= 4 && models[1] >= 1, "{models:?}");
    }
}

#[test]
fn small_requests_pass_a_large_one_whose_tokens_were_refused() {
    for scene in scenes() {
        let (refused, closed) = scene.refused();
        let again = scene.again();
        let label = scene.request(scene.attempts("label").next().unwrap());
        let large = scene.request(refused);
        assert_eq!((label.class, label.tenant), (large.class, large.tenant));
        assert!(closed.until < label.arrived && large.arrived < label.arrived);
        assert_eq!(scene.attempts("label").count(), 3);
        assert!(scene.attempts("label").all(|it| it.sent < again));
        // What they take is part of the large one's own wait, and no more than a little of it.
        let window = Micros::from_secs(24);
        let bound = refused.sent.plus(window).plus(Micros::from_secs(2));
        assert!(again <= bound, "{again:?}");

        let in_order = ran(&format!("{SCENE}\n[line]\npassing = false\n"), scene.0.seed);
        let again = in_order.again();
        assert!(in_order.attempts("label").all(|it| it.sent >= again));
    }
}

#[test]
fn a_token_refusal_moves_reviews_keeps_foreground_and_leaves_background_for_later() {
    for scene in scenes() {
        let (_, closed) = scene.refused();
        let within = |it: &&Request| closed.holds(it.arrived);
        // Reviews go on elsewhere, most of them at once.
        assert_eq!(scene.sent_to("judge"), ["b"]);
        let judged: Vec<_> = scene.requests("judge").filter(within).collect();
        let at_once = judged.iter().filter(|it| it.first_sent == Some(it.arrived)).count();
        assert!(judged.len() >= 5 && at_once >= 4, "{at_once} of {}", judged.len());
        // Foreground stays and waits until the tokens are back, and goes before all background then.
        assert_eq!(scene.sent_to("fix"), ["a"]);
        assert_eq!(scene.sent_to("think"), ["a"]);
        assert_eq!(scene.requests("think").filter(within).count(), 4);
        let sent = |demand| scene.attempts(demand).map(|it| it.sent);
        assert!(sent("think").all(|at| at >= closed.until));
        let last = sent("think").max().unwrap();
        assert!(sent("label").chain(sent("digest")).chain([scene.again()]).all(|at| at > last));
        assert!(last.minus(closed.until) <= Micros::from_secs(4), "{last:?}");
        // Background keeps to A and is done last.
        assert_eq!((scene.sent_to("index"), scene.sent_to("digest")), (vec!["a"], vec!["a"]));
        let done = |demand| scene.requests(demand).filter_map(|it| it.left).max().unwrap();
        assert!(done("fix") < done("index") && done("review") < done("index"));
    }
}

#[test]
fn with_tokens_in_plenty_reviews_stay() {
    let plenty = SCENE
        .replace("input_tpm = 40000", "input_tpm = 4000000")
        .replace("counts = \"input\", limit = 30000", "counts = \"input\", limit = 4000000");
    for seed in SEEDS {
        let scene = ran(&plenty, seed);
        assert!(scene.closed("a").is_empty());
        assert!(scene.sent_to("judge").contains(&"a"), "{:?}", scene.sent_to("judge"));
    }
}

#[test]
fn progress_is_merged_and_final_results_go_first() {
    for scene in scenes() {
        let merged = || scene.requests("progress").filter(|it| it.outcome == Outcome::Merged);
        assert!(merged().count() > 50);
        assert!(merged().all(|it| it.first_sent.is_none()));
        let of = |it: &&Request| matches!(it.outcome, Outcome::Done | Outcome::Merged);
        assert_eq!(
            scene.requests("progress").filter(of).count(),
            scene.requests("progress").count()
        );
        let reports: Vec<_> = scene.requests("report").collect();
        assert_eq!(reports.len(), 6);
        assert!(reports.iter().all(|it| it.outcome == Outcome::Done));
        assert!(reports.iter().all(|it| it.first_sent == Some(it.arrived)));
        // While progress that came before them still waits.
        let waits = |it: &&Request, at: Micros| it.arrived < at && it.left.is_none_or(|l| l > at);
        let overtaken = reports.iter().filter(|report| {
            let older = |it: &&Request| {
                waits(it, report.arrived) && it.first_sent.is_none_or(|s| s > report.arrived)
            };
            scene.requests("progress").any(|it| older(&it))
        });
        assert!(overtaken.count() >= 3);
    }
}
