//! All agents at work at once.

use std::time::Duration;

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng;
use tokio::task::JoinSet;

use super::agent::{Agent, Ending, unit};
use super::cast::{self, Member};
use super::client::{Http, Service};
use super::news::Reporter;

/// Agents begin within this span, not all in the same instant.
const SPREAD: Duration = Duration::from_millis(400);

/// Runs the whole cast and returns how each ended, by number. `bases` are where each upstream is called.
///
/// An agent that broke down has not finished, and its ending is otherwise empty. Dropping the future stops
/// every agent.
pub(super) async fn run(bases: &[String], seed: u64, reporter: &Reporter) -> Vec<Ending> {
    let http = Http::new();
    let mut tasks = JoinSet::new();
    for member in cast::members() {
        let agent = agent(member, bases[member.upstream].clone(), seed, &http, reporter);
        tasks.spawn(start(agent));
    }
    let mut endings = vec![Ending::default(); tasks.len()];
    while let Some(ended) = tasks.join_next().await {
        if let Ok((number, ending)) = ended {
            endings[number] = ending;
        }
    }
    endings
}

async fn start(mut agent: Agent) -> (usize, Ending) {
    tokio::time::sleep(SPREAD.mul_f64(unit(&mut agent.chance))).await;
    (agent.number, agent.run().await)
}

fn agent(member: Member, base: String, seed: u64, http: &Http, reporter: &Reporter) -> Agent {
    let upstream = member.upstream();
    Agent {
        number: member.number,
        model: upstream.model,
        review: member.review,
        service: Service {
            base,
            key: member.tenant.key.to_owned(),
            wire: upstream.wire,
            session: format!("review-{:02}", member.number + 1),
        },
        http: http.clone(),
        chance: Pcg64Mcg::seed_from_u64(seed ^ (member.number as u64) << 32),
        reporter: reporter.clone(),
    }
}
