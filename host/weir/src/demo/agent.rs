//! A code-review agent: a conversation of a few turns, each one request that carries all before it.

use std::time::Duration;

use bytes::Bytes;
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::RngCore;

use super::client::{Answer, CallError, Http, Service};
use super::corpus::{Review, Turn};
use super::news::{Counts, News, Reporter, State};
use super::wire::{Message, Role};

/// An agent.
pub(super) struct Agent {
    pub(super) number: usize,
    pub(super) model: &'static str,
    pub(super) review: Review,
    pub(super) service: Service,
    pub(super) http: Http,
    pub(super) chance: Pcg64Mcg,
    pub(super) reporter: Reporter,
}

/// How an agent ended.
#[derive(Clone, Debug, Default)]
pub(super) struct Ending {
    /// Its review is complete.
    pub(super) finished: bool,
    pub(super) counts: Counts,
    /// Of each turn that was answered: from asking to the last token, retries and all.
    pub(super) latencies: Vec<Duration>,
}

impl Agent {
    /// Works until the review is complete or the client gives up.
    pub(super) async fn run(self) -> Ending {
        let mut work = Work { agent: self, said: Vec::new(), ending: Ending::default() };
        let state = match work.review().await {
            Ok(()) => State::Finished,
            Err(error) => State::Failed(error.to_string()),
        };
        work.ending.finished = state == State::Finished;
        work.tell(state).await;
        work.ending
    }
}

/// An agent at work.
struct Work {
    agent: Agent,
    said: Vec<Message>,
    ending: Ending,
}

impl Work {
    async fn review(&mut self) -> Result<(), CallError> {
        for turn in Turn::ALL {
            self.say(Role::User, turn.prompt(self.agent.review));
            let asked = self.agent.reporter.now();
            let text = self.ask(turn).await?;
            self.ending.latencies.push(self.agent.reporter.now().saturating_sub(asked));
            self.say(Role::Assistant, text);
        }
        Ok(())
    }

    fn say(&mut self, role: Role, text: String) {
        self.said.push(Message { role, text });
    }

    /// Asks as an SDK does: again, where that is worth it.
    async fn ask(&mut self, turn: Turn) -> Result<String, CallError> {
        let Agent { model, ref service, .. } = self.agent;
        let body = service.wire.body(model, &self.said, turn.max_tokens());
        let body = Bytes::from(body.to_string());
        let mut tried = 0;
        loop {
            let error = match self.attempt(body.clone()).await {
                Ok(text) => return Ok(text),
                Err(error) => error,
            };
            self.count(&error);
            let chance = unit(&mut self.agent.chance);
            let Some(delay) = error.retry_after(tried, chance) else { return Err(error) };
            self.ending.counts.waited += delay;
            self.tell(State::Refused).await;
            tokio::time::sleep(delay).await;
            tried += 1;
        }
    }

    async fn attempt(&mut self, body: Bytes) -> Result<String, CallError> {
        self.ending.counts.sent += 1;
        self.tell(State::Waiting).await;
        let answer = self.agent.http.call(&self.agent.service, body).await?;
        self.ending.counts.waited += answer.queued.unwrap_or_default();
        self.tell(State::Reading).await;
        let (text, usage) = read(answer).await?;
        self.ending.counts.answered += 1;
        self.ending.counts.input += usage.input;
        self.ending.counts.output += usage.output;
        Ok(text)
    }

    fn count(&mut self, error: &CallError) {
        let counts = &mut self.ending.counts;
        match error {
            CallError::Refused { status, .. } if status.as_u16() == 429 => counts.refused += 1,
            CallError::Refused { .. } | CallError::Stream(_) => counts.failed += 1,
            CallError::Lost(_) => counts.lost += 1,
        }
    }

    async fn tell(&self, state: State) {
        let Agent { number, ref reporter, .. } = self.agent;
        reporter.tell(News::Agent { number, state, counts: self.ending.counts }).await;
    }
}

#[derive(Default)]
struct Usage {
    input: u64,
    output: u64,
}

/// Reads a streamed answer to its end.
async fn read(mut answer: Answer) -> Result<(String, Usage), CallError> {
    let (mut text, mut usage, mut done) = (String::new(), Usage::default(), false);
    while let Some(pieces) = answer.next().await? {
        for piece in pieces {
            text.push_str(&piece.text);
            usage.input = piece.input.unwrap_or(usage.input);
            usage.output = piece.output.unwrap_or(usage.output);
            done |= piece.done;
        }
    }
    if done {
        Ok((text, usage))
    } else {
        Err(CallError::Lost("the stream ended before the answer did".to_owned()))
    }
}

/// Uniform in 0 to 1, 1 excluded.
pub(super) fn unit(chance: &mut Pcg64Mcg) -> f64 {
    f64::from(chance.next_u32()) / (f64::from(u32::MAX) + 1.0)
}
