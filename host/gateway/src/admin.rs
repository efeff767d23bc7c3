//! `/admin`: what only the operator may do.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Request, State};
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, StatusCode};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use tokio::sync::oneshot;
use weir_core::Slot;

use crate::complaint::Complaint;
use crate::config::Kind;
use crate::driver::{Command, Message};
use crate::host::Host;
use crate::ingress::{bearer, read_body, turn_away};
use crate::policies::Swap;

/// Whether these headers carry the operator's token. Digests are compared, so that the time it takes says
/// nothing of the token.
pub(crate) fn authorised(host: &Host, headers: &HeaderMap) -> Result<(), Complaint> {
    let Some(token) = &host.settings.admin else {
        let message = "administration is off: give weir.toml an [admin] token to turn it on";
        return Err(Complaint::new(StatusCode::FORBIDDEN, "admin_off", message));
    };
    let given = bearer(headers).map(crate::config::KeyHash::of);
    if given == Some(token.hash()) {
        return Ok(());
    }
    let message = "the operator's token is needed, as `authorization: Bearer`";
    Err(Complaint::new(StatusCode::UNAUTHORIZED, "invalid_token", message))
}

pub(crate) async fn list(State(host): State<Arc<Host>>, headers: HeaderMap) -> Response {
    answer(&host, async {
        authorised(&host, &headers)?;
        let policies = ask(&host, Command::List).await?;
        Ok(Json(json!({ "policies": policies })))
    })
    .await
}

pub(crate) async fn swap(State(host): State<Arc<Host>>, request: Request) -> Response {
    answer(&host, async {
        swap_in(&host, read(&host, request).await?).await?;
        Ok((StatusCode::ACCEPTED, Json(json!({ "accepted": true }))))
    })
    .await
}

/// Makes a policy ready, beside the path, and hands it to the scheduler.
pub(crate) async fn swap_in(host: &Host, swap: Swap) -> Result<(), Complaint> {
    let Some(workshop) = host.workshop.clone() else {
        return Err(refused("these policies are compiled into the program".into()));
    };
    let ready = host.blocking.spawn_blocking(move || workshop.prepare(&swap)).await;
    let ready = ready.map_err(|_| refused("making the policy ready panicked".into()))?;
    let new = ready.map_err(refused)?;
    ask(host, |reply| Command::Swap(new, reply)).await?.map_err(refused)
}

/// The body of a rollback.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rollback {
    slot: Slot,
}

pub(crate) async fn rollback(State(host): State<Arc<Host>>, request: Request) -> Response {
    answer(&host, async {
        let Rollback { slot } = read(&host, request).await?;
        ask(&host, |reply| Command::Rollback(slot, reply)).await?.map_err(refused)?;
        Ok((StatusCode::ACCEPTED, Json(json!({ "accepted": true }))))
    })
    .await
}

pub(crate) async fn reopen(
    State(host): State<Arc<Host>>,
    headers: HeaderMap,
    Path(upstream): Path<String>,
) -> Response {
    answer(&host, async {
        authorised(&host, &headers)?;
        if !host.settings.upstreams.iter().any(|known| known.name == upstream) {
            let message = format!("there is no upstream `{upstream}`");
            return Err(Complaint::new(StatusCode::NOT_FOUND, "unknown_upstream", message));
        }
        ask(&host, |reply| Command::Reopen(upstream, reply)).await?;
        Ok(Json(json!({ "reopened": true })))
    })
    .await
}

async fn answer<T: IntoResponse>(
    host: &Host,
    work: impl Future<Output = Result<T, Complaint>>,
) -> Response {
    match work.await {
        Ok(done) => done.into_response(),
        Err(complaint) => turn_away(host, Kind::OpenAi, None, &complaint),
    }
}

/// Asks the scheduler.
pub(crate) async fn ask<T>(
    host: &Host,
    command: impl FnOnce(oneshot::Sender<T>) -> Command,
) -> Result<T, Complaint> {
    let (reply, answer) = oneshot::channel();
    let said = host.inbox.say(Message::Command(command(reply))).await;
    said.map_err(|_| Complaint::draining())?;
    answer.await.map_err(|_| Complaint::draining())
}

/// Reads what an operator sends, within the bounds of any body, and nobody else's.
async fn read<T: DeserializeOwned>(host: &Host, request: Request) -> Result<T, Complaint> {
    let (parts, body) = request.into_parts();
    authorised(host, &parts.headers)?;
    let body = read_body(body, &parts.headers, host).await?;
    serde_json::from_slice(&body.bytes)
        .map_err(|error| Complaint::bad_request("invalid_json", format!("the body: {error}")))
}

fn refused(words: String) -> Complaint {
    Complaint::new(StatusCode::UNPROCESSABLE_ENTITY, "not_swapped", words)
}
