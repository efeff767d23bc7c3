//! A window of a record, and who is meant.

use weir_core::units::Micros;

use super::window::Window;
use crate::record::{Attempt, Record, Request};

/// What a figure is taken from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run<'a> {
    pub(super) record: &'a Record,
    pub(super) window: Window,
}

/// One demand by its place, or all.
#[derive(Clone, Copy, Debug)]
pub(super) struct Selected(Option<u16>);

impl<'a> Run<'a> {
    /// The place of an upstream; of the first when none is named.
    pub(super) fn upstream(self, name: &Option<String>) -> u16 {
        let named = name.as_ref().and_then(|name| place(&self.record.names.upstreams, name));
        named.unwrap_or_default()
    }

    pub(super) fn tenant(self, name: &str) -> Option<u16> {
        place(&self.record.names.tenants, name)
    }

    pub(super) fn demand(self, name: &str) -> Option<u16> {
        place(&self.record.names.demands, name)
    }

    pub(super) fn selected(self, name: &Option<String>) -> Selected {
        Selected(name.as_ref().map(|name| self.demand(name).unwrap_or(u16::MAX)))
    }

    /// Attempts at an upstream, whenever they were sent.
    pub(super) fn all_attempts(self, upstream: u16) -> impl Iterator<Item = &'a Attempt> {
        self.record.attempts.iter().filter(move |attempt| attempt.upstream == upstream)
    }

    /// Attempts at an upstream that were sent in the window.
    pub(super) fn attempts(self, upstream: u16) -> impl Iterator<Item = &'a Attempt> {
        self.all_attempts(upstream).filter(move |attempt| self.window.contains(attempt.sent))
    }

    /// Requests that arrived in the window.
    pub(super) fn requests(self, of: Selected) -> impl Iterator<Item = &'a Request> {
        let requests = self.record.requests.iter();
        requests.filter(move |request| self.window.contains(request.arrived) && of.has(request))
    }

    pub(super) fn request(self, attempt: &Attempt) -> Option<&'a Request> {
        self.record.requests.get(attempt.request as usize)
    }

    /// From the window's start to a time, in seconds; infinity when it never comes.
    pub(super) fn seconds_until(self, at: Option<Micros>) -> f64 {
        at.map_or(f64::INFINITY, |at| (at - self.window.from).as_secs_f64())
    }
}

impl Selected {
    fn has(self, request: &Request) -> bool {
        self.0.is_none_or(|demand| demand == request.demand)
    }
}

fn place(names: &[String], name: &str) -> Option<u16> {
    let place = names.iter().position(|known| known == name)?;
    u16::try_from(place).ok()
}
