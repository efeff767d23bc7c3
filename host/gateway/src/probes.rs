//! What machines look at: metrics and probes.

use std::sync::Arc;

use axum::extract::State;
use http::{StatusCode, header};

use crate::admin;
use crate::driver::Command;
use crate::host::Host;

/// The type of Prometheus text.
const PROMETHEUS: &str = "text/plain; version=0.0.4; charset=utf-8";

pub(crate) async fn metrics(
    State(host): State<Arc<Host>>,
) -> ([(header::HeaderName, &'static str); 1], String) {
    // A scheduler that is gone has nothing new to say.
    let _ = admin::ask(&host, Command::Measure).await;
    ([(header::CONTENT_TYPE, PROMETHEUS)], host.metrics.render())
}

/// The process lives.
pub(crate) async fn healthy() -> &'static str {
    "ok\n"
}

/// New requests are taken, and somebody decides about them.
pub(crate) async fn ready(State(host): State<Arc<Host>>) -> (StatusCode, &'static str) {
    if host.draining() {
        (StatusCode::SERVICE_UNAVAILABLE, "draining\n")
    } else if !host.inbox.is_open() {
        (StatusCode::SERVICE_UNAVAILABLE, "the scheduler has ended\n")
    } else {
        (StatusCode::OK, "ready\n")
    }
}
