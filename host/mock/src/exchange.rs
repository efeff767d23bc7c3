//! One request and its response: read, strike, admit, plan, answer.
//!
//! Order matters. What is wrong with a request is told first. Then the script's faults strike, then the
//! limits decide, so that a scripted refusal costs nothing of the limits. A request in flight holds its
//! permit from admission on; when its client goes, the future or the body is dropped and the permit with it.

mod refusal;
mod route;

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request, Response};
use http_body_util::{BodyExt, LengthLimitError, Limited};

use self::refusal::TurnedAway;
use crate::ask::Ask;
use crate::body::{Body, Cut};
use crate::clock::{Clock, Micros, millis};
use crate::dialect::Dialect;
use crate::fault::{self, Effect};
use crate::gate::{Admission, Gate};
use crate::hint::put;
use crate::limiter::{Claim, Levels};
use crate::plan::{self, Entry, Plan};
use crate::problem::Problem;
use crate::sample::Dice;
use crate::script::ProviderScript;
use crate::stats::{Attempt, Outcome};
use crate::stream::Stream;

/// One provider at work.
pub(crate) struct App {
    pub(crate) script: ProviderScript,
    pub(crate) dialect: &'static dyn Dialect,
    pub(crate) gate: Arc<Gate>,
    pub(crate) clock: Clock,
    pub(crate) seed: u64,
}

/// An accepted request.
struct Turn {
    plan: Plan,
    admission: Admission,
    effect: Option<Effect>,
    stream: bool,
}

impl App {
    pub(crate) fn new(script: ProviderScript, seed: u64, clock: Clock) -> Self {
        let gate = Arc::new(Gate::new(&script, clock));
        Self { dialect: script.kind.dialect(), script, gate, clock, seed }
    }

    async fn generate<B>(&self, request: Request<B>) -> Result<Response<Body>, Cut>
    where
        B: http_body::Body,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        self.gate.arrived();
        let mut attempt = Attempt::arrived(self.clock.now());
        let accepted = match self.read(request).await {
            Ok(ask) => self.accept(&ask, &mut attempt),
            Err(problem) => Err(problem.into()),
        };
        match accepted {
            Ok(turn) => self.serve(turn).await,
            Err(turned_away) => Ok(self.turn_away(attempt, turned_away).await),
        }
    }

    async fn read<B>(&self, request: Request<B>) -> Result<Ask, Problem>
    where
        B: http_body::Body,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let (headers, body) = self.body(request).await?;
        self.dialect.read(&headers, &body)
    }

    async fn body<B>(&self, request: Request<B>) -> Result<(HeaderMap, Bytes), Problem>
    where
        B: http_body::Body,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        self.authorise(request.headers())?;
        let (head, body) = request.into_parts();
        let cap = self.script.max_body_bytes;
        let body = Limited::new(body, cap).collect().await.map_err(|error| {
            if error.is::<LengthLimitError>() {
                Problem::TooLarge(cap)
            } else {
                Problem::NotJson(error.to_string())
            }
        })?;
        Ok((head.headers, body.to_bytes()))
    }

    fn authorise(&self, headers: &HeaderMap) -> Result<(), Problem> {
        match &self.script.api_key {
            Some(key) if self.dialect.key(headers) != Some(key) => Err(Problem::WrongKey),
            _ => Ok(()),
        }
    }

    fn accept(&self, ask: &Ask, attempt: &mut Attempt) -> Result<Turn, TurnedAway> {
        attempt.model.clone_from(&ask.model);
        attempt.stream = ask.stream;
        attempt.input_tokens = ask.prompt.tokens();
        self.check(ask)?;
        let (number, cached) = self.gate.enter(ask);
        attempt.number = number;
        let mut dice = Dice::new(self.seed, number);
        let entry = Entry { number, request_id: self.request_id(number), cached };
        let plan = Plan::new(ask, entry, &self.script, &mut dice, &self.clock);
        let effect = fault::strike(&self.script.faults, attempt.at_us, number, &mut dice);
        if let Some(effect) = effect {
            self.gate.struck();
            self.refused_by(effect, ask)?;
        }
        let claim = Claim {
            input: self.dialect.counted_input(plan.input, cached),
            output: ask.max_tokens.unwrap_or(plan.output).max(plan.output),
        };
        let admitted = self.gate.admit(ask, attempt.clone(), claim);
        let admission = admitted.map_err(|refusal| self.refused(refusal))?;
        Ok(Turn { plan, admission, effect, stream: ask.stream })
    }

    fn check(&self, ask: &Ask) -> Result<(), Problem> {
        if !self.script.models.iter().any(|model| model == "*" || *model == ask.model) {
            return Err(Problem::UnknownModel(ask.model.clone()));
        }
        let limit = self.script.context.map_or(u64::MAX, u64::from);
        if ask.whole_tokens() > limit {
            return Err(self.too_long(ask, limit));
        }
        Ok(())
    }

    async fn serve(&self, turn: Turn) -> Result<Response<Body>, Cut> {
        let Turn { plan, admission, effect, stream } = turn;
        let Admission { mut permit, others, levels } = admission;
        let start = self.start(&plan, others, effect);
        if let Some(Effect::StallHeaders(stall)) = effect {
            self.clock.until(self.clock.now().saturating_add(millis(stall.ms))).await;
            permit.end(Outcome::Broken);
            return Err(Cut);
        }
        if stream && effect != Some(Effect::Garbage) {
            self.clock.until(start).await;
            let id = plan.request_id.clone();
            let stream = Stream::new(plan, self.dialect, permit, effect, start, self.clock);
            return Ok(self.respond(
                "text/event-stream; charset=utf-8",
                Body::stream(stream),
                id,
                &levels,
            ));
        }
        self.clock.until(start.saturating_add(plan.generation(plan.output))).await;
        permit.generated(plan.output);
        let bytes = match effect {
            Some(Effect::Garbage) => Bytes::from_static(b"<html><body>upstream said nothing"),
            _ => self.dialect.whole(&plan),
        };
        let id = plan.request_id.clone();
        Ok(self.respond("application/json", Body::whole(bytes, permit), id, &levels))
    }

    /// When the first token is due.
    fn start(&self, plan: &Plan, others: u32, effect: Option<Effect>) -> Micros {
        let slow = match effect {
            Some(Effect::SlowHeaders(pause)) => millis(pause.ms),
            _ => 0,
        };
        let load = plan::load(&self.script, others);
        let wait = plan.first_token.saturating_add(load).saturating_add(slow);
        self.clock.now().saturating_add(wait)
    }

    fn request_id(&self, number: u64) -> String {
        format!("req_{:08x}{number:08x}", self.seed & 0xffff_ffff)
    }

    fn respond(
        &self,
        kind: &'static str,
        body: Body,
        id: String,
        levels: &Levels,
    ) -> Response<Body> {
        let mut response = Response::new(body);
        let headers = response.headers_mut();
        headers.insert(http::header::CONTENT_TYPE, HeaderValue::from_static(kind));
        put(headers, self.dialect.id_header(), HeaderValue::try_from(id).ok());
        if self.script.headers {
            self.dialect.limit_headers(levels, self.clock.now(), &self.clock, headers);
        }
        response
    }
}
