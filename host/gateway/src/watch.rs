//! `GET /v1/events`: events as they happen, as server-sent events.
//!
//! Each has its number as id; `Last-Event-ID` takes up after it. A reader that was too slow gets an event
//! `lost` with the number of those it missed. A tenant's key shows the events of that tenant and those that
//! belong to nobody; the admin token shows all.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use bytes::Bytes;
use futures_util::stream::{self, Stream};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use tokio::sync::OwnedSemaphorePermit;
use weir_core::Event;

use crate::admin;
use crate::complaint::Complaint;
use crate::config::Kind;
use crate::events::{Events, Happened, Read, What};
use crate::host::Host;
use crate::respond;

/// A quiet stream says something this often, so that nobody takes it for dead.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

pub(crate) async fn events(State(host): State<Arc<Host>>, headers: HeaderMap) -> Response {
    match open(&host, &headers) {
        Ok(watch) => respond(watch),
        Err(complaint) => respond::bare(Kind::OpenAi, &complaint),
    }
}

/// A reader over HTTP.
struct Watch {
    host: Arc<Host>,
    events: Events,
    /// Only this tenant's.
    tenant: Option<String>,
    /// The operator needs none: readers who do not read must not keep it out.
    _place: Option<OwnedSemaphorePermit>,
}

fn open(host: &Arc<Host>, headers: &HeaderMap) -> Result<Watch, Complaint> {
    let (tenant, place) = match admin::authorised(host, headers) {
        Ok(()) => (None, None),
        Err(_) if !host.keys.required() => (None, Some(place(host)?)),
        Err(_) => {
            let tenant = host.tenant_name(host.keys.tenant(headers)?).to_owned();
            (Some(tenant), Some(place(host)?))
        }
    };
    let last = headers.get("last-event-id").and_then(|id| id.to_str().ok()?.trim().parse().ok());
    let events = host.ring.read_after(last);
    Ok(Watch { host: Arc::clone(host), events, tenant, _place: place })
}

fn place(host: &Host) -> Result<OwnedSemaphorePermit, Complaint> {
    Arc::clone(&host.watchers).try_acquire_owned().map_err(|_| {
        let message = "as many read the events as may; try again when one has left";
        Complaint::new(StatusCode::SERVICE_UNAVAILABLE, "too_many_readers", message)
    })
}

fn respond(watch: Watch) -> Response {
    let mut response = Response::new(Body::from_stream(lines(watch)));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

fn lines(watch: Watch) -> impl Stream<Item = Result<Bytes, Infallible>> {
    stream::unfold((watch, true), |(mut watch, first)| async move {
        if first {
            // Headers go out now, not with the first event.
            return Some((Ok(Bytes::from_static(b": weir\n\n")), (watch, false)));
        }
        let text = watch.next().await?;
        Some((Ok(text), (watch, false)))
    })
}

impl Watch {
    /// The next thing to write; `None` when the gateway stops.
    async fn next(&mut self) -> Option<Bytes> {
        // Events that this reader is not shown do not put it off.
        let mut quiet = pin!(tokio::time::sleep(KEEP_ALIVE));
        loop {
            let read = tokio::select! {
                read = self.events.next() => read?,
                () = quiet.as_mut() => return Some(Bytes::from_static(b":\n\n")),
                () = self.host.stop.cancelled() => return None,
            };
            match read {
                Read::Lost(lost) => {
                    return Some(format!("event: lost\ndata: {{\"lost\":{lost}}}\n\n").into());
                }
                Read::Event(event) if self.shows(&event) => return Some(write(&event)),
                Read::Event(_) => {}
            }
        }
    }

    fn shows(&self, event: &Happened) -> bool {
        let Some(reader) = &self.tenant else { return true };
        match &event.what {
            What::Core(
                Event::Admitted { tenant, .. }
                | Event::Refused { tenant, .. }
                | Event::BudgetSoft { tenant, .. }
                | Event::BudgetHard { tenant, .. },
            ) => tenant == reader,
            What::Core(Event::Retried { .. } | Event::Rerouted { .. }) => false,
            What::Core(_) | What::Policy(_) => true,
        }
    }
}

fn write(event: &Happened) -> Bytes {
    // Events are plain data: there is nothing in them that could not be written.
    let data = serde_json::to_string(event).unwrap_or_default();
    format!("id: {}\ndata: {data}\n\n", event.id).into()
}
