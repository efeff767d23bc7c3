//! One line for each request, written when it is over, however it ended.
//!
//! It says who, what, where and how much; never a key, a prompt or a body.

use std::sync::Arc;

use tokio_util::task::task_tracker::TaskTrackerToken;
use weir_core::ids::{CandidateId, ItemId, TenantId};
use weir_core::units::Micros;
use weir_core::{Admit, Outcome, Usage};

use crate::host::Host;

/// What is written of a request. It also keeps the gateway's drain waiting while it lives.
pub(crate) struct Record(Option<Box<Lines>>);

struct Lines {
    host: Arc<Host>,
    tenant: TenantId,
    model: String,
    began: Micros,
    item: Option<ItemId>,
    candidate: Option<CandidateId>,
    attempts: u16,
    waited: Micros,
    status: u16,
    outcome: &'static str,
    usage: Option<Usage>,
    _open: TaskTrackerToken,
}

impl Record {
    pub(crate) fn new(host: Arc<Host>, tenant: TenantId, model: String) -> Self {
        Self(Some(Box::new(Lines {
            tenant,
            model,
            began: host.clock.now(),
            item: None,
            candidate: None,
            attempts: 0,
            waited: Micros::ZERO,
            status: 0,
            outcome: "cancelled",
            usage: None,
            _open: host.calls.token(),
            host,
        })))
    }

    /// Hands it on.
    pub(crate) fn take(&mut self) -> Self {
        Self(self.0.take())
    }

    pub(crate) fn admitted(&mut self, admit: &Admit) {
        if let Some(lines) = &mut self.0 {
            lines.item = Some(admit.item);
            lines.candidate = Some(admit.candidate);
            lines.attempts = admit.number;
            lines.waited = admit.waited;
        }
    }

    pub(crate) fn refused(&mut self, item: ItemId) {
        if let Some(lines) = &mut self.0 {
            lines.item = Some(item);
            lines.outcome = "refused";
        }
    }

    /// This host says no for a reason of its own.
    pub(crate) fn declined(&mut self) {
        if let Some(lines) = &mut self.0 {
            lines.outcome = "refused";
        }
    }

    pub(crate) fn answered(&mut self, status: http::StatusCode) {
        if let Some(lines) = &mut self.0 {
            lines.status = status.as_u16();
        }
    }

    pub(crate) fn ended(&mut self, outcome: &Outcome, usage: Option<Usage>) {
        if let Some(lines) = &mut self.0 {
            lines.usage = usage;
            lines.outcome = match outcome {
                Outcome::Success => "success",
                Outcome::Response(_) => "failed",
                Outcome::Transport(_) => "broken",
                Outcome::Cancelled => "cancelled",
                Outcome::Cut => "cut",
            };
        }
    }

    /// The request's name for people; empty before it has one.
    pub(crate) fn request(&self) -> String {
        self.0
            .as_ref()
            .and_then(|lines| lines.item)
            .map(|item| item.to_string())
            .unwrap_or_default()
    }

    /// What the response's headers say: request, candidate, attempts, wait.
    pub(crate) fn facts(&self) -> Option<(ItemId, Option<CandidateId>, u16, Micros)> {
        let lines = self.0.as_ref()?;
        Some((lines.item?, lines.candidate, lines.attempts, lines.waited))
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        let upstream = self.candidate.and_then(|id| self.host.upstreams.candidate(id));
        let usage = self.usage.unwrap_or_default();
        tracing::info!(
            request = self.item.map(|item| item.0),
            tenant = self.host.tenant_name(self.tenant),
            model = self.model,
            upstream = upstream.map(|(upstream, _)| upstream.name.as_str()),
            status = self.status,
            outcome = self.outcome,
            attempts = self.attempts,
            waited_ms = self.waited.as_millis(),
            elapsed_ms = self.host.clock.now().minus(self.began).as_millis(),
            input_tokens = usage.input.0,
            output_tokens = usage.output.0,
            "request"
        );
    }
}
