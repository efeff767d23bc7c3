//! The way in: who asks, for what, and how much of it can be known before anybody is asked.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use axum::routing::{get, post};
use http::{HeaderMap, StatusCode};
use tokio::time::Instant;
use weir_core::Arrival;
use weir_core::ids::{ItemId, LaneId, TenantId};

use crate::call::Call;
use crate::complaint::Complaint;
use crate::config::Kind;
use crate::dialect::{Asked, Endpoint, prefix};
use crate::host::Host;
use crate::record::Record;
use crate::respond;
use crate::upstream::Payload;
use crate::{admin, models, probes, watch};

mod body;
mod hints;
mod identify;
mod local;

pub(crate) use body::read as read_body;
pub(crate) use identify::{Keys, bearer};

use hints::Hints;

/// The connection that a request came over.
#[derive(Clone, Debug, Default)]
pub(crate) struct Connection {
    /// Set when its reader does not read.
    pub(crate) stalled: Arc<AtomicBool>,
    /// When the answer that it carries must be over.
    until: Arc<Mutex<Option<Instant>>>,
}

impl Connection {
    /// From now on it carries an answer that must be over by then; `None`: one that may take its time.
    pub(crate) fn answer_by(&self, until: Option<Instant>) {
        *self.until.lock().unwrap_or_else(PoisonError::into_inner) = until;
    }

    pub(crate) fn until(&self) -> Option<Instant> {
        *self.until.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// All paths of the listener.
pub(crate) fn router(host: Arc<Host>) -> Router {
    let router = Router::new()
        .route(Kind::OpenAi.endpoint(), post(chat_completions))
        .route(Kind::Anthropic.endpoint(), post(messages))
        .route(Endpoint::CountTokens.path(), post(count_tokens))
        .route("/v1/models", get(models::list))
        .route("/v1/events", get(watch::events))
        .route("/metrics", get(probes::metrics))
        .route("/healthz", get(probes::healthy))
        .route("/readyz", get(probes::ready))
        .route("/admin/policies", get(admin::list))
        .route("/admin/policies/swap", post(admin::swap))
        .route("/admin/policies/rollback", post(admin::rollback))
        .route("/admin/upstreams/{upstream}/reopen", post(admin::reopen))
        .fallback(unknown)
        .method_not_allowed_fallback(wrong_method)
        .with_state(Arc::clone(&host));
    if host.keys.required() { router } else { router.layer(from_fn_with_state(host, local_only)) }
}

/// Where nobody needs a key: nothing is served to a web page of somebody else's.
async fn local_only(State(host): State<Arc<Host>>, request: Request, next: Next) -> Response {
    match local::check(&request) {
        Ok(()) => next.run(request).await,
        Err(complaint) => turn_away(&host, kind_of(&request), None, &complaint),
    }
}

/// The API that a request is of, by its path, or by its headers where the path does not tell.
fn kind_of(request: &Request) -> Kind {
    match request.uri().path() {
        path if path.starts_with(Kind::Anthropic.endpoint()) => Kind::Anthropic,
        path if path.starts_with(Kind::OpenAi.endpoint()) => Kind::OpenAi,
        _ => Kind::of(request.headers()),
    }
}

/// Refuses a request that has not come as far as the line. Its words may quote the body, so they are for the caller
/// alone.
pub(crate) fn turn_away(
    host: &Host,
    kind: Kind,
    tenant: Option<TenantId>,
    complaint: &Complaint,
) -> Response {
    host.metrics.turned_away.count(complaint.code);
    tracing::info!(
        api = kind.name(),
        tenant = tenant.map(|tenant| host.tenant_name(tenant)),
        status = complaint.status.as_u16(),
        code = complaint.code,
        "turned away"
    );
    respond::bare(kind, complaint)
}

async fn chat_completions(State(host): State<Arc<Host>>, request: Request) -> Response {
    accept(host, Endpoint::Generate(Kind::OpenAi), request).await
}

async fn messages(State(host): State<Arc<Host>>, request: Request) -> Response {
    accept(host, Endpoint::Generate(Kind::Anthropic), request).await
}

async fn count_tokens(State(host): State<Arc<Host>>, request: Request) -> Response {
    accept(host, Endpoint::CountTokens, request).await
}

async fn accept(host: Arc<Host>, endpoint: Endpoint, request: Request) -> Response {
    let kind = endpoint.kind();
    let tenant = match admit(&host, request.headers()) {
        Ok(tenant) => tenant,
        Err(complaint) => return turn_away(&host, kind, None, &complaint),
    };
    match prepare(Arc::clone(&host), endpoint, tenant, request).await {
        Ok((call, arrival)) => call.answer(arrival).await,
        Err(complaint) => turn_away(&host, kind, Some(tenant), &complaint),
    }
}

/// Who asks, while anybody may.
fn admit(host: &Host, headers: &HeaderMap) -> Result<TenantId, Complaint> {
    if host.draining() {
        return Err(Complaint::draining());
    }
    host.keys.tenant(headers)
}

/// Everything that can be refused without asking the core is refused here.
async fn prepare(
    host: Arc<Host>,
    endpoint: Endpoint,
    tenant: TenantId,
    request: Request,
) -> Result<(Call, Box<Arrival>), Complaint> {
    let (parts, body) = request.into_parts();
    let hints = Hints::read(&parts.headers)?;
    let body = body::read(body, &parts.headers, &host).await?;
    let mut asked = endpoint.needs(endpoint.kind().read(&body.bytes)?);
    let lane = find_lane(&host, endpoint, &asked.model)?;
    let splice = asked.splice.take();
    let arrival = arrival(&host, tenant, hints, &asked, lane, &body.bytes);
    let connection = parts.extensions.get::<Connection>().cloned();
    let call = Call {
        endpoint,
        headers: parts.headers,
        uri: parts.uri,
        deadline: arrival.deadline,
        swallow: splice.is_some(),
        payload: Payload::new(body.bytes, splice),
        _room: body.room,
        stream: asked.stream,
        connection: connection.unwrap_or_default(),
        record: Record::new(Arc::clone(&host), tenant, asked.model),
        host,
    };
    Ok((call, arrival))
}

fn find_lane(host: &Host, endpoint: Endpoint, model: &str) -> Result<LaneId, Complaint> {
    let kind = endpoint.kind();
    host.lanes.find(kind, model).ok_or_else(|| {
        let known: Vec<&str> = host.lanes.models(kind).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        Complaint::new(
            StatusCode::NOT_FOUND,
            "model_not_found",
            format!(
                "no upstream serves the model `{model}` on {}; known here: {known}",
                endpoint.path()
            ),
        )
    })
}

fn arrival(
    host: &Host,
    tenant: TenantId,
    hints: Hints,
    asked: &Asked,
    lane: LaneId,
    body: &[u8],
) -> Box<Arrival> {
    Box::new(Arrival {
        // The scheduler names it.
        item: ItemId(0),
        tenant,
        session: hints.session,
        task: hints.task,
        parent: hints.parent,
        lane,
        class: hints.class,
        deadline: hints.within.map(|within| host.clock.now().plus(within)),
        prompt_bytes: asked.prompt_bytes,
        body_bytes: body.len() as u64,
        max_output: asked.max_output.map(weir_core::units::Tokens),
        prefix: if host.lanes.choose(lane) { prefix::of(body) } else { Vec::new() },
        // A completion that is made twice costs twice and harms nobody.
        idempotent: true,
    })
}

async fn unknown(State(host): State<Arc<Host>>, request: Request) -> Response {
    let message = format!(
        "nothing is served at {}; there are /v1/chat/completions, /v1/messages, \
         /v1/messages/count_tokens, /v1/models, /v1/events, /metrics, /healthz, /readyz and /admin/policies",
        request.uri().path()
    );
    let complaint = Complaint::new(StatusCode::NOT_FOUND, "unknown_path", message);
    turn_away(&host, kind_of(&request), None, &complaint)
}

async fn wrong_method(State(host): State<Arc<Host>>, request: Request) -> Response {
    let message = format!("{} does not take {}", request.uri().path(), request.method());
    let complaint = Complaint::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", message);
    turn_away(&host, kind_of(&request), None, &complaint)
}
