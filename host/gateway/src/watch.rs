//! `GET /v1/events`: events as they happen, as server-sent events.
//!
//! Each has its number as id; `Last-Event-ID` takes up after it. A reader that was too slow gets an event
//! `lost` with the number of those it missed. A tenant's key shows the events of that tenant and those that
//! belong to nobody, without the operator's paths; the admin token shows all.

use std::borrow::Cow;
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
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use weir_core::Event;
use weir_core::ids::TenantId;
use weir_policy::Event as Policy;

use crate::admin;
use crate::complaint::Complaint;
use crate::config::Kind;
use crate::events::{Events, Happened, Read, What};
use crate::host::Host;
use crate::ingress::turn_away;

/// A quiet stream says something this often, so that nobody takes it for dead.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

pub(crate) async fn events(State(host): State<Arc<Host>>, headers: HeaderMap) -> Response {
    match open(&host, &headers) {
        Ok(watch) => respond(watch),
        Err(complaint) => turn_away(&host, Kind::OpenAi, None, &complaint),
    }
}

/// A reader over HTTP.
struct Watch {
    host: Arc<Host>,
    events: Events,
    /// Only this tenant's.
    tenant: Option<String>,
    /// The operator needs none: readers who do not read must not keep it out.
    _place: Option<Place>,
}

/// Readers of events at once, the operator's aside.
const MAX_READERS: usize = 64;
/// Of one tenant, where there are others: its share of all, but not fewer than this.
const FEWEST_READERS: usize = 4;

/// How many may read the events.
pub(crate) struct Places {
    all: Arc<Semaphore>,
    tenants: Vec<Arc<Semaphore>>,
}

/// A reader's place among all, and among its tenant's.
type Place = (OwnedSemaphorePermit, OwnedSemaphorePermit);

impl Places {
    pub(crate) fn new(tenants: usize) -> Self {
        let each = (MAX_READERS / tenants.max(1)).max(FEWEST_READERS);
        Self {
            all: Arc::new(Semaphore::new(MAX_READERS)),
            tenants: (0..tenants).map(|_| Arc::new(Semaphore::new(each))).collect(),
        }
    }

    fn take(&self, tenant: TenantId) -> Result<Place, Complaint> {
        let full = |whose| {
            let message =
                format!("as many of {whose} read the events as may; try again when one has left");
            Complaint::new(StatusCode::SERVICE_UNAVAILABLE, "too_many_readers", message)
        };
        let own = self.tenants.get(tenant.0 as usize).ok_or_else(|| full("this tenant"))?;
        let own = Arc::clone(own).try_acquire_owned().map_err(|_| full("this tenant"))?;
        let place = Arc::clone(&self.all).try_acquire_owned().map_err(|_| full("all tenants"))?;
        Ok((place, own))
    }
}

fn open(host: &Arc<Host>, headers: &HeaderMap) -> Result<Watch, Complaint> {
    let (tenant, place) = match admin::authorised(host, headers) {
        Ok(()) => (None, None),
        Err(_) => {
            let tenant = host.keys.tenant(headers)?;
            let name = host.keys.required().then(|| host.tenant_name(tenant).to_owned());
            (name, Some(host.readers.take(tenant)?))
        }
    };
    let last = headers.get("last-event-id").and_then(|id| id.to_str().ok()?.trim().parse().ok());
    let events = host.ring.read_after(last);
    Ok(Watch { host: Arc::clone(host), events, tenant, _place: place })
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
                Read::Event(event) if self.tenant.is_none() => return Some(write(&event)),
                Read::Event(event) if self.shows(&event) => {
                    return Some(write(&for_tenant(&event)));
                }
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
            // It changes nothing but where the operator's files lie.
            What::Policy(Policy::PolicyKept { .. }) => false,
            What::Core(_) | What::Policy(_) => true,
        }
    }
}

/// The event without what is the operator's: where files lie, and words that may say so.
fn for_tenant(event: &Happened) -> Cow<'_, Happened> {
    let What::Policy(Policy::PolicyRejected { slot, .. }) = &event.what else {
        return Cow::Borrowed(event);
    };
    let (slot, words) = (*slot, "told to the operator".to_owned());
    let what = What::Policy(Policy::PolicyRejected { slot, file: None, words });
    Cow::Owned(Happened { what, ..event.clone() })
}

fn write(event: &Happened) -> Bytes {
    // Events are plain data: there is nothing in them that could not be written.
    let data = serde_json::to_string(event).unwrap_or_default();
    format!("id: {}\ndata: {data}\n\n", event.id).into()
}
